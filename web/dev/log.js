// The log, and one request of it with its receipt, in every state.

import { callPage } from '../app/pages/call.js'
import { logPage } from '../app/pages/log.js'
import { nothing, past, tool } from './past.js'
import { NOW, ZONE } from './samples.js'

/** @typedef {import('../app/pages/log.js').Shelf} Shelf */
/** @typedef {import('../app/pages/call.js').Model} CallModel */
/** @typedef {import('../app/pages/call.js').Found} Found */

const MINE = { decided_by: 'Pixel 9', rule: 'always' }
/** @type {Shelf} */
const shelf = {
  apps: ['maps', 'messages', 'browser', 'dialer', 'clock'], more: true,
  calls: [
    past('', 'open_url', { url: 'https://www.example.com/orders' }, 0.01, { rule: 'always' }),
    past('opened', 'navigate', { destination: { query: 'SFO Airport' } }, 0.2, MINE), past('declined', 'open_url', { url: 'https://www.example.com/orders/2026/11' }, 1, MINE),
    past('unknown', 'sms_draft', { to: ['+351 910 000 001'], text: 'Late' }, 2, MINE),
    past('failed', 'email_draft', { to: ['ann+work@example.com'] }, 3, { ...MINE, decided_by: 'Ana’s tablet' }), past('expired', 'dial', { number: '+1 (800) 555-0100' }, 5, { rule: 'always' }),
    past('denied', 'alarm', { time: '07:30' }, 26, { rule: 'access_off' }), past('withdrawn', 'navigate', { destination: { name: 'Ferry Building' } }, 29, { rule: 'always', agent_name: 'Home server' }),
    tool('done', 'contacts_search', { query: 'Ana' }, 27, { ...MINE, rule: 'default', kind: 'read', released_at: NOW - 1 }), tool('done', 'phone_now', {}, 28, { rule: 'never', basis: 'spec', kind: 'read', released_at: NOW - 1, decided_by: 'Pixel 9' }),
    tool('failed', 'photo_pick', { max: 3 }, 28.5, { rule: 'never', basis: 'spec', kind: 'read', why: 'not_picked', decided_by: 'Pixel 9' }),
    past('refused', 'navigate', {}, 51), past('opened', 'search_nearby', { query: 'coffee' }, 76, { rule: 'grant' }),
  ],
}
const model = { app: '', online: true, now: NOW, zone: ZONE, me: 'Pixel 9', known: { problem: null, said: null } }
const acts = { choose: nothing, earlier: nothing, again: nothing, test: nothing }
/** @type {import('../app/pages/log.js').Loaded} */
const ready = { state: 'ready', value: shelf, reason: '' }
const NO_ANSWER = 'There was no answer.'

const at = (/** @type {number} */ s) => NOW - 720_000 + s * 1000
const OFFER = {
  call: 'call_0.2', agent: 'agent_a', agent_name: 'Laptop · Claude Code', phone: 'phone_a', tool: 'phone_action', action: 'navigate', badges: [], risk: 'medium', rule: 'always',
  fields: { destination: { query: 'SFO Airport' }, stops: [{ query: 'Ferry Building' }, { query: 'Dolores Park' }], mode: 'drive' }, summary: 'Route to the airport with your two errands on the way.',
}
const STEPS = [['offered', 0.1], ['delivered', 0.4], ['shown', 0.6], ['decided', 9], ['go', 9.1], ['ended', 10]]

/** @type {Found} */
const found = {
  call: past('opened', 'navigate', OFFER.fields, 0.2, { ...MINE, phone_name: 'Pixel 9', ended_at: at(10), text: 'The phone opened the map app with this route. Whether the person started it is not known here.' }),
  receipt: { entries: STEPS.map(([kind], i) => ({ seq: 405 + i, leaf: String(kind), proof: [] })), head: { kind: 'head', body: '', sig: '' }, offer: 'x' },
  checked: {
    flaw: null, offer: OFFER, answer: { phone: 'phone_a', choice: 'confirm' }, status: 'opened', app: 'Google Maps', head: { size: 412, at: at(12), root: '5cypnbzQkBjFW15XlThxP7J38klysV7d9IriBgreHiQ' },
    steps: STEPS.map(([kind, s], i) => ({ seq: 405 + i, at: at(Number(s)), kind: `call.${kind}`, facts: {} })),
  },
}
/** @type {CallModel} */
const one = { load: { state: 'ready', value: found, reason: '' }, online: true, now: NOW, zone: ZONE, me: 'Pixel 9', phone: 'phone_a', phoneName: () => 'Ana’s tablet', canOpen: true, known: { problem: null, said: null } }
const callActs = { again: nothing, open: nothing, save: nothing, pauseAll: nothing }

/** @param {Partial<Found['call']>} call @param {Partial<Found['checked']>} checked @param {Partial<Found>} [more] */
const request = (call, checked, more) => () => callPage({ ...one, load: { ...one.load, value: { ...found, call: { ...found.call, ...call }, checked: { ...found.checked, ...checked }, ...more } } }, callActs)

const upTo = (/** @type {number} */ n) => ({ steps: found.checked.steps.slice(0, n), answer: null, status: null, app: null })

