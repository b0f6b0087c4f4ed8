// What leaves the page, and the signs it watches for: another app came in front,
// or the page itself was left.
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'

import { failedLaunch, launch, mayLaunchAtOnce, watchSight } from '../../app/launch.js'

/** @type {string[]} */ let did
/** @type {EventTarget} */ let page
/** @type {AbortController} */ let over

beforeEach(() => {
  did = []
  page = new EventTarget()
  over = new AbortController()
  globalThis.addEventListener = page.addEventListener.bind(page)
  globalThis.document = Object.assign(new EventTarget(), { visibilityState: 'visible' })
  globalThis.location = { origin: 'https://nod.example', set href(url) { did.push(`address ${url}`) }, reload: () => did.push('reload') }
  globalThis.window = { open: (...args) => did.push(`window ${args.join(' ')}`) }
})

const APP = { app: 'app.other' }
const INTENT = { do: 'open', intent: { data: '//maps.example/x', scheme: 'https', package: 'com.example' }, ...APP }
const SHORTCUT = { do: 'shortcut', name: 'Nod Alarm', input: { time: '07:30' }, ...APP }
const RUN = 'shortcuts://x-callback-url/run-shortcut?name=Nod%20Alarm&input=text&text=%7B%22time%22%3A%2207%3A30%22%7D'
const FILE = { do: 'file', name: 'event.ics', type: 'text/calendar', text: 'x', ...APP }
const CB = 'https%3A%2F%2Fnod.example%2Fcb%2FC'

for (const [name, plan, made, os, want] of [
  ['a page', { do: 'open', url: 'https://example.com/', how: 'window', ...APP }, {}, 'android', 'window https://example.com/ _blank noopener'],
  ['another app’s address', { do: 'open', url: 'tel:123', how: 'address', ...APP }, {}, 'ios', 'address tel:123'],
  ['an intent, with the page that tells of its failure', INTENT, { token: 'T' }, 'android',
    'address intent://maps.example/x#Intent;scheme=https;package=com.example;S.browser_fallback_url=https%3A%2F%2Fnod.example%2Flaunch-failed%2FT;end'],
  ['a Shortcut that calls back', SHORTCUT, { callback: 'C' }, 'ios', `address ${RUN}&x-success=${CB}%2Fok&x-cancel=${CB}%2Fcancel&x-error=${CB}%2Ferror`],
  ['a Shortcut that the person runs again, of which nobody hears', SHORTCUT, {}, 'ios', `address ${RUN}`],
  ['a file on Android', FILE, { path: '/file/T/event.ics' }, 'android', 'address /file/T/event.ics'],
  ['a file on an iPhone', FILE, { path: '/file/T/event.ics' }, 'ios', 'window /file/T/event.ics _blank noopener'],
]) {
  test(name, () => {
    launch(plan, made, os)
    assert.deepEqual(did, [want])
  })
}

test('the address of a failed launch', () => {
  assert.deepEqual(['/launch-failed/T', '/launch-failed/', '/', '/log', '/card/launch-failed/T'].map(failedLaunch), ['T', '', null, null, null])
})

test('nothing is launched from a page that nobody sees: there would be no sign of it, and a false one later', () => {
  Object.defineProperty(globalThis, 'navigator', { configurable: true, value: { userActivation: { isActive: true } } })
  document.visibilityState = 'hidden'
  assert.equal(mayLaunchAtOnce('android'), false)
  document.visibilityState = 'visible'
  assert.equal(mayLaunchAtOnce('android'), true)
})

test('an iPhone never launches by the first tap; others while it counts', () => {
  document.visibilityState = 'visible'
  for (const [os, isActive, want] of [['ios', true, false], ['android', true, true], ['desktop', true, true], ['android', false, false]]) {
    Object.defineProperty(globalThis, 'navigator', { configurable: true, value: { userActivation: { isActive } } })
    assert.equal(mayLaunchAtOnce(os), want)
  }
  Object.defineProperty(globalThis, 'navigator', { configurable: true, value: {} })
  assert.equal(mayLaunchAtOnce('android'), false, 'a browser that does not say')
})

/** @param {string} state */
function turn(state) {
  document.visibilityState = state
  document.dispatchEvent(new Event('visibilitychange'))
}

test('out of sight and back again are signs; a page that is left gives none', () => {
  watchSight(({ type }) => did.push(type), over.signal)
  turn('hidden')
  turn('visible')
  assert.deepEqual(did, ['hidden', 'visible'])
  page.dispatchEvent(new Event('pagehide'))
  turn('hidden')
  assert.deepEqual(did, ['hidden', 'visible'])
  page.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: false }))
  turn('visible')
  assert.deepEqual(did, ['hidden', 'visible', 'visible'])
  over.abort()
  turn('hidden')
  assert.equal(did.length, 3)
})

test('a page that the browser had put aside is loaded anew: it does not know what happened since', () => {
  watchSight(() => {}, over.signal)
  page.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }))
  assert.deepEqual(did, ['reload'])
})
