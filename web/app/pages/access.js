// What one agent may read here, and what it may ask for. A switch is signed by
// this phone and holds once nod has it; until then it says that it is being
// saved, and it never looks saved when it is not.

import { isOn, switches } from '../access.js'
import { changeAccess, pause, resume } from '../acts.js'
import { avatar, dataOf, iso } from '../card-body.js'
import { el, mark } from '../dom.js'
import { localeInUse, t } from '../text.js'
import { agentsOf, lastAsked, waiting } from './agents.js'
import { notices } from './state.js'

/** @typedef {import('../api.js').AgentAccess} Agent */
/** @typedef {import('../access.js').Switch} Switch */
/**
 * @typedef {import('./agents.js').Model & { id: string, wanted: string, saving: Record<string, boolean>, unsaved: boolean }} Model
 *   wanted: the switch that led here; saving: what was asked for and is not kept yet; unsaved: the last one was not kept
 * @typedef {{ again: () => void, turn: (s: Switch, on: boolean) => void, pause: () => void, resume: () => void }} Acts
 */

/** @param {import('../app.js').Phone} phone @param {string} id @param {string} [wanted] "calendar-read" @returns {import('../router.js').View} */
export function open(phone, id, wanted = '') {
  const { link, state } = phone
  const { load, look, again } = agentsOf(phone)
  /** @type {Record<string, boolean>} */ let saving = {}
  let unsaved = false
  let led = wanted === ''
  const paint = () => phone.router.paint()
  /** @type {Acts} */
  const acts = {
    again: () => void again(), pause: () => void pause(phone, id), resume: () => void resume(phone, id),
    turn: async (s, on) => {
      const { key } = s
      if (key in saving) return
      saving = { ...saving, [key]: on }
      unsaved = false
      paint()
      const kept = await changeAccess(phone, id, { [key]: on ? 'ask' : 'off' }).catch(() => false)
      await again()
      const now = load.value?.find((a) => a.id === id)
      unsaved = !kept && !(now && isOn(now, s) === on) // nod may have it, and only its answer was lost
      const { [key]: _, ...rest } = saving
      saving = rest
      paint()
    },
  }
  return {
    get title() {
      return load.value?.find((a) => a.id === id)?.name ?? t('access.agents')
    },
    look,
    draw: () => {
      if (!led && load.value) {
        led = true
        setTimeout(() => lead(wanted))
      }
      return accessPage({ load, id, wanted: wanted.replace('-', ':'), saving, unsaved, online: link.state === 'open', now: Date.now(), known: state.get() }, acts)
    },
  }
}

/** Brings what the person came for before them. @param {string} wanted */
function lead(wanted) {
  const button = document.getElementById(`switch-${wanted}`)
  button?.scrollIntoView({ block: 'center' })
  button?.focus({ preventScroll: true })
}

/** @param {Model} m @param {Acts} acts */
export function accessPage(m, acts) {
  const agent = m.load.value?.find((a) => a.id === m.id)
  const back = el('a.back', { href: '/agents' }, mark('before'), t('access.agents'))
  if (!agent) {
    if (!m.load.value) return [back, el('h1', { tabindex: '-1' }, t('access.agents')), ...waiting(m, acts, t('access.offline'))]
    return [back, el('h1', { tabindex: '-1' }, t('access.gone')), el('p.second', null, t('access.gone_why'))]
  }
  return [
    back,
    el('div.who', null, avatar(agent.name), el('div.who-words', null, el('h1', { tabindex: '-1' }, iso(agent.name)), el('p.second', null, lastAsked(agent, m.now)))),
    ...notices(m.known),
    m.unsaved && el('p.notice', { role: 'alert' }, t('access.unsaved')),
    !m.online && el('p.notice', { role: 'status' }, t('settings.offline')),
    ...(m.load.state === 'failed' ? waiting(m, acts, '') : []),
    about(agent, m, acts),
    ...section('access.reads', switches('read'), agent, m, acts),
    ...section('access.acts', switches('act'), agent, m, acts),
    el('p.second', null, t('access.narrow')),
  ]
}

/** How much it may do unasked, and what it was given lately. @param {Agent} a @param {Model} m @param {Acts} acts */
function about(a, m, acts) {
  return el('section.box', null,
    toggle('paused', t('access.asking'), a.paused ? t('access.asking_off') : '', { on: !a.paused, off: !m.online, turn: a.paused ? acts.resume : acts.pause }),
    el('div.item', null, el('div', null, el('p.title', null, t(`access.mode.${a.mode}`)), el('p.second', null, t(`access.mode_why.${a.mode}`)))),
    a.tainted.length > 0 && el('div.item', null, el('span.dot.warn', { 'aria-hidden': 'true' }),
      el('div', null, el('p.title', null, t('access.taint', { what: dataOf(a.tainted, localeInUse()) })), el('p.second', null, t('access.taint_why')))))
}

/** @param {'access.reads' | 'access.acts'} key @param {Switch[]} all @param {Agent} agent @param {Model} m @param {Acts} acts */
function section(key, all, agent, m, acts) {
  return [
    el('div.heading', null, el('h2', null, t(key)), el('p.second', null, t(key === 'access.reads' ? 'access.reads_why' : 'access.acts_why'))),
    el('section.box', { 'aria-label': t(key) }, all.map((s) => {
      const saving = s.key in m.saving
      return toggle(s.key.replace(':', '-'), t(`log.app.${s.app}`), t(`access.${s.kind}.${s.app}`), {
        on: saving ? m.saving[s.key] : isOn(agent, s), off: !m.online, saving, wanted: s.key === m.wanted,
        turn: () => acts.turn(s, !isOn(agent, s)),
      })
    })),
  ]
}

/**
 * A switch with what it means. While it is being saved it stands where it is to
 * be, and says that it is not there yet.
 * @param {string} id @param {string} title @param {string} text
 * @param {{ on: boolean, off: boolean, saving?: boolean, wanted?: boolean, turn: () => void }} s off: it cannot be turned now
 */
function toggle(id, title, text, { on, off, saving = false, wanted, turn }) {
  return el(`div.item.turn${wanted ? '.wanted' : ''}`, null,
    el('div', null, el('p.title', { id: `name-${id}` }, title), text && el('p.second', { id: `why-${id}` }, text), saving && el('p.saving', { role: 'status' }, t('settings.keeping'))),
    el('button.switch', {
      type: 'button', role: 'switch', id: `switch-${id}`, 'aria-checked': String(on), 'aria-labelledby': `name-${id}`, 'aria-describedby': text && `why-${id}`,
      'aria-busy': saving && 'true', disabled: off, click: turn,
    }, el('span.knob', { 'aria-hidden': 'true' })))
}