/** @type {Record<string, () => import('../app/router.js').Nodes>} */
export const LOG = {
  log: () => logPage({ ...model, load: ready }, acts),
  'log, one app': () => logPage({ ...model, app: 'maps', load: { ...ready, value: { ...shelf, calls: shelf.calls.filter((c) => c.action === 'navigate'), more: false } } }, acts),
  'log, empty': () => logPage({ ...model, load: { ...ready, value: { calls: [], apps: [], more: false } } }, acts),
  'log, loading': () => logPage({ ...model, load: { state: 'slow', value: null, reason: '' } }, acts),
  'log, not connected': () => logPage({ ...model, online: false, load: ready }, acts),
  'log, offline from the start': () => logPage({ ...model, online: false, load: { state: 'none', value: null, reason: '' } }, acts),
  'log, could not be loaded': () => logPage({ ...model, load: { state: 'failed', value: null, reason: NO_ANSWER } }, acts),
  'log, earlier could not be loaded': () => logPage({ ...model, load: { state: 'failed', value: shelf, reason: NO_ANSWER } }, acts),
  request: () => callPage(one, callActs),
  'request, declined with words': request({ outcome: 'declined', text: 'The person said no. Nothing was done; do not try it again unless they ask. In their own words: Not while I drive' }, { ...upTo(4), answer: { phone: 'phone_a', choice: 'decline' } }),
  'request, unknown': request({ outcome: 'unknown', text: 'It may have happened. Do not repeat it without asking the person.' }, { status: null, app: null }),
  'request, unknown, heard later': request({ outcome: 'unknown', text: 'It may have happened. Do not repeat it without asking the person.' }, { steps: [...found.checked.steps, { seq: 411, at: at(95), kind: 'call.supplemented', facts: {} }] }),
  'request, failed': request({ outcome: 'failed', started: true, text: 'The person says that the app did not open.' }, { status: 'failed' }),
  'request, expired': request({ outcome: 'expired', decided_by: '', text: 'The card was on the phone and nobody answered in time. Nothing was done.' }, upTo(3)),
  'request, answered on another phone': request({ decided_by: 'Ana’s tablet' }, { answer: { phone: 'phone_b', choice: 'confirm' } }),
  'request, not allowed': request({ outcome: 'denied', rule: 'access_off', decided_by: '', text: 'The person has switched the map app off for this agent, so they were not asked. Nothing was done.' }, { ...upTo(1), offer: null }, { receipt: { ...found.receipt, offer: undefined } }),
  'request, a read that was given': () => callPage({ ...one, load: { ...one.load, value: { ...found, call: tool('done', 'calendar_list', {}, 0.2, { ...MINE, rule: 'default', kind: 'read', app: 'calendar', released_at: at(11), phone_name: 'Pixel 9', text: 'The phone read it and answered.' }), checked: { ...found.checked, app: null, status: 'done', offer: { ...OFFER, tool: 'calendar_list', action: 'calendar_list', fields: { from: '2026-12-03', to: '2026-12-04' }, summary: '' }, steps: [...found.checked.steps, { seq: 411, at: at(11), kind: 'call.released', facts: {} }] } } } }, callActs),
  'request, by nod’s own rule': () => callPage({ ...one, load: { ...one.load, value: { ...found, call: tool('done', 'phone_now', {}, 0.1, { rule: 'never', basis: 'spec', kind: 'read', app: 'clock', released_at: at(1), decided_by: 'Pixel 9', phone_name: 'Pixel 9', text: 'The phone read it and answered.' }), checked: { ...found.checked, app: null, status: 'done', answer: { phone: 'phone_a', choice: 'standing', basis: 'spec' }, offer: { ...OFFER, tool: 'phone_now', action: 'phone_now', fields: {}, summary: '' }, steps: found.checked.steps.filter((s) => s.kind !== 'call.shown') } } } }, callActs),
  'request, reading not allowed': request({ outcome: 'denied', rule: 'access_off', agent: 'agent_a', tool: 'calendar_list', action: 'calendar_list', fields: {}, app: 'calendar', kind: 'read', decided_by: '', text: 'The person has switched the calendar app off for this agent, so they were not asked. Nothing was done.' }, { ...upTo(1), offer: null }, { receipt: { ...found.receipt, offer: undefined } }),
  'request, after private data': request({}, { offer: { ...OFFER, tool: 'phone_action', action: 'sms_draft', fields: { to: ['+351 910 000 009'], text: 'The code is 4711.' }, badges: ['taint'], taint: ['calendar', 'contacts'] } }),
  'request, with a warning': request({}, { offer: { ...OFFER, badges: ['repeat'], repeat: { seconds_ago: 130, outcome: 'opened' } } }),
  'request, erased': request({}, { ...upTo(0), offer: null }, { receipt: { ...found.receipt, entries: [], offer: undefined } }),
  'request, a receipt that does not hold': request({}, { flaw: 'decision' }),
  'request, a log that is not nod’s': request({}, { flaw: 'head', steps: [], offer: null, head: null, app: null }),
  'request, loading': () => callPage({ ...one, load: { state: 'slow', value: null, reason: '' } }, callActs),
  'request, offline': () => callPage({ ...one, online: false, load: { state: 'none', value: null, reason: '' } }, callActs),
  'request, could not be loaded': () => callPage({ ...one, load: { state: 'failed', value: null, reason: NO_ANSWER } }, callActs),
}
