// How a phone comes to be woken: the browser, the person and the gateway agree,
// or what does not is said in words that can be acted on.
import assert from 'node:assert/strict'
import { afterEach, mock, test } from 'node:test'

import { ApiError } from '../../app/api.js'
import { PERSON_TEXTS } from '../../app/contract.js'
import { readPush, testPush, turnOn } from '../../app/push.js'
import { encode64 } from '../../app/wire.js'

const KEY = new Uint8Array(65).fill(4)
const OTHER = new Uint8Array(65).fill(5)

afterEach(() => mock.timers.reset())

/** @param {Uint8Array} key @param {object} [more] */
const subscription = (key, more) => ({
  endpoint: 'https://fcm.googleapis.com/fcm/send/a', options: { applicationServerKey: key.buffer }, unsubscribed: false,
  getKey: (name) => new Uint8Array(name === 'auth' ? 16 : 65).fill(7).buffer, async unsubscribe() { this.unsubscribed = true }, ...more,
})

/** A phone, its gateway and its browser in memory. */
function house({ os = 'android', standalone = false, told = {}, put, ...browser } = {}) {
  const h = { asked: [], told: { enabled: true, key: encode64(KEY), subscribed: false, ...told } }
  h.phone = {
    parts: { platform: { os, standalone } },
    async ask(method, path, body) {
      h.asked.push(method)
      if (method === 'PUT') {
        if (put) throw put
        h.put = body
      }
      return method === 'GET' ? h.told : {}
    },
  }
  h.b = {
    supported: () => true, permission: () => 'granted', request: async () => 'granted', subscription: async () => null,
    subscribe: async (key) => {
      h.subscribed = key
      return subscription(KEY)
    }, ...browser,
  }
  return h
}

/** Reads it, and holds the answer to be a sentence. */
async function read(options, how = readPush) {
  const h = house(options)
  const state = await how(h.phone, h.b)
  assert.ok(PERSON_TEXTS.en[state.reason], `${state.reason} is no sentence`)
  return { ...h, state: state.state, reason: state.reason, values: state.values }
}

test('allowed: subscribed with the gateway’s key, and told at every start', async () => {
  const first = await read()
  assert.deepEqual([first.state, first.subscribed, first.asked], ['on', encode64(KEY), ['GET', 'PUT']])
  assert.deepEqual(first.put, { endpoint: 'https://fcm.googleapis.com/fcm/send/a', p256dh: encode64(new Uint8Array(65).fill(7)), auth: encode64(new Uint8Array(16).fill(7)) })
  const again = await read({ subscription: async () => subscription(KEY), told: { subscribed: true } })
  assert.deepEqual([again.state, again.subscribed, again.asked], ['on', undefined, ['GET', 'PUT']])
})

test('the gateway has another key: a new subscription', async () => {
  const old = subscription(OTHER)
  const h = await read({ subscription: async () => old, told: { subscribed: true } })
  assert.deepEqual([h.state, old.unsubscribed, h.subscribed], ['on', true, encode64(KEY)])
})

test('the push service says that the subscription is over: a new one, or it is said', async () => {
  const old = subscription(KEY)
  const gone = { subscription: async () => old, told: { subscribed: false, last: { status: 'gone' } } }
  const h = await read(gone)
  assert.deepEqual([h.state, old.unsubscribed, h.subscribed], ['on', true, encode64(KEY)])
  assert.equal((await read({ ...gone, subscribe: async () => { throw new DOMException('a tap', 'NotAllowedError') } })).reason, 'push.why.off')
})

test('not allowed any more: the gateway hears it', async () => {
  for (const [permission, state] of [['denied', 'denied'], ['default', 'ask']]) {
    for (const os of ['android', 'ios', 'desktop']) {
      const h = await read({ os, permission: () => permission, told: { subscribed: true } })
      assert.deepEqual([h.state, h.asked], [state, ['GET', 'DELETE']])
    }
    assert.deepEqual((await read({ permission: () => permission })).asked, ['GET'])
  }
})

test('what cannot be, and what can be done about it', async () => {
  const none = { supported: () => false }
  for (const [options, state, reason] of [
    [none, 'unsupported', 'push.why.unsupported'],
    [{ ...none, os: 'ios' }, 'unsupported', 'push.why.ios_home'],
    [{ ...none, os: 'ios', standalone: true }, 'unsupported', 'push.why.unsupported'],
    [{ told: { enabled: false, reason: 'no address' } }, 'off', 'push.why.disabled'],
    [{ told: { enabled: false, reason: 'no address' }, permission: () => 'default' }, 'off', 'push.why.disabled'],
    [{ subscribe: async () => { throw new DOMException('a tap', 'NotAllowedError') } }, 'off', 'push.why.off'],
    [{ subscribe: async () => { throw new DOMException('Registration failed', 'AbortError') } }, 'broken', 'push.why.no_service'],
    [{ put: new ApiError('not a push service', 'invalid') }, 'broken', 'push.why.not_taken'],
    [{ subscription: async () => subscription(KEY), told: { subscribed: true, last: { status: 'refused', detail: '403' } } }, 'broken', 'push.why.refused'],
  ]) {
    const h = await read(options)
    assert.deepEqual([h.state, h.reason], [state, reason])
  }
})

test('a push service that never answers is given ten seconds', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const h = house({ subscribe: () => new Promise(() => {}) })
  const reading = readPush(h.phone, h.b)
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  mock.timers.tick(9_999)
  let over = false
  reading.then(() => { over = true })
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  assert.ok(!over)
  mock.timers.tick(1)
  assert.deepEqual(await reading, { state: 'broken', reason: 'push.why.timeout' })
})

test('the person is asked only where the browser has no answer yet, and only when they tap', async () => {
  let questions = 0
  const ask = (permission) => ({ permission: () => permission, request: async () => { questions++ } })
  await read(ask('default'))
  assert.equal(questions, 0)
  for (const [permission, want] of [['default', 1], ['denied', 1], ['granted', 1]]) {
    await read(ask(permission), turnOn)
    assert.equal(questions, want, permission)
  }
})

test('a test tells each step, and ends with the last', async () => {
  const answers = [{ id: 'push_a' }, { accepted_ms: 80 }, { accepted_ms: 80, received_ms: 300 }, { accepted_ms: 80, received_ms: 300, shown_ms: 340 }]
  const phone = { parts: { platform: { os: 'android' } }, ask: async () => answers.shift() }
  const steps = []
  const end = await testPush(phone, (step) => steps.push(Object.keys(step).length))
  assert.deepEqual([steps, end.shown_ms], [[1, 2, 3], 340])
  answers.push({ id: 'push_b' }, { problem: 'gone' })
  assert.deepEqual(await testPush(phone, () => {}), { problem: 'gone' })
})
