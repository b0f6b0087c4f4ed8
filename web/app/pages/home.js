// Home: whether this phone is ready, what is missing, the agents, and what they
// asked. Everything it says of the connection was proven by a beat.

import { pause, resume } from '../acts.js'
import { able } from '../capabilities.js'
import { avatar, iso } from '../card-body.js'
import { el } from '../dom.js'
import { line } from '../fields.js'
import { localeInUse, t } from '../text.js'
import { ago, clock, day, daysApart, left } from '../words.js'

/**
 * @typedef {{
 *   link: import('../gateway.js').LinkState, server: string, seenMs: number, retryMs: number,
 *   home: import('../api.js').Home | null, paused: boolean, waiting: number, problem: string | null,
 *   cannot: string[], showCannot: boolean, install: boolean, zone: string, now: number,
 * }} Model waiting: phones that want to join; problem: a sentence; cannot: sentences
 * @typedef {{
 *   tryNow: () => void, pauseAll: () => void, resume: (agent?: string) => void, pause: (agent: string) => void,
 *   showCannot: () => void, install: () => void, phones: () => void, setBack: () => void,
 * }} Acts
 */

/** @typedef {import('../app.js').Phone} Phone */

/** @param {Phone} phone @returns {import('../router.js').View} */
export function open(phone) {
  let showCannot = false
  /** @type {Acts} */
  const acts = {
    tryNow: () => phone.link.start(), pauseAll: () => pause(phone), pause: (agent) => pause(phone, agent), resume: (agent) => resume(phone, agent),
    phones: () => phone.router.go('/phones'), setBack: () => phone.router.go('/resume'),
    showCannot: () => {
      showCannot = !showCannot
      phone.router.paint()
    },
    install: async () => {
      await phone.state.get().install?.prompt()
      phone.state.set({ install: null })
    },
  }
  return { draw: () => homePage({ ...modelOf(phone), showCannot }, acts) }
}

/** What Home says of a phone now. @param {Phone} phone @returns {Model} */
export function modelOf({ parts: { platform }, link, state }) {
  const { home, paused, waiting, problem, install, settings, probed } = state.get()
  const now = performance.now()
  return {
    link: link.state, server: location.host, seenMs: now - link.seen, retryMs: link.retryAt - now, home, paused, waiting: waiting?.length ?? 0, problem,
    cannot: able(platform, settings, probed).flatMap(({ state: is, reason }) => (reason && is === 'unsupported' ? [t(reason)] : [])), showCannot: false, install: install !== null, zone: platform.zone, now: Date.now(),
  }
}

/** @param {Model} m @param {Acts} acts */
export function homePage(m, acts) {
  return [
    el('h1', { tabindex: '-1' }, t(titleOf(m))),
    m.problem && el('p.notice', { role: 'alert' }, m.problem),
    m.waiting > 0 && item('warn', t('home.phones'), t('home.phones_why'), button('look', 'home.look', acts.phones), 'box'),
    el('section.box', null, connection(m, acts), m.paused && m.link === 'open' && pausedItem(acts), openItem(m, acts), cannotItem(m, acts)),
    ...agents(m, acts),
    ...log(m),
  ]
}

/** @param {Model} m */
function titleOf(m) {
  if (m.link === 'open') return m.paused ? 'home.paused' : 'home.ready'
  return m.link === 'connecting' ? 'home.connecting' : 'home.not_connected'
}

/** @param {Model} m @param {Acts} acts */
function connection(m, acts) {
  if (m.link === 'open') return item('', t('home.connected'), el('span', { 'data-tick': 'seen' }, seen(m)), null)
  if (m.link === 'set_back') return item('warn', t('home.disconnected'), t('resume.until'), button('look', 'home.look', acts.setBack))
  const words = m.link === 'waiting' ? el('span', { 'data-tick': 'retry' }, retry(m)) : t('home.connecting')
  return item('warn', t('home.disconnected'), words, button('try', 'home.try_now', acts.tryNow))
}

/** @param {Pick<Model, 'server' | 'seenMs'>} m */
const seen = (m) => t('home.connected_to', { server: m.server, ago: ago(m.seenMs, localeInUse()) })

/** @param {Pick<Model, 'retryMs'>} m */
const retry = (m) => t('home.retry_at', { time: left(m.retryMs) })

/** The words that move with time, by the name in data-tick. */
export const TICKS = { seen, retry }

/** @param {Acts} acts */
const pausedItem = (acts) => item('warn', t('home.paused'), t('home.resume_why'), button('resume', 'home.resume_all', () => acts.resume()))

