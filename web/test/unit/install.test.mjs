// Which browser, which step, which code: what the pages of pairing rest on.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'

import { browserOf, insideAnApp, stepOf } from '../../app/install.js'
import { dropCode, GOOD_MS, readPasted, takeCode } from '../../app/paircode.js'
import { next } from '../../app/pairflow.js'

const ANDROID = 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko)'
const IOS = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'

/** @type {[string, string][]} */
const BROWSERS = [
  ['chrome', `${ANDROID} Chrome/140.0.0.0 Mobile Safari/537.36`],
  ['samsung', `${ANDROID} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`],
  ['edge', `${ANDROID} Chrome/140.0.0.0 Mobile Safari/537.36 EdgA/140.0.0.0`],
  ['other', `${ANDROID} Chrome/138.0.0.0 Mobile Safari/537.36 OPR/90.0.0.0`],
  ['firefox', 'Mozilla/5.0 (Android 15; Mobile; rv:142.0) Gecko/142.0 Firefox/142.0'],
  ['other', `${ANDROID} Version/4.0 Chrome/140.0.0.0 Mobile DuckDuckGo/5 Safari/537.36`],
  ['safari', `${IOS} Version/18.5 Mobile/15E148 Safari/604.1`],
  ['chrome', `${IOS} CriOS/140.0.0.0 Mobile/15E148 Safari/604.1`],
  ['firefox', `${IOS} FxiOS/142.0 Mobile/15E148 Safari/604.1`],
  ['other', 'something nobody knows'],
]

test('a browser is taken at its word, and at its own before another’s', () => {
  for (const [browser, agent] of BROWSERS) assert.equal(browserOf(agent), browser, agent)
})

test('a window inside another app', () => {
  for (const [, agent] of BROWSERS) assert.equal(insideAnApp(agent), false, agent)
  assert.ok(insideAnApp('Mozilla/5.0 (Linux; Android 15; Pixel 9; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/140.0.0.0 Mobile Safari/537.36'))
  assert.ok(insideAnApp(`${IOS} Mobile/15E148 Instagram 300.0`))
})

test('each kind of device has its own order', () => {
  const order = (os) => ['pair', 'install', 'wake'].map((s) => stepOf(os, s).at)
  assert.deepEqual(order('android'), [1, 2, 3])
  assert.deepEqual(order('ios'), [2, 1, 3])
  assert.deepEqual([stepOf('desktop', 'pair'), stepOf('desktop', 'wake')], [{ at: 1, of: 2 }, { at: 2, of: 2 }])
})

const CODE = 'K7gNU3sdo-OL0wNhqoVWhg'
const HERE = 'https://nod.example.org'

test('what was pasted: a code, a link, a link of another nod, or neither', () => {
  assert.deepEqual(readPasted(` ${CODE}\n`, HERE), { code: CODE })
  assert.deepEqual(readPasted(`${HERE}/pair#${CODE}`, HERE), { code: CODE })
  assert.deepEqual(readPasted(`https://other.example:8443/pair#${CODE}`, HERE), { wrong: 'other', server: 'other.example:8443' })
  for (const bad of ['', 'hello', `${CODE}x`, CODE.slice(1), `${HERE}/pair`, `${HERE}/pair#`]) assert.deepEqual(readPasted(bad, HERE), { wrong: 'code' }, bad)
})

/** The tab's memory and its address, as a browser has them. */
function tab() {
  const memory = new Map()
  Object.assign(globalThis, {
    sessionStorage: { getItem: (k) => memory.get(k) ?? null, setItem: (k, v) => memory.set(k, v), removeItem: (k) => memory.delete(k) },
    location: { hash: '', pathname: '/pair' }, history: { state: null, replaceState: (_state, _title, path) => { Object.assign(location, { hash: '', pathname: path }) } },
  })
  return memory
}

/** @type {Map<string, string>} */ let memory
beforeEach(() => { memory = tab() })
afterEach(() => ['sessionStorage', 'location', 'history'].forEach((name) => Reflect.deleteProperty(globalThis, name)))

test('the code leaves the address at once, outlives a reload, and not a quarter of an hour', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
  Object.assign(location, { hash: `#${CODE}` })
  assert.equal(takeCode(), CODE)
  assert.equal(location.hash, '')
  assert.equal(takeCode(), CODE, 'after a reload')
  t.mock.timers.tick(GOOD_MS - 1)
  assert.equal(takeCode(), CODE)
  t.mock.timers.tick(1)
  assert.equal(takeCode(), null)
  assert.equal(memory.size, 0)
})

test('a clock that went back keeps no code', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_000_000 })
  Object.assign(location, { hash: `#${CODE}` })
  takeCode()
  t.mock.timers.setTime(999_999)
  assert.equal(takeCode(), null)
})

test('a code that was used is gone, and what is no code never stays', () => {
  Object.assign(location, { hash: `#${CODE}` })
  takeCode()
  dropCode()
  assert.equal(takeCode(), null)
  Object.assign(location, { hash: '#about' })
  assert.equal(takeCode(), null)
  assert.equal(location.hash, '')
})

test('another name for a phone, never longer than a name may be', () => {
  assert.deepEqual(['Pixel', 'Pixel 2', 'Pixel 9 Pro', 'Pixel 99'].map(next), ['Pixel 2', 'Pixel 3', 'Pixel 9 Pro 2', 'Pixel 100'])
  const long = next('😀'.repeat(60))
  assert.equal([...long].length, 60)
  assert.ok(long.endsWith('😀 2'))
})
