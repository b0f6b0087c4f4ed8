// Home: whether this phone is ready, what is missing with one tap to mend it,
// the agents, and what they asked today. Everything it says of the connection
// was proven by a beat; what is not known yet is not there.

import { pause, resume, testCard } from '../acts.js'
import { able } from '../capabilities.js'
import { avatar, iso } from '../card-body.js'
import { el, mark } from '../dom.js'
import { moment, pastRow } from '../past.js'
import { writeSetup } from '../setup.js'
import { localeInUse, t } from '../text.js'
import { BY_SHORTCUT } from '../uris.js'
import { ago, daysApart, left } from '../words.js'
import { notices, testCardBox } from './state.js'

/**
 * @typedef {import('../app.js').Phone} Phone
 * @typedef {{
 *   link: import('../gateway.js').LinkState, server: string, seenMs: number, retryMs: number, me: string,
 *   platform: import('../uris.js').Platform, known: import('../state.js').Known, showCannot: boolean, now: number,
 * }} Model me: this phone's name
 * @typedef {{
 *   tryNow: () => void, pause: (agent?: string) => void, resume: (agent?: string) => void,
 *   showCannot: () => void, install: () => void, turnOn: () => void, test: () => void,
 * }} Acts
 */

/** How many of today's rows stand here; the log has them all. */
const ROWS = 5

/** @param {Phone} phone @returns {import('../router.js').View} */
export function open(phone) {
  const { link, state, router } = phone
  let showCannot = false
  /** @type {Acts} */
  const acts = {
    tryNow: () => link.start(), pause: (agent) => pause(phone, agent), resume: (agent) => resume(phone, agent),
    turnOn: () => phone.push(true), test: () => testCard(phone),
    showCannot: () => {
      showCannot = !showCannot
      router.paint()
    },
    install: async () => {
      const { install } = state.get()
      if (install) {
        await install.prompt()
        return state.set({ install: null })
      }
      await writeSetup({ step: 'install', off: 0 })
      router.go('/pair')
    },
  }
  return {
    draw: () => homePage({ ...modelOf(phone), showCannot }, acts),
    ticks: { seen: () => seen(modelOf(phone)), retry: () => retry(modelOf(phone)) },
  }
}

/** What Home says of a phone now. @param {Phone} phone @returns {Model} */
export function modelOf({ parts, link, state }) {
  const now = performance.now()
  return {
    link: link.state, server: location.host, seenMs: now - link.seen, retryMs: link.retryAt - now, me: parts.identity.name,
    platform: parts.platform, known: state.get(), showCannot: false, now: Date.now(),
  }
}

/** @param {Model} m @param {Acts} acts */
export function homePage(m, acts) {
  const { waiting } = m.known
  const missing = todo(m, acts)
  return [
    el('div.heading', null, el('h1', { tabindex: '-1' }, t(`home.${titleOf(m)}`)), el('p.second', null, lead(m))),
    ...notices(m.known),
    waiting?.length ? el('section.box', null, item('warn', t('home.phones'), t('home.phones_why'), go('phones', '/phones', 'home.look'))) : null,
    missing.length > 0 && el('section.box', null, missing),
    el('section.box', null, fine(m, acts)),
    ...agents(m, acts),
    ...today(m, acts),
  ]
}

/** @param {Model} m */
function titleOf({ link, known }) {
  if (link === 'open') return known.paused ? 'paused' : 'ready'
  return link === 'connecting' ? 'connecting' : 'not_connected'
}

/** One sentence: what this means. @param {Model} m */
function lead(m) {
  if (m.link === 'open') return t(m.known.paused ? 'home.resume_why' : 'home.ready_why')
  if (m.link === 'set_back') return t('resume.until')
  return m.link === 'waiting' ? el('span', { 'data-tick': 'retry' }, retry(m)) : t('home.connecting_why', { server: m.server })
}

/** @param {Pick<Model, 'server' | 'seenMs'>} m */
const seen = (m) => t('home.connected_to', { server: m.server, ago: ago(m.seenMs, localeInUse()) })

/** @param {Pick<Model, 'retryMs'>} m */
const retry = (m) => t('home.retry_at', { time: left(m.retryMs) })

/** What is missing, the most pressing first, each with its one tap. @param {Model} m @param {Acts} acts */
function todo(m, acts) {
  const { link, platform: { os, standalone }, known: { paused, push, install, settings } } = m
  const shortcuts = os === 'ios' && BY_SHORTCUT.every((action) => !settings.shortcuts[action])
  return [
    link === 'set_back' && item('warn', t('home.set_back'), t('home.set_back_why'), go('look', '/resume', 'home.look')),
    link === 'waiting' && item('warn', t('home.disconnected'), t('home.reach_why', { server: m.server }), button('try', 'home.try_now', acts.tryNow)),
    paused && link === 'open' && item('warn', t('home.paused'), t('home.resume_only'), button('resume', 'home.resume_all', () => acts.resume())),
    push && push.state !== 'on' && item('warn', t(`home.push.${push.state}`), t(push.reason, push.values), canTurnOn(push) && button('push', 'home.push.turn_on', acts.turnOn)),
    !standalone && (install || os === 'ios') && item('warn', t('home.install'), t(os === 'ios' ? 'home.install_ios' : 'home.install_why'), button('install', install ? 'home.install_do' : 'home.show', acts.install)),
    shortcuts && item('warn', t('home.shortcuts'), t('home.shortcuts_why'), go('shortcuts', '/shortcuts', 'shortcuts.set_up')),
  ].filter((x) => x !== false && x !== null && x !== undefined)
}