/** @param {Model} m @param {Acts} acts */
function openItem(m, acts) {
  if (m.install) return item('warn', t('home.install'), t('home.install_why'), button('install', 'home.install_do', acts.install))
  return item('', t('home.keep_open'), t('home.keep_open_why'), null)
}

/** @param {Model} m @param {Acts} acts */
function cannotItem(m, acts) {
  if (!m.cannot.length) return null
  const title = t(m.cannot.length === 1 ? 'home.cannot_one' : 'home.cannot', { count: String(m.cannot.length) })
  return el('div', null,
    item('warn', title, t('home.cannot_why'), el('button.plain.small', { type: 'button', id: 'cannot', 'aria-expanded': String(m.showCannot), click: acts.showCannot }, t(m.showCannot ? 'home.hide' : 'home.show'))),
    m.showCannot && el('ul.sub.second', null, m.cannot.map((c) => el('li', null, c))))
}

/** @param {Model} m @param {Acts} acts */
function agents(m, acts) {
  const list = m.home?.agents
  if (!list) return []
  return [
    el('h2', null, t('home.agents')),
    el('section.box', null, list.length === 0 && el('p.empty', null, t('home.agents_empty')), list.map((a) => agent(a, m, acts))),
    list.length > 0 && !m.paused && el('button.plain.wide', { type: 'button', id: 'pause-all', click: acts.pauseAll }, t('home.pause_all')),
  ]
}

/** @param {import('../api.js').Agent} a @param {Model} m @param {Acts} acts */
function agent(a, m, acts) {
  const used = moment(a.last_used)
  const words = used ? t('home.agent_used', { ago: ago(Math.max(0, m.now - used), localeInUse()) }) : t('home.agent_unused')
  const change = a.paused ? () => acts.resume(a.id) : () => acts.pause(a.id)
  const ids = { name: `name-${a.id}`, pill: `agent-${a.id}` }
  return el('div.item', null, avatar(a.name),
    el('div', null, el('p.title', { id: ids.name }, iso(a.name)), el('p.second', null, words)),
    el(`button.pill.small.${a.paused ? 'warn' : 'on'}`, {
      type: 'button', role: 'switch', id: ids.pill, 'aria-checked': String(!a.paused), 'aria-labelledby': `${ids.name} ${ids.pill}`, click: change,
    }, t(a.paused ? 'home.paused_pill' : 'home.on')))
}

/** @param {Model} m */
function log(m) {
  const calls = m.home?.calls
  if (!calls) return []
  if (!calls.length) return [el('h2', null, t('home.today')), el('section.box', null, el('p.empty', null, t('home.log_empty')))]
  const today = calls.filter((c) => daysApart(moment(c.at), m.now, m.zone) === 0)
  const before = calls.filter((c) => !today.includes(c))
  return [
    today.length > 0 && el('h2', null, t('home.today')), today.length > 0 && el('section.box', null, today.map((c) => past(c, m))),
    before.length > 0 && el('h2', null, t('home.earlier')), before.length > 0 && el('section.box', null, before.map((c) => past(c, m, true))),
  ]
}

/** @param {import('../api.js').PastCall} c @param {Model} m @param {boolean} [dated] */
function past(c, m, dated = false) {
  const at = moment(c.at)
  const words = { t, locale: localeInUse(), now: m.now, zone: m.zone }
  const time = dated ? `${day(at, m.now, words.locale, m.zone)}, ${clock(at, words.locale, m.zone)}` : clock(at, words.locale, m.zone)
  return el('div.item', null, el('div', null,
    el('p.title', null, iso(described(c, words))),
    el('p.second', null, t('home.row', { outcome: t(`outcome.${c.outcome || 'open'}`), time, name: c.agent_name }))))
}

/** @param {import('../api.js').PastCall} c @param {import('../fields.js').Words} words */
function described(c, words) {
  try {
    return line(c.action, c.fields ?? {}, words)
  } catch {
    return c.action || c.tool // a refused call may have fields of any shape
  }
}

/** A moment as the API writes it, in ms or RFC 3339. @param {number | string | undefined} at */
function moment(at) {
  return typeof at === 'string' ? Date.parse(at) : (at ?? 0)
}

/** @param {string} dot @param {string} title @param {string | HTMLElement} text @param {HTMLElement | null} act @param {string} [kind] */
function item(dot, title, text, act, kind) {
  return el(kind ? `div.item.${kind}` : 'div.item', null, el(dot ? `span.dot.${dot}` : 'span.dot', { 'aria-hidden': 'true' }),
    el('div', null, el('p.title', null, title), el('p.second', null, text)), act)
}

/** @param {string} id @param {string} key @param {() => void} click */
const button = (id, key, click) => el('button.plain.small', { type: 'button', id, click }, t(key))
