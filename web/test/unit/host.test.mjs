// The host with real keys and signatures: what leaves, in which order, and what
// is on disk before it does.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { english } from '../../app/text.js'
import { decode64, digest, encode64, open, sign } from '../../app/wire.js'
import { Bench, CONFIRM, keys } from './bench.mjs'

test('from the offer to the ack: each thing on disk before what follows it', async () => {
  const b = new Bench()
  await b.offer()
  await b.event({ type: 'shown' })
  await b.event(CONFIRM)
  await b.go()
  await b.event({ type: 'hidden' })
  await b.host.take({ kind: 'ack', call: 'call_a', of: 'result' })
  await b.settled()
  assert.deepEqual(b.did, [
    'disk received', 'send delivered', 'send shown', 'disk decided', 'send decision', 'disk armed', 'launch https://example.com/', 'beacon', 'disk ended', 'send result', 'disk acked',
  ])
  assert.deepEqual({ ...(await b.result()) }, {
    call: 'call_a', digest: b.digest, phone: 'phone_a', status: 'opened', started: true, app: 'your browser',
  })
  assert.equal(b.beacon.sig, b.sent.at(-1).sig, 'one result, whichever way it goes')
})

test('the decision says what was decided over exactly these bytes, with the words', async () => {
  const b = new Bench()
  await b.offer()
  await b.event({ type: 'tap', choice: 'decline', reason: 'Not now' })
  const { kind, body, sig, epoch } = b.sent.at(-1)
  assert.equal(epoch, 7)
  assert.deepEqual({ ...(await open(keys.phone.publicKey, 'decision', { kind, body, sig })) }, {
    call: 'call_a', digest: b.digest, phone: 'phone_a', choice: 'decline', assurance: 'web', reason: 'Not now',
  })
})

test('what is not the gateway’s, or not for this phone, is dropped without a word', async () => {
  for (const [change, options] of [[{}, { key: keys.stranger }], [{ screens: ['phone_b'] }, {}], [{}, { frame: { epoch: 6 } }], [{ badges: 'x' }, {}]]) {
    const b = new Bench()
    await b.offer(change, options)
    assert.equal(b.host.entries.size, 0)
    assert.deepEqual(b.sent, [])
  }
})

