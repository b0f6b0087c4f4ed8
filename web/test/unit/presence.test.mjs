// What the link costs, and how soon it is honest: a day without the gateway, an
// hour in which nothing happens, another network, a page that slept.
import assert from 'node:assert/strict'
import { afterEach, mock, test } from 'node:test'

import { Reload, owes } from '../../app/reload.js'
import { watchNetwork } from '../../app/network.js'
import { bench, sockets } from './link-bench.mjs'

const DAY = 86_400_000
const HOUR = 3_600_000

/** Sockets that open nothing: refused at once, or never answered. */
const tries = { count: 0, refused: true }
class Nowhere {
  readyState = 0
  constructor() {
    tries.count++
    if (tries.refused) queueMicrotask(() => this.onclose?.({ code: 1006 }))
  }

  send() {}

  close() {}
}

afterEach(() => mock.reset())

/** Lets a time pass, with a second of the clock at a time. @param {number} ms */
async function pass(ms) {
  for (let t = 0; t < ms; t += 1_000) {
    mock.timers.tick(1_000)
    for (let turn = 0; turn < 6; turn++) await Promise.resolve()
  }
}

/** @param {Partial<{ visible: boolean, offline: boolean, refused: boolean }>} how @param {number} ms @returns {Promise<number>} how often it tried */
async function without(how, ms) {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  mock.method(Math, 'random', () => 0) // jitter makes it fewer
  Object.assign(tries, { count: 0, refused: how.refused ?? true })
  const b = await bench({ Socket: Nowhere })
  Object.assign(b, { visible: false, now: () => Date.now() }, how)
  await pass(ms)
  b.link.stop()
  mock.timers.reset()
  return tries.count
}

test('a day without the gateway costs at most 300 tries, however it fails', async (t) => {
  for (const [what, how, most] of [
    ['refused, hidden', {}, 300], ['never answered, hidden', { refused: false }, 300], ['no network, hidden', { offline: true }, 290],
  ]) {
    const count = await without(how, DAY)
    t.diagnostic(`${what}: ${count} tries`)
    assert.ok(count <= most && count > 200, `${what}: ${count}`)
  }
  const seen = await without({ visible: true }, HOUR)
  t.diagnostic(`refused, visible: ${seen} tries an hour`)
  assert.ok(seen >= 360 && seen <= 365, 'every ten seconds while somebody looks')
})

test('an hour in which nothing happens: beats and no more, at most 60 KB', async (t) => {
  const b = await bench()
  await b.challenge()
  await b.welcome()
  const socket = b.socket()
  const before = socket.sent.length
  b.changes = 0
  const beats = HOUR / 12_000
  for (let n = 1; n <= beats; n++) socket.tell({ kind: 'beat', n })
  while (socket.sent.length < before + beats) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(b.changes, 0, 'nothing is drawn, and nothing is loaded for it')
  assert.ok(socket.sent.slice(before).every(({ kind }) => kind === 'beat'))
  const bytes = socket.down + socket.up + beats * (2 + 6) // and the heads of the frames
  t.diagnostic(`${bytes} bytes, with the opening of the link`)
  assert.ok(bytes <= 60_000, `${bytes}`)
})

/** A link that is open, with clocks that the test sets. */
async function opened() {
  const b = await bench()
  const clock = { mono: 0, wall: 0 }
  const [mono, wall] = [performance.now(), Date.now()]
  Object.assign(b, { now: () => mono + clock.mono, wall: () => wall + clock.wall, clock })
  await b.challenge()
  await b.welcome()
  assert.equal(b.link.state, 'open')
  return b
}

test('timers that stood still: the clocks are asked, and the page does not say it is connected', async () => {
  for (const clock of [{ mono: 25_000, wall: 25_000 }, { mono: 500, wall: 25_000 }]) { // throttled; asleep with its phone
    const b = await opened()
    Object.assign(b.clock, { mono: 24_000, wall: 24_000 })
    b.link.check()
    assert.equal(b.link.state, 'open')
    Object.assign(b.clock, clock)
    b.link.check()
    assert.equal(b.link.state, 'waiting')
    assert.equal(sockets.length, 1)
    b.link.poke()
    assert.equal(sockets.length, 2, 'somebody looks: at once')
  }
})

test('somebody looks at a page that slept: one new link, at once', async () => {
  const b = await opened()
  Object.assign(b.clock, { wall: HOUR })
  b.link.poke()
  assert.deepEqual([b.link.state, sockets.length], ['connecting', 2])
})

