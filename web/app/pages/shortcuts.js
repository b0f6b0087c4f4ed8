// What an iPhone does by a Shortcut that the person makes once: how to make it,
// and a test that runs it and hears how it ended. Until a test worked, agents
// hear that it is not possible here.

import { el, mark } from '../dom.js'
import { drawing } from '../drawings.js'
import { shortcutURL } from '../intents.js'
import { choose } from '../acts.js'
import { localeInUse, t } from '../text.js'
import { BY_SHORTCUT, plan } from '../uris.js'
import { day } from '../words.js'
import { notices, offlineBox } from './state.js'

/**
 * @typedef {'none' | 'ready' | 'running' | 'ok' | 'cancel' | 'error' | 'silent' | 'failed'} Stage
 *   none: not made ready yet; running: the Shortcuts app was opened; the rest: how it ended; silent: nothing came back
 * @typedef {{ action: string, stage: Stage, name: string, reason?: string }} Trial name: of the Shortcut, the person's own for an automation
 * @typedef {{ os: string, online: boolean, done: Record<string, number>, trial: Trial | null, now: number, known: { problem: string | null, said: string | null } }} Model done: action to when its test worked
 * @typedef {{ unfold: (action: string) => void, name: (name: string) => void, run: () => void, remove: (action: string) => void }} Acts
 */

/** What each is tested with. @type {Record<string, Record<string, any>>} */
const SAMPLES = {
  alarm: { time: '07:30', label: 'nod' }, timer: { seconds: 60, label: 'nod' }, torch: { on: true }, media: { command: 'toggle' }, automation_intent: { name: '' },
}

/** The callback is asked for this often, this many times, once the person is back. */
const ASK_MS = 1_000
const ASK_TIMES = 4

/** @param {string} action @param {string} [own] the name of the person's own Shortcut @returns {{ name: string, input: Record<string, unknown> }} what a call would run */
export function runOf(action, own) {
  const settings = /** @type {any} */ ({ shortcuts: { [action]: 1 } })
  const platform = /** @type {any} */ ({ os: 'ios' })
  return /** @type {any} */ (plan(action, { ...SAMPLES[action], ...(action === 'automation_intent' && own && { name: own }) }, platform, settings, null, 0))
}

/** @param {import('../app.js').Phone} phone @returns {import('../router.js').View} */
export function open(phone) {
  const { parts: { platform }, link, state } = phone
  const over = new AbortController()
  /** @type {Trial | null} */ let trial = null
  let token = ''
  const paint = () => phone.router.paint()
  /** @param {Partial<Trial>} change */
  const set = (change) => {
    if (trial) trial = { ...trial, ...change }
    paint()
  }
  /** The address to call back is made before the tap that runs: a tap's permission does not wait. */
  const ready = async () => {
    try {
      token = (await phone.ask('POST', '/phone/callback', {})).token
      if (trial?.stage === 'none') set({ stage: 'ready' })
    } catch (e) {
      set({ stage: 'failed', reason: e instanceof Error ? e.message : String(e) })
    }
  }
  const heard = async () => {
    for (let i = 0; i < ASK_TIMES && trial?.stage === 'running' && !over.signal.aborted; i++) {
      if (i) await new Promise((resolve) => setTimeout(resolve, ASK_MS))
      const said = await phone.ask('GET', `/phone/callback/${token}`).then((r) => r.state, () => 'waiting')
      if (said !== 'waiting') return finish(said)
    }
    if (trial?.stage === 'running') finish('silent')
  }
  /** @param {Stage} stage */
  const finish = async (stage) => {
    const { action } = /** @type {Trial} */ (trial)
    set({ stage })
    if (stage === 'ok') await choose(phone, { shortcuts: { ...state.get().settings.shortcuts, [action]: Date.now() } })
    ready()
  }
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible' && trial?.stage === 'running') heard()
  }, { signal: over.signal })
  return {
    title: t('shortcuts.title'),
    look: () => {
      if (link.state === 'open' && trial && !token) ready()
    },
    draw: () => shortcutsPage({ os: platform.os, online: link.state === 'open', done: state.get().settings.shortcuts, trial, now: Date.now(), known: state.get() }, {
      unfold: (action) => {
        token = ''
        trial = trial?.action === action ? null : { action, stage: 'none', name: runOf(action).name }
        phone.router.changed()
      },
      name: (name) => set({ name }),
      run: () => {
        if (!trial || !token) return
        set({ stage: 'running' })
        location.href = shortcutURL(runOf(trial.action, trial.name), `${location.origin}/cb/${token}`)
      },
      remove: (action) => {
        const { [action]: _, ...rest } = state.get().settings.shortcuts
        return choose(phone, { shortcuts: rest })
      },
    }),
    leave: () => over.abort(),
  }
}

