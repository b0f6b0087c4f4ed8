// Settings and Shortcuts in every state.

import { settingsPage } from '../app/pages/settings.js'
import { shortcutsPage } from '../app/pages/shortcuts.js'
import { UNPROBED } from '../app/probe.js'
import { defaults } from '../app/settings.js'
import { t } from '../app/text.js'
import { nothing, platform } from './past.js'
import { NOW } from './samples.js'

/** @typedef {import('../app/pages/settings.js').Model} Model */
/** @typedef {import('../app/pages/shortcuts.js').Stage} Stage */
/** @typedef {import('../app/state.js').Known} Known */

const ACTS = { choose: nothing, wait: nothing, again: nothing, turnOn: nothing, test: nothing, erase: nothing }
/** @type {Known} */
const known = {
  home: null, waiting: null, paused: false, problem: null, said: null, install: null, accepting: false, probed: UNPROBED,
  moved: null, settings: defaults('android'), push: { state: 'on', reason: 'push.why.on' },
}
/** @type {Model} */
const model = {
  known, wait: { state: 'ready', value: 120, reason: '' }, asked: null, online: true, platform: platform('android', true), name: 'Pixel 9', person: 'Ana', server: 'home.example.ts.net', erasing: false, test: null,
}
/** @param {Partial<Model>} change @param {Partial<Known>} [more] */
const page = (change, more) => () => settingsPage({ ...model, ...change, known: { ...known, ...more } }, ACTS)
const ios = { platform: platform('ios', true) }

const trial = (/** @type {string} */ action, /** @type {Stage} */ stage, name = 'Nod Alarm') => ({ action, stage, name, ...(stage === 'failed' && { reason: 'too many shortcuts run at this moment' }) })
const shortcuts = { os: 'ios', online: true, done: {}, trial: null, now: NOW, known: { problem: null, said: null } }
const SHORTCUT_ACTS = { unfold: nothing, name: nothing, run: nothing, remove: nothing }
/** @param {Partial<import('../app/pages/shortcuts.js').Model>} change */
const guide = (change) => () => shortcutsPage({ ...shortcuts, ...change }, SHORTCUT_ACTS)

/** @type {Record<string, () => import('../app/router.js').Nodes>} */
export const SETTINGS = {
  settings: page({}),
  'settings, iPhone': page(ios, { settings: { ...defaults('ios'), theme: 'dark', language: 'en' } }),
  'settings, computer': page({ platform: platform('desktop', false) }),
  'settings, offline': page({ online: false, wait: { state: 'none', value: null, reason: '' } }, { push: null }),
  'settings, wait not known yet': page({ wait: { state: 'slow', value: null, reason: '' } }),
  'settings, wait could not be loaded': page({ wait: { state: 'failed', value: null, reason: 'There was no answer.' } }),
  'settings, another wait': page({ wait: { state: 'ready', value: 420, reason: '' } }),
  'settings, wait being kept': page({ asked: 600, wait: { state: 'slow', value: 120, reason: '' } }),
  'settings, a problem': page({}, { problem: t('home.failed', { reason: 'the disk is full' }) }),
  'settings, notifications off': page({}, { push: { state: 'ask', reason: 'push.why.ask' } }),
  'settings, notifications off at the computer': () => page({}, { push: { state: 'off', reason: 'push.why.disabled', values: { reason: t('push.off.address') } } })(),
  'settings, notifications blocked': page({}, { push: { state: 'denied', reason: 'push.why.denied_android' } }),
  'settings, push test runs': page({ test: { step: { accepted_ms: 210 }, over: false } }),
  'settings, push test arrived': page({ test: { step: { accepted_ms: 210, received_ms: 1100, shown_ms: 1180 }, over: true } }),
  'settings, push test lost': page({ test: { step: { accepted_ms: 210 }, over: true } }),
  'settings, unpair': page({ erasing: true }),
  shortcuts: guide({ done: { alarm: NOW - 3 * 86_400_000 } }),
  'shortcuts, an alarm': guide({ trial: trial('alarm', 'ready') }),
  'shortcuts, a timer that runs': guide({ trial: trial('timer', 'running', 'Nod Timer') }),
  'shortcuts, the torch worked': guide({ done: { torch: NOW }, trial: trial('torch', 'ok', 'Nod Torch') }),
  'shortcuts, media stopped': guide({ trial: trial('media', 'cancel', 'Nod Media') }),
  'shortcuts, an error': guide({ trial: trial('alarm', 'error') }),
  'shortcuts, nothing came back': guide({ trial: trial('alarm', 'silent') }),
  'shortcuts, a test that could not start': guide({ trial: trial('alarm', 'failed') }),
  'shortcuts, your own': guide({ trial: trial('automation_intent', 'ready', '') }),
  'shortcuts, offline': guide({ online: false, trial: trial('alarm', 'none') }),
  'shortcuts, not an iPhone': guide({ os: 'android' }),
}