/** Whether a tap here can turn notifications on: not what is off where nod runs. @param {import('../push.js').PushState} push */
export const canTurnOn = ({ state, reason }) => (state === 'ask' || state === 'broken' || (state === 'off' && reason !== 'push.why.disabled'))

/** What is as it should be, and what cannot be had here. @param {Model} m @param {Acts} acts */
function fine(m, acts) {
  const { link, platform, known: { push, install, settings, probed } } = m
  return [
    link === 'open' && item('', t('home.connected'), el('span', { 'data-tick': 'seen' }, seen(m))),
    push?.state === 'on' && item('', t('home.push.on'), t('push.why.on')),
    platform.os === 'android' && !platform.standalone && !install && item('none', t('home.install'), t('home.install_why'), button('install', 'home.show', acts.install)),
    cannotItem(able(platform, settings, probed).flatMap(({ state, reason }) => (reason && state === 'unsupported' ? [t(reason)] : [])), m.showCannot, acts),
  ]
}

/** @param {string[]} cannot sentences @param {boolean} open @param {Acts} acts */
function cannotItem(cannot, open, acts) {
  if (!cannot.length) return null
  const title = t(cannot.length === 1 ? 'home.cannot_one' : 'home.cannot', { count: String(cannot.length) })
  return el('div', null,
    item('none', title, t('home.cannot_why'), el('button.plain.small', { type: 'button', id: 'cannot', 'aria-expanded': String(open), click: acts.showCannot }, t(open ? 'home.hide' : 'home.show'))),
    open && el('ul.sub.second', null, [...new Set(cannot)].map((c) => el('li', null, c))))
}

/** @param {Model} m @param {Acts} acts */
function agents({ known: { home, paused }, now, link }, acts) {
  if (!home) return []
  return [
    el('h2', null, t('home.agents')),
    el('section.box', null, home.agents.length === 0 && el('p.empty', null, t('home.agents_empty')), home.agents.map((a) => agent(a, now, link !== 'open', acts))),
    home.agents.length > 0 && !paused && el('button.plain.wide', { type: 'button', id: 'pause-all', disabled: link !== 'open', click: () => acts.pause() }, t('home.pause_all')),
  ]
}

/** @param {import('../api.js').Agent} a @param {number} now @param {boolean} off not connected @param {Acts} acts */
function agent(a, now, off, acts) {
  const used = moment(a.last_used)
  const words = used ? t('home.agent_used', { ago: ago(Math.max(0, now - used), localeInUse()) }) : t('home.agent_unused')
  const ids = { name: `name-${a.id}`, pill: `agent-${a.id}` }
  return el('div.item', null,
    el('a.agent-link', { href: `/agents/${a.id}` }, avatar(a.name), el('div', null, el('p.title', { id: ids.name }, iso(a.name)), el('p.second', null, words)), mark('after')),
    el(`button.pill.small.${a.paused ? 'warn' : 'on'}`, {
      type: 'button', role: 'switch', id: ids.pill, 'aria-checked': String(!a.paused), 'aria-labelledby': `${ids.name} ${ids.pill}`, disabled: off,
      click: () => (a.paused ? acts.resume(a.id) : acts.pause(a.id)),
    }, t(a.paused ? 'home.paused_pill' : 'home.on')))
}

/** @param {Model} m @param {Acts} acts */
function today({ known: { home }, me, now, link, platform: { zone } }, acts) {
  if (!home) return []
  if (!home.calls.length) return [el('h2', null, t('home.today')), testCardBox(t('home.log_empty'), acts.test, link === 'open')]
  const calls = home.calls.filter((c) => daysApart(moment(c.at), now, zone) === 0)
  return [
    el('h2', null, t('home.today')),
    el('section.box', null,
      calls.length === 0 ? el('p.empty', null, t('home.today_empty')) : el('ul', null, calls.slice(0, ROWS).map((c) => pastRow(c, { now, zone, me }))),
      el('a.item.more', { href: '/log' }, el('div', null, t('home.whole_log')), mark('after'))),
    el('button.plain.wide', { type: 'button', id: 'test', disabled: link !== 'open', click: acts.test }, t('test.send')),
  ]
}

/** @param {string} dot warn: it wants something; none: it is so; '': it is well @param {string} title @param {string | HTMLElement} text @param {HTMLElement | null | false} [act] */
const item = (dot, title, text, act) =>
  el('div.item', null, el(dot ? `span.dot.${dot}` : 'span.dot', { 'aria-hidden': 'true' }), el('div', null, el('p.title', null, title), el('p.second', null, text)), act)

/** @param {string} id @param {string} key @param {() => void} click */
const button = (id, key, click) => el('button.plain.small', { type: 'button', id, click }, t(key))

/** @param {string} id @param {string} href @param {string} key */
const go = (id, href, key) => el('a.plain.small.button', { id, href }, t(key))