/** @param {Model} m @param {Acts} acts */
export function shortcutsPage(m, acts) {
  const back = el('a.back', { href: '/settings' }, mark('before'), t('nav.settings'))
  const head = [back, el('h1', { tabindex: '-1' }, t('shortcuts.title'))]
  if (m.os !== 'ios') return [...head, el('section.box', null, el('p.empty', null, t('shortcuts.elsewhere')))]
  return [
    ...head, ...notices(m.known), el('p.second', null, t('shortcuts.why')),
    !m.online && offlineBox(t('shortcuts.offline')),
    ...BY_SHORTCUT.map((action) => box(action, m, acts)),
  ]
}

/** @param {string} action @param {Model} m @param {Acts} acts */
function box(action, m, acts) {
  const open = m.trial?.action === action
  const at = m.done[action]
  return el('section.box', { 'aria-labelledby': `name-${action}` },
    el('div.item', null, el(at ? 'span.dot' : 'span.dot.none', { 'aria-hidden': 'true' }),
      el('div', null, el('h2.title', { id: `name-${action}` }, t(`shortcuts.for.${action}`)), el('p.second', null, at ? t('shortcuts.works', { date: day(at, m.now, localeInUse()) }) : t('shortcuts.not_yet'))),
      el('button.plain.small', { type: 'button', id: `set-${action}`, 'aria-expanded': String(open), click: () => acts.unfold(action) }, t(open ? 'home.hide' : at ? 'home.show' : 'shortcuts.set_up'))),
    open && m.trial && guide(m.trial, m, acts))
}

/** @param {Trial} trial @param {Model} m @param {Acts} acts */
function guide(trial, m, acts) {
  const { action, stage, name } = trial
  const own = action === 'automation_intent'
  const input = JSON.stringify(runOf(action, own ? name : '').input)
  const steps = own ? ['own', 'own_input'] : ['new', 'name', 'dictionary', action, 'save']
  const busy = stage === 'none' || stage === 'running'
  return el('div.guide', null,
    drawing(`shortcut-${own ? 'own' : action}`),
    el('ol.numbered', null, steps.map((s) => el('li', null, t(`shortcuts.step.${s}`, { name })))),
    own && el('div.field', null, el('label', { for: 'own' }, t('shortcuts.own_name')), el('input', {
      id: 'own', autocomplete: 'off', maxlength: '200', change: (/** @type {Event} */ e) => acts.name(/** @type {HTMLInputElement} */ (e.target).value.trim()),
    })),
    !own && el('p.second', null, t('shortcuts.sends'), ' ', el('code', { dir: 'ltr' }, input)),
    el('button.primary.wide', { type: 'button', id: 'run', disabled: !m.online || busy || (own && !name), click: acts.run }, t(stage === 'running' ? 'shortcuts.running' : 'shortcuts.test')),
    el('p.second', null, t(`shortcuts.test_${own ? 'own' : action}`)),
    el('div', { role: 'status' }, ending(stage, trial)),
    m.done[action] !== undefined && el('button.plain.wide', { type: 'button', id: `remove-${action}`, click: () => acts.remove(action) }, t('shortcuts.remove')))
}

/** @param {Stage} stage @param {Trial} trial */
function ending(stage, { name, reason }) {
  if (stage === 'none' || stage === 'ready') return null
  const good = stage === 'ok' || stage === 'running'
  return el(good ? 'p.notice.good' : 'p.notice', null, stage === 'failed' ? t('home.failed', { reason: reason ?? '' }) : t(`shortcuts.stage.${stage}`, { name }))
}
