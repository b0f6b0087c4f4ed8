// The agents, each with what a person wants to know first: when it asked last,
// whether it is paused, and what it was given. Its own page says what it may do.

import { avatar, dataOf, iso } from '../card-body.js'
import { el, mark } from '../dom.js'
import { Load } from '../load.js'
import { moment } from '../past.js'
import { localeInUse, t } from '../text.js'
import { ago } from '../words.js'
import { failedBox, notices, offlineBox, skeleton } from './state.js'

/**
 * @typedef {import('../api.js').AgentAccess} Agent
 * @typedef {Pick<Load<Agent[]>, 'state' | 'value' | 'reason'>} Loaded
 * @typedef {{ load: Loaded, online: boolean, now: number, known: { problem: string | null, said: string | null } }} Model
 */

/** @param {import('../app.js').Phone} phone @returns {import('../router.js').View} */
export function open(phone) {
  const { link } = phone
  const { load, look, again } = agentsOf(phone)
  return {
    title: t('access.agents'), look,
    draw: () => agentsPage({ load, online: link.state === 'open', now: Date.now(), known: phone.state.get() }, { again }),
  }
}

/** The agents, fetched anew whenever Home hears of something. @param {import('../app.js').Phone} phone */
export function agentsOf(phone) {
  const load = /** @type {Load<Agent[]>} */ (new Load(() => phone.router.paint()))
  const again = () => load.run(async () => (await phone.ask('GET', '/phone/agents')).agents)
  /** @type {unknown} */ let seen
  const look = () => {
    const { home } = phone.state.get()
    if (phone.link.state !== 'open' || (home === seen && load.state !== 'none')) return
    seen = home
    again()
  }
  return { load, again, look }
}

/** @param {Model} m @param {{ again: () => void }} acts */
export function agentsPage(m, acts) {
  return [
    el('a.back', { href: '/' }, mark('before'), t('nav.home')),
    el('div.heading', null, el('h1', { tabindex: '-1' }, t('access.agents')), el('p.second', null, t('access.agents_why'))),
    ...notices(m.known),
    ...waiting(m, acts, t('access.offline')),
    m.load.value && el('section.box', null, m.load.value.length === 0
      ? el('p.empty', null, t('home.agents_empty'))
      : el('ul', null, m.load.value.map((a) => row(a, m.now)))),
  ]
}

/** What stands where nothing was fetched yet, or could not be. @param {Pick<Model, 'load' | 'online'>} m @param {{ again: () => void }} acts @param {string} offline */
export function waiting({ load, online }, acts, offline) {
  if (load.state === 'failed') return [failedBox(load.reason, acts.again)]
  if (load.value) return []
  return [online ? load.state === 'slow' && skeleton() : offlineBox(offline)]
}

/** @param {Agent} a @param {number} now */
const row = (a, now) => el('li', null, el('a.item', { href: `/agents/${a.id}` }, avatar(a.name),
  el('div', null, el('p.title', null, iso(a.name)), el('p.second', null, lastAsked(a, now)), a.tainted.length > 0 && el('p.second', null, t('access.has_read', { what: dataOf(a.tainted, localeInUse()) })),
    a.paused && el('p.below', null, el('span.pill.warn', null, t('home.paused_pill')))), mark('after')))

/** @param {Pick<Agent, 'last_used_at'>} a @param {number} now */
export function lastAsked({ last_used_at: at }, now) {
  const used = moment(at)
  return used ? t('home.agent_used', { ago: ago(Math.max(0, now - used), localeInUse()) }) : t('home.agent_unused')
}