test('an offer that its own check refuses is not drawn, and says so', async () => {
  for (const change of [{ fields: { url: 'https://example.com/', more: 'x' } }, { fields: { url: ' https://example.com/' } }, { risk: 'low' }, { verdict: 'allow' }, { action: 'open_app' },
    { action: 'dial', fields: { number: '*100#' }, risk: 'medium' }]) {
    const b = new Bench()
    await b.offer(change)
    const result = await b.result()
    assert.deepEqual([result.status, result.started], ['failed', false], JSON.stringify(change))
    assert.match(result.message, /^This phone's own check refused it: /)
    assert.equal(b.phase(), 'ended')
  }
})

test('what cannot be carried out is said before anybody is asked', async () => {
  const b = new Bench()
  await b.offer({ action: 'calendar_event', fields: { title: 'x', start: '2027-02-31' }, summary: 'calendar_event' })
  const result = await b.result()
  assert.deepEqual([result.status, result.started, result.message], ['failed', false, 'There is no such date as 2027-02-31.'])
})

test('a go from a stranger, for other bytes, or with another decision does nothing', async () => {
  const b = new Bench()
  await b.offer()
  await b.event(CONFIRM)
  const { body } = b.sent.at(-1)
  await b.go({}, keys.stranger)
  await b.go({ digest: encode64(new Uint8Array(32)) })
  await b.go({ decision: await sign(keys.stranger.privateKey, 'decision', { call: 'call_a' }) })
  await b.go({ decision: { kind: 'decision', body, sig: encode64(new Uint8Array(64)) } })
  assert.equal(b.phase(), 'confirmed')
  assert.ok(!b.did.includes('disk armed'))
})

test('the same go twice launches once', async () => {
  const b = new Bench()
  await b.offer()
  await b.event(CONFIRM)
  await Promise.all([b.go(), b.go(), b.go()])
  assert.equal(b.did.filter((d) => d.startsWith('launch')).length, 1)
})

test('without the tap’s permission: one button, which launches in its own turn', async () => {
  const b = new Bench()
  b.active = false
  await b.offer()
  await b.event(CONFIRM)
  await b.go()
  assert.equal(b.phase(), 'button')
  b.host.dispatch('call_a', { type: 'press' })
  assert.equal(b.did.at(-1), 'launch https://example.com/', 'not after a wait')
})

test('a disk that takes no "armed" means no launch, and the agent hears that nothing was started', async () => {
  const b = new Bench()
  b.full = (state) => state === 'armed'
  await b.offer()
  await b.event(CONFIRM)
  await b.go()
  const result = await b.result()
  assert.deepEqual([result.status, result.started], ['failed', false])
  assert.ok(!b.did.some((d) => d.startsWith('launch')))
})

test('a disk that takes nothing means nothing is delivered, decided or sent', async () => {
  const b = new Bench()
  b.full = () => true
  await b.offer()
  assert.deepEqual(b.did, ['dropped the disk is full'])
  assert.equal(b.host.entries.size, 0)

  const c = new Bench()
  c.full = (state) => state === 'decided'
  await c.offer()
  await c.event(CONFIRM)
  assert.ok(!c.did.includes('send decision'))
})

test('after a restart: armed is unknown, decided gives up, ended is sent again, acked is over', async () => {
  const b = new Bench()
  await b.offer()
  await b.event(CONFIRM)
  const decided = structuredClone(b.disk)
  b.active = false
  await b.go()
  const armed = structuredClone(b.disk)
  for (const [disk, status, started] of [[armed, 'unknown', true], [decided, 'failed', false]]) {
    const c = new Bench(disk)
    await c.host.restore()
    await c.settled()
    const result = await c.result()
    assert.deepEqual([result.status, result.started], [status, started])
    c.host.connected([])
    await c.settled()
    assert.equal(c.sent.filter((f) => f.kind === 'result').length, 2, 'sent again on a connection, until acked')
    await c.offer({}, { frame: { left_ms: 60_000 } })
    assert.ok(!c.did.some((d) => d.startsWith('launch')))

    await c.host.take({ kind: 'ack', call: 'call_a', of: 'result' })
    await c.settled()
    const d = new Bench(c.disk)
    await d.host.restore()
    await d.offer()
    assert.equal(d.host.entries.size, 0, 'a call that was dealt with is never a card again')
  }
})

test('a call kept for a dropped connection gives its place to the same act', async () => {
  const b = new Bench()
  await b.offer()
  await b.offer({ call: 'call_b' })
  await b.signed('withdraw', { call: 'call_a', reason: 'gone', keep_ms: 10_000 })
  assert.equal(b.phase(), 'kept')
  const { order } = b.host.entries.get('call_a')
  await b.offer({ call: 'call_c' }, { frame: { takes: 'call_a' } })
  assert.equal(b.host.entries.get('call_c').order, order)
  assert.equal(b.host.entries.has('call_a'), false)
})

test('opening once more is the person’s own act: in the journal, and nothing for an agent', async () => {
  const b = new Bench()
  await b.offer()
  await b.event(CONFIRM)
  await b.go()
  b.now = 4_000
  await b.event({ type: 'tick' })
  b.now = 30_000
  await b.event({ type: 'tick' })
  assert.equal((await b.result()).status, 'unknown')
  const sent = b.sent.length
  b.host.again('call_a')
  await b.settled()
  assert.equal(b.did.filter((d) => d.startsWith('launch')).length, 2)
  assert.equal(b.sent.length, sent)
  assert.equal(b.disk.get('call_a').again.length, 1)
})

test('another window takes the link between the yes and its go: what it told stays true, nothing is launched here', async () => {
  const one = new Bench()
  await one.offer()
  await one.event(CONFIRM)
  const two = new Bench(one.disk)
  await two.host.restore()
  await two.settled()
  assert.deepEqual([(await two.result()).status, (await two.result()).started], ['failed', false])
  await one.go()
  await one.event({ type: 'ready', active: true })
  assert.deepEqual(one.did.filter((d) => /launch|send result|dropped/.test(d)), [])
  assert.equal(one.disk.get('call_a').state, 'ended')
})

test('the window that had it armed it meanwhile: the one that takes over says that it may have happened', async () => {
  const one = new Bench()
  await one.offer()
  await one.event(CONFIRM)
  const before = [structuredClone(one.disk.get('call_a'))]
  one.active = false
  await one.go()
  assert.equal(one.phase(), 'button')
  const two = new Bench(one.disk)
  two.host.parts.journal.rows = async () => before
  await two.host.restore()
  await two.settled()
  assert.deepEqual([two.sent.length, (await two.result()).status], [1, 'unknown'])
  assert.equal(one.disk.get('call_a').state, 'ended')
  await one.event({ type: 'press' }) // as a thumb may, before the window knows
  await one.event({ type: 'threw', message: 'no' })
  assert.equal((await open(keys.phone.publicKey, 'result', one.disk.get('call_a').result)).status, 'unknown', 'not overwritten')
})

test('a window that lost the link does nothing more', async () => {
  const b = new Bench()
  b.way = SHORTCUT
  let leave = (/** @type {string} */ _token) => {}
  b.deposited = () => new Promise((resolve) => { leave = resolve })
  await b.offer()
  await b.event(CONFIRM)
  const entry = b.host.entries.get('call_a')
  const going = b.go()
  while (!b.did.includes('deposit callback')) await new Promise((resolve) => setImmediate(resolve))
  const did = b.did.length
  b.host.stop()
  leave('late')
  await Promise.all([going, entry.done])
  assert.deepEqual(b.did.slice(did), ['disk armed'], 'the token of its callback is kept, for whoever takes it up')
  assert.equal(b.disk.get('call_a').callback, 'late')
})

const INTENT = { do: 'open', intent: { data: '//maps.example/x', scheme: 'https', package: 'com.example.maps' }, app: 'app.google_maps' }
const SHORTCUT = { do: 'shortcut', name: 'Nod Alarm', input: { time: '07:30' }, app: 'app.shortcuts' }
const TORCH = { do: 'torch', on: true, note: 'note.torch' }
const FILE = { do: 'file', name: 'event.ics', type: 'text/calendar', text: 'BEGIN:VCALENDAR', app: 'app.calendar' }

/** A phone that went on to the go. @param {any} way @param {(b: Bench) => void} [set] @param {object} [offer] */
async function gone(way, set = () => {}, offer = {}) {
  const b = new Bench()
  b.way = way
  set(b)
  await b.offer(offer)
  await b.event(CONFIRM)
  await b.go()
  return b
}

test('an intent is armed with a token that nobody guesses, which its page brings back once', async () => {
  const b = await gone(INTENT)
  const { token } = b.disk.get('call_a')
  assert.match(token, /^[\w-]{22}$/)
  assert.equal(b.made.token, token)
  assert.ok(b.did.indexOf('disk armed') < b.did.indexOf('launch //maps.example/x'))

  const c = new Bench(structuredClone(b.disk)) // the browser left the page for that of the failed launch
  c.way = INTENT
  assert.equal(await c.host.restore(token), 'call_a')
  await c.settled()
  const result = await c.result()
  assert.deepEqual([result.status, result.started, result.message], ['failed', false, 'The app is not on this phone, or did not open.'])
  assert.deepEqual(c.did, ['disk ended', 'beacon', 'send result'])
  const { offer, state, plan: way } = c.host.entries.get('call_a')
  assert.deepEqual([offer.action, state.ending.reason, way], ['open_url', 'fallback', INTENT])

  c.host.again('call_a')
  c.host.again('call_a', 'https://maps.example/x')
  await c.settled()
  assert.deepEqual(c.did.slice(3).filter((d) => d.startsWith('launch')), ['launch //maps.example/x', 'launch https://maps.example/x'])
  assert.equal(c.disk.get('call_a').again.length, 2)

  const d = new Bench(structuredClone(c.disk)) // and once more, after it was told
  assert.equal(await d.host.restore(token), null)
  await d.settled()
  assert.deepEqual(d.did, [])
})

test('a failed launch that is not this phone’s, or that something was told of, changes nothing', async () => {
  const b = await gone(INTENT)
  await b.event({ type: 'hidden' })
  const { token } = b.disk.get('call_a')
  for (const [disk, said] of [[b.disk, token], [b.disk, 'AAAAAAAAAAAAAAAAAAAAAA'], [b.disk, ''], [new Map(), token]]) {
    const c = new Bench(structuredClone(disk))
    assert.equal(await c.host.restore(said), null)
    await c.settled()
    assert.deepEqual(c.did, [])
  }
  const other = new Bench(structuredClone((await gone(INTENT)).disk))
  assert.equal(await other.host.restore('AAAAAAAAAAAAAAAAAAAAAA'), null)
  await other.settled()
  assert.equal((await other.result()).status, 'unknown', 'armed without an end, by any other address')
  const link = new Bench(structuredClone((await gone(undefined)).disk))
  assert.equal(link.disk.get('call_a').token, undefined)
  assert.equal(await link.host.restore('undefined'), null)
})

test('a Shortcut: three results signed and left with nod before anything can be tapped', async () => {
  const b = await gone(SHORTCUT, (x) => { x.active = false })
  assert.deepEqual(b.did.slice(-3), ['disk armed', 'deposit callback', 'disk armed'])
  assert.equal(b.phase(), 'button')
  assert.equal(b.disk.get('call_a').callback, 'deposited')
  for (const [what, status, message] of [['ok', 'done', undefined], ['cancel', 'failed', 'The person stopped the shortcut.'], ['error', 'failed', 'The shortcut ended with an error.']]) {
    const body = await open(keys.phone.publicKey, 'result', b.results[what])
    assert.deepEqual([body.call, body.digest, body.status, body.started, body.message], ['call_a', b.digest, status, true, message])
  }
  await b.event({ type: 'press' })
  assert.deepEqual([b.did.at(-1), b.made.callback], ['launch Nod Alarm', 'deposited'])
  await b.event({ type: 'hidden' })
  assert.ok(!b.did.includes('beacon'), 'in front is not at its end')
  b.heard = async () => 'ok'
  await b.event({ type: 'visible' })
  assert.equal(b.sent.at(-1).sig, b.results.ok.sig, 'the one that nod has')
  assert.equal(b.host.entries.get('call_a').state.ending.kind, 'done')
})

test('what could not be left with nod is not launched, and the agent hears so', async () => {
  for (const way of [SHORTCUT, FILE]) {
    const b = await gone(way, (x) => { x.deposited = () => Promise.reject(new TypeError('no network')) })
    const result = await b.result()
    assert.deepEqual([result.status, result.started, result.message], ['failed', false, 'It could not be made ready, so it was not started.'])
    assert.ok(b.did.includes('disk disarmed') && !b.did.some((d) => d.startsWith('launch')))
  }
})

test('a restart asks what the Shortcut called before it says that nobody knows', async () => {
  const before = await gone(SHORTCUT)
  for (const [heard, status] of [['ok', 'done'], ['cancel', 'failed'], ['waiting', 'unknown']]) {
    const b = new Bench(structuredClone(before.disk))
    b.heard = async () => heard
    await b.host.restore()
    await b.settled()
    assert.deepEqual(b.did, [], 'not before there is a connection')
    b.host.connected([])
    await b.settled()
    assert.equal((await b.result()).status, status)
    assert.equal(b.did[0], 'ask deposited')
  }
  const cut = new Bench(structuredClone(before.disk))
  cut.heard = () => Promise.reject(new TypeError('no network'))
  await cut.host.restore()
  cut.host.connected([])
  await cut.settled()
  assert.deepEqual([cut.phase(), await cut.result()], ['away', undefined], 'asked again on the next connection')
})

test('the torch: done once its light was read back, with the words that it goes off', async () => {
  const b = await gone(TORCH, (x) => { x.active = false })
  const result = await b.result()
  assert.deepEqual([result.status, result.started, result.message, result.app], ['done', true, 'The torch is on. It goes off when the person leaves nod on the phone.', undefined])
  assert.deepEqual(b.did.slice(-4), ['disk armed', 'act', 'disk ended', 'send result'])

  const refused = await gone(TORCH, (x) => { x.acted = async () => ({ ok: false, started: false, reason: 'torch_not_allowed' }) })
  const told = await refused.result()
  assert.deepEqual([told.status, told.started], ['failed', false])
  assert.match(told.message, /Do not ask again now: the person can allow it in the phone's settings/)
  refused.acted = async () => ({ ok: true, started: true, reason: 'torch_on' })
  refused.host.again('call_a')
  await refused.settled()
  assert.equal(refused.did.filter((d) => d === 'act').length, 2)
  assert.equal(refused.host.entries.get('call_a').state.ending.again, true)

  const missing = await gone(TORCH, (x) => { x.acted = () => Promise.reject(new TypeError('its code could not be loaded')) })
  assert.deepEqual([(await missing.result()).status, (await missing.result()).started], ['failed', false])
})

test('the torch once more, by the person: that it worked is said when it did, and else why not', async () => {
  const b = await gone(TORCH, (b) => { b.acted = async () => ({ ok: false, started: false, reason: 'torch_not_allowed' }) })
  const ending = () => b.host.entries.get('call_a').state.ending
  b.acted = async () => ({ ok: false, started: false, reason: 'torch_no_light' })
  b.host.again('call_a')
  await b.settled()
  assert.deepEqual([ending().again, ending().reason, ending().message], [undefined, 'torch_no_light', english('result.torch_not_allowed')], 'what the agent was told stays')
  b.acted = async () => ({ ok: true, started: true, reason: 'torch_on' })
  b.host.again('call_a')
  await b.settled()
  assert.equal(ending().again, true)
  assert.equal(b.sent.filter((f) => f.kind === 'result').length, 1)
})

test('a file is left with nod, then opened from there', async () => {
  const b = await gone(FILE)
  assert.deepEqual(b.did.slice(-3), ['disk armed', 'deposit BEGIN:VCALENDAR', 'launch event.ics'])
  assert.equal(b.made.path, 'deposited')
  await b.event({ type: 'hidden' })
  assert.equal((await b.result()).status, 'opened')
})

test('a route that was opened is remembered; what is no route is not', async () => {
  const b = await gone(INTENT, undefined, { action: 'navigate', fields: { destination: { query: 'SFO Airport' } }, summary: 'navigate' })
  await b.event({ type: 'hidden' })
  assert.deepEqual(b.routed, { app: 'app.google_maps', destination: 'SFO Airport', at: 1_800_000_000_000 })
  const link = await gone(undefined)
  await link.event({ type: 'hidden' })
  assert.equal(link.routed, undefined)
})

test('the next moment that matters is asked for', async () => {
  const b = new Bench()
  await b.offer()
  assert.equal(b.wake, 120_000)
  b.now = 5_000
  await b.event(CONFIRM)
  assert.equal(b.wake, 15_000)
})

test('a withdrawal by a stranger changes nothing', async () => {
  const b = new Bench()
  await b.offer()
  await b.signed('withdraw', { call: 'call_a', reason: 'cancelled' }, keys.stranger)
  assert.equal(b.phase(), 'waiting')
  assert.ok(decode64(b.digest).length === 32)
})

// What this page reads and does itself
