// Home in every state.

import { homePage } from '../app/pages/home.js'
import { defaults } from '../app/settings.js'
import { t } from '../app/text.js'
import { HOUR, nothing, past, platform, tool } from './past.js'
import { NOW } from './samples.js'

/** @typedef {import('../app/pages/home.js').Model} Model */
/** @typedef {import('../app/state.js').Known} Known */

const ACTS = { tryNow: nothing, pause: nothing, resume: nothing, showCannot: nothing, install: nothing, turnOn: nothing, test: nothing }

/** @type {import('../app/api.js').Home} */
const day = {
  person: 'Ana', phone: { id: 'phone_a', name: 'Pixel 9', host: 'web' }, paused: false,
  agents: [
    { id: 'agent_a', name: 'Laptop · Claude Code', paused: false, last_used: new Date(NOW - HOUR / 4).toISOString() },
    { id: 'agent_b', name: 'Home server', paused: true },
  ],
  calls: [
    tool('done', 'phone_now', {}, 0.1, { rule: 'never', basis: 'spec', kind: 'read', released_at: NOW - 1, decided_by: 'Pixel 9' }),
    past('opened', 'navigate', { destination: { query: 'SFO Airport' } }, 0.2), tool('done', 'calendar_list', {}, 0.5, { rule: 'default', kind: 'read', released_at: NOW - 1 }), past('declined', 'open_url', { url: 'https://www.example.com/orders' }, 1),
    past('unknown', 'sms_draft', { to: ['+351 910 000 001'], text: 'Late' }, 2), past('expired', 'dial', { number: '+1 (800) 555-0100' }, 5),
    past('denied', 'alarm', { time: '07:30' }, 26), past('refused', 'navigate', {}, 40),
  ],
}

/** @type {import('../app/probe.js').Probed} */
const PROBED = { torch: 'needs_permission', notifications: 'ready', location: 'needs_permission', clipboardRead: 'needs_permission', clipboardWrite: 'ready', contacts: 'ready' }

/** @type {Known} */
const known = {
  home: day, waiting: [], paused: false, problem: null, said: null, install: null, accepting: false, settings: defaults('android'), probed: PROBED, moved: null,
  push: { state: 'on', reason: 'push.why.on' },
}

/** @type {Model} */
const home = { link: 'open', server: 'home.example.ts.net', seenMs: 4_000, retryMs: 0, me: 'Pixel 9', platform: platform('android', true), known, showCannot: false, now: NOW }

/** @param {Partial<Model>} change @param {Partial<Known>} [more] */
const page = (change, more) => () => homePage({ ...home, ...change, known: { ...known, ...more } }, ACTS)

const JOINING = { id: 'p1', phone: 'phone_b', name: 'Ana’s tablet', host: 'web', key: '', digits: '048213' }
const ios = platform('ios', true)

/** @type {Record<string, () => import('../app/router.js').Nodes>} */
export const HOME = {
  home: page({}),
  'home, what a browser cannot do': page({ showCannot: true }),
  'home, first day': page({ platform: platform('android', false) }, { home: { ...day, agents: [], calls: [] }, install: {}, push: { state: 'ask', reason: 'push.why.ask' } }),
  'home, nothing today': page({}, { home: { ...day, calls: [past('opened', 'dial', { number: '+1 (800) 555-0100' }, 30)] } }),
  'home, not connected': page({ link: 'waiting', retryMs: 8_000 }),
  'home, offline from the start': page({ link: 'waiting', retryMs: 8_000 }, { home: null, push: null }),
  'home, connecting': page({ link: 'connecting' }, { home: null, push: null }),
  'home, paused': page({}, { paused: true }),
  'home, a phone waits, and an error': page({}, { waiting: [JOINING], problem: t('home.failed', { reason: 'the data folder cannot be written' }) }),
  'home, said': page({}, { said: t('phones.allowed', { name: 'Ana’s tablet' }) }),
  'home, set back': page({ link: 'set_back' }),
  'home, notifications blocked': page({}, { push: { state: 'denied', reason: 'push.why.denied_android' } }),
  'home, notifications broken': page({}, { push: { state: 'broken', reason: 'push.why.refused', values: { reason: '403 BadJwtToken' } } }),
  'home, notifications off at the computer': () => page({}, { push: { state: 'off', reason: 'push.why.disabled', values: { reason: t('push.off.none') } } })(),
  'home, in the browser': page({ platform: platform('android', false) }),
  'home, iPhone': page({ platform: ios }, { settings: defaults('ios') }),
  'home, iPhone in the browser': page({ platform: platform('ios', false) }, { settings: { ...defaults('ios'), shortcuts: { alarm: NOW } }, push: { state: 'unsupported', reason: 'push.why.ios_home' } }),
  'home, computer': page({ platform: platform('desktop', false) }, { install: {} }),
}
