// The agents, what each may ask for, and what needed no card, in every state.

import { accessPage } from '../app/pages/access.js'
import { agentsPage } from '../app/pages/agents.js'
import { cover, quietBox } from '../app/quiet.js'
import { t } from '../app/text.js'
import { HOUR, nothing } from './past.js'
import { CARDS, NOW } from './samples.js'

/** @typedef {import('../app/api.js').AgentAccess} Agent */
/** @typedef {import('../app/pages/access.js').Model} Model */

/** @type {Agent} */
const claude = {
  id: 'agent_a', name: 'Laptop · Claude Code', mode: 'ask_before_action', paused: false, only: false, phone: '', tainted: [],
  switches: { 'calendar:read': 'ask', 'mail:act': 'off' }, last_used_at: new Date(NOW - HOUR / 4).toISOString(),
}
/** @type {Agent} */
const server = { ...claude, id: 'agent_b', name: 'Home server', mode: 'strict', paused: true, only: true, switches: { 'notifications:act': 'ask' }, last_used_at: undefined }
/** @type {Agent} */
const given = { ...claude, id: 'agent_c', name: 'Phone · Gemini', mode: 'trusted_actions', tainted: ['calendar', 'contacts'], switches: { 'calendar:read': 'ask', 'contacts:read': 'ask' }, last_used_at: new Date(NOW - 26 * HOUR).toISOString() }

const known = { problem: null, said: null }
const all = [claude, given, server]
/** @type {Model} */
const model = { load: { state: 'ready', value: all, reason: '' }, id: 'agent_a', wanted: '', saving: {}, unsaved: false, online: true, now: NOW, known }
const none = /** @type {const} */ ({ state: 'none', value: null, reason: '' })
const acts = { again: nothing, turn: nothing, pause: nothing, resume: nothing }
/** @param {Partial<Model>} change */
const access = (change) => () => accessPage({ ...model, ...change }, acts)
/** @param {Partial<Model>} change */
const agents = (change) => () => agentsPage({ ...model, ...change }, acts)

/** A page with what needed no card over its bar. @param {import('../app/quiet.js').Shown | null} shown @param {string} [line] */
const quiet = (shown, line = '') => () => {
  const place = document.getElementById('quiet')
  place?.replaceChildren(.../** @type {Node[]} */ (quietBox(shown, line, { press: nothing, leave: nothing }).filter((n) => n)))
  cover(shown !== null)
  return agentsPage(model, acts)
}
/** @param {string} card @param {'button' | 'acting'} phase */
const wants = (card, phase = 'button') => ({
  model: /** @type {import('../app/card.js').Model} */ ({ ...CARDS[card], way: 'tap' }),
  status: /** @type {import('../app/card.js').Status} */ ({ phase, deadline: 0, until: performance.now() + 232_000, others: 0, online: true }),
})

/** @type {Record<string, () => import('../app/router.js').Nodes>} */
export const AGENTS = {
  agents: agents({}),
  'agents, none': agents({ load: { state: 'ready', value: [], reason: '' } }),
  'agents, loading': agents({ load: { ...none, state: 'slow' } }),
  'agents, offline from the start': agents({ online: false, load: none }),
  'agents, could not be loaded': agents({ load: { state: 'failed', value: null, reason: 'There was no answer.' } }),
  access: access({}),
  'access, given private data': access({ id: 'agent_c' }),
  'access, paused, with a list': access({ id: 'agent_b' }),
  'access, one is being saved': access({ saving: { 'location:read': true, 'calendar:act': false } }),
  'access, not saved': access({ unsaved: true }),
  'access, from a request': access({ wanted: 'contacts:read' }),
  'access, offline': access({ online: false }),
  'access, offline from the start': access({ online: false, load: none }),
  'access, could not be loaded': access({ load: { state: 'failed', value: null, reason: 'There was no answer.' } }),
  'access, could not be loaded again': access({ load: { state: 'failed', value: all, reason: 'There was no answer.' } }),
  'access, agent gone': access({ id: 'agent_x' }),
  'quiet, a line': quiet(null, t('quiet.line', { what: t('quiet.did.phone_now', { agent: 'Laptop · Claude Code' }), reason: t('log.leave.never') })),
  'quiet, photos wanted': quiet(wants('photo_pick')),
  'quiet, photos being chosen': quiet(wants('photo_pick', 'acting')),
  'quiet, a contact wanted': quiet(wants('contacts_search')),
  'quiet, a notification wants a tap': quiet(wants('notify')),
}