/** The browser's events, as the page gets them. */
function world(type) {
  const [page, doc, connection] = [new EventTarget(), new EventTarget(), Object.assign(new EventTarget(), { type })]
  const over = new AbortController()
  Object.assign(globalThis, { addEventListener: page.addEventListener.bind(page), document: doc })
  Object.defineProperty(globalThis, 'navigator', { configurable: true, value: { connection } })
  return { connection, over, fire: (where, name, more = {}) => where.dispatchEvent(Object.assign(new Event(name), more)), page, doc }
}

test('Wi-Fi to mobile: a new link at once, though the old socket looks open', async () => {
  const w = world('wifi')
  const b = await opened()
  watchNetwork(b.link, w.over.signal)
  const old = b.socket()
  w.fire(w.connection, 'change')
  assert.equal(sockets.length, 1, 'its speed is no other network')
  b.clock.mono = 5_000
  w.connection.type = 'cellular'
  w.fire(w.connection, 'change')
  assert.deepEqual([sockets.length, old.readyState, b.link.state], [2, 3, 'connecting'])
  w.fire(w.page, 'online')
  assert.equal(sockets.length, 2, 'both say the same')
  b.clock.mono = 7_000
  w.fire(w.page, 'online')
  assert.equal(sockets.length, 3, 'a try on a network that is gone hangs as well')
  w.connection.type = 'none'
  w.fire(w.connection, 'change')
  assert.equal(sockets.length, 3)
  b.link.stop('revoked')
  b.clock.mono = 9_000
  w.fire(w.page, 'online')
  assert.equal(sockets.length, 3, 'what has ended stays ended')
  w.over.abort()
})

test('a page that is frozen says goodbye, and is back when it thaws', async () => {
  for (const [sleep, wake, more] of [['freeze', 'resume', {}], ['pagehide', 'pageshow', { persisted: true }]]) {
    const w = world()
    const b = await opened()
    watchNetwork(b.link, w.over.signal)
    const [old, where] = [b.socket(), sleep === 'freeze' ? w.doc : w.page]
    w.fire(where, sleep, more)
    assert.deepEqual([{ ...old.sent.at(-1) }, old.readyState, b.link.state], [{ kind: 'bye', reason: 'asleep' }, 3, 'waiting'])
    w.fire(where, wake, more)
    assert.equal(sockets.length, 2)
    w.fire(w.page, 'pageshow', { persisted: false })
    assert.equal(sockets.length, 2)
    w.over.abort()
  }
})

test('another version is loaded when nothing hangs on the page, and never again and again', async () => {
  const kept = new Map()
  const r = { loads: 0, idle: true, at: 0 }
  const make = (version) => new Reload({
    version, idle: () => r.idle, fetch: async () => {}, go: () => { r.loads++ }, now: () => r.at,
    memory: { getItem: (k) => kept.get(k) ?? null, setItem: (k, v) => kept.set(k, v) },
  })
  const a = make('a')
  await a.settle()
  assert.equal(r.loads, 0, 'nobody asked')
  r.idle = false
  await a.want()
  await a.settle()
  assert.equal(r.loads, 0, 'a card is open')
  r.idle = true
  await a.settle()
  assert.equal(r.loads, 1)
  await make('a').want()
  assert.equal(r.loads, 1, 'it came back as it was')
  await make('b').want()
  await make('a').want()
  await make('b').want()
  assert.equal(r.loads, 2, 'two gateways behind one address')
  r.at = 3_600_000
  await make('a').want()
  assert.equal(r.loads, 3)
})

test('a card that comes while the other version is fetched: the page stays until it is over', async () => {
  const r = { loads: 0, fetched: 0, idle: true }
  let fetched = () => {}
  const a = new Reload({
    version: 'a', idle: () => r.idle, go: () => { r.loads++ }, now: () => 0, memory: { getItem: () => null, setItem: () => {} },
    fetch: () => new Promise((resolve) => {
      r.fetched++
      fetched = resolve
    }),
  })
  const wanted = a.want()
  r.idle = false // a card, and the person says yes to it
  fetched()
  await wanted
  assert.equal(r.loads, 0)
  r.idle = true
  const [one, two] = [a.settle(), a.settle()]
  fetched()
  await Promise.all([one, two])
  assert.deepEqual([r.loads, r.fetched], [1, 2])
})

test('a call owes something until it is over here and acked', () => {
  const owed = (phase, acked) => owes([{ state: { phase, acked } }])
  assert.deepEqual(['waiting', 'confirmed', 'arming', 'launched', 'ended'].map((p) => owed(p)), [true, true, true, true, true])
  assert.deepEqual([owed('closed'), owed('ended', true), owes([])], [false, false, false])
})
