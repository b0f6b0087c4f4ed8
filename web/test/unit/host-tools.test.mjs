// The host with what the page reads and does itself, with and without a card.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { TOOLS } from '../../app/contract.js'
import { sealed } from '../../app/device/data.js'
import { decode64, digest, encode64, open } from '../../app/wire.js'
import { Bench, CONFIRM, READY, keys } from './bench.mjs'

/** Offers of tools, as the gateway makes them. */
const tool = (name, fields = {}, change = {}) => {
  const { app: _, ...t } = TOOLS.find((t) => t.name === name)
  return { tool: name, action: name, fields, summary: name, risk: t.risk, rule: change.verdict === 'allow' ? 'never' : 'mode', ...change }
}
const ALLOWED = { verdict: 'allow' }
const READ = { ok: true, started: false, reason: 'read' }
/** What a read gives out, made beforehand: hashes are made on other threads. */
const given = async (data) => ({ ...READ, gave: 1, ...(await sealed(data)) })
const PLACE = await given({ latitude: 1 })

/** A phone whose browser has it all. @param {object} offer @param {(b: Bench) => void} [set] */
async function offered(offer, set = () => {}) {
  const b = new Bench()
  b.probed = READY
  set(b)
  await b.offer(offer)
  return b
}

test('a read: its text goes beside the signed result, is on disk until that is acked, and no longer', async () => {
  const b = await offered(tool('location'), (b) => { b.acted = async () => PLACE })
  assert.equal(b.phase(), 'waiting')
  await b.event(CONFIRM)
  await b.go()
  assert.deepEqual(b.did.slice(-5), ['send decision', 'disk armed', 'act', 'disk ended', 'send result'])
  const { text, salt, body } = b.sent.at(-1)
  assert.equal(text, '{"latitude":1}')
  assert.ok(!body.includes('latitude') && !JSON.stringify(b.disk.get('call_a').result).includes('latitude'))
  const result = await b.result()
  assert.deepEqual([result.status, result.started, result.message, { ...result.data }], ['done', true, undefined, { hash: encode64(await digest(new Uint8Array([...decode64(salt), ...new TextEncoder().encode(text)]))), bytes: 14 }])
  assert.deepEqual(b.disk.get('call_a').payload, { text, salt })
  const was = structuredClone(b.disk)
  await b.host.take({ kind: 'ack', call: 'call_a', of: 'result' })
  await b.settled()
  assert.deepEqual([b.host.entries.get('call_a').did.text, b.host.entries.get('call_a').did.gave], [undefined, 1], 'nor in memory')

  const c = new Bench(was) // the page was closed before the ack came
  await c.host.restore()
  c.host.connected([])
  await c.settled()
  assert.deepEqual([c.sent.at(-1).text, c.sent.at(-1).salt, c.sent.at(-1).sig], [text, salt, b.sent.at(-1).sig])
  await c.host.take({ kind: 'ack', call: 'call_a', of: 'result' })
  await c.settled()
  assert.equal(c.disk.get('call_a').payload, undefined)
  assert.ok(!JSON.stringify([...c.disk.values()]).includes('latitude'))
})

test('a read that is cut off gave nothing out', async () => {
  const b = await offered(tool('contacts_search', { query: 'Anna' }), (b) => { b.acted = () => new Promise(() => {}) })
  await b.event(CONFIRM)
  await b.go()
  assert.deepEqual([b.phase(), b.about.live()], ['acting', true])
  const c = new Bench(structuredClone(b.disk))
  await b.event({ type: 'disarm', reason: 'cancelled' })
  assert.equal(b.about.live(), false, 'stopped, nothing goes out any more')
  await c.host.restore()
  await c.settled()
  const result = await c.result()
  assert.deepEqual([result.status, result.started, result.message], ['failed', false, 'nod was closed on the phone before it was read. Nothing was read out.'])
  const act = await offered(tool('clipboard_write', { text: 'Tea' }), (b) => { b.acted = () => new Promise(() => {}) })
  await act.event(CONFIRM)
  await act.go()
  const d = new Bench(structuredClone(act.disk))
  await d.host.restore()
  await d.settled()
  assert.equal((await d.result()).status, 'unknown', 'an act may have happened')
})

test('a read that is stopped ends at once, and what it finds stays here', async () => {
  let find = (/** @type {any} */ _did) => {}
  const b = await offered(tool('location'), (b) => { b.acted = () => new Promise((resolve) => { find = resolve }) })
  await b.event(CONFIRM)
  await b.go()
  await b.signed('disarm', { call: 'call_a', reason: 'cancelled' })
  const sent = b.sent.length
  find(PLACE)
  await b.settled()
  assert.deepEqual([(await b.result()).status, b.sent.length, b.disk.get('call_a').payload], ['failed', sent, undefined])
})

test('what the person, or the browser, says no to has the contract’s word', async () => {
  for (const reason of ['not_allowed', 'nobody_answered', 'background', 'not_picked']) {
    const b = await offered(tool('location'), (b) => { b.acted = async () => ({ ok: false, started: false, reason }) })
    await b.event(CONFIRM)
    await b.go()
    const result = await b.result()
    assert.deepEqual([result.status, result.started, result.why, result.data], ['failed', false, reason, undefined])
  }
})

test('a browser that forbids it is not asked in vain: no card, and the word for it', async () => {
  for (const [name, fields, change, why] of [
    ['location', {}, { location: 'blocked' }, 'not_allowed'], ['clipboard_read', {}, { clipboardRead: 'blocked' }, 'not_allowed'], ['notify', { title: 'a', body: 'b' }, { notifications: 'blocked' }, 'not_allowed'],
    ['contacts_search', { query: 'Anna' }, { contacts: 'unsupported' }, undefined], ['alarm_set', { hour: 7, minute: 30 }, {}, undefined], ['calendar_list', {}, {}, undefined],
    ['calendar_create', { title: 'a', start: '2027-03-28T01:30' }, {}, 'no_such_time'], ['calendar_create', { title: 'a', start: '2027-10-31T01:30' }, {}, 'two_such_times'],
  ]) {
    const b = await offered(tool(name, fields), (b) => { b.probed = { ...READY, ...change } })
    const result = await b.result()
    assert.deepEqual([b.phase(), result?.status, result?.started, result?.why], ['ended', 'failed', false, why], name)
    assert.ok(!b.did.includes('send decision'), name)
  }
})

test('without a card: what this phone’s own spec marks so, and its own picker; decided, and told as standing', async () => {
  const picker = [{ id: 'contacts.search', state: 'ready', picker: true }]
  for (const [name, fields, own, set] of [['phone_now', {}, []], ['notify', { title: 'a', body: 'b' }, []], ['photo_pick', {}, []], ['contacts_search', { query: 'Anna' }, picker]]) {
    const b = await offered(tool(name, fields, ALLOWED), (b) => Object.assign(b, { own, needs: 'nothing', ...set }))
    assert.deepEqual(b.did, ['disk received', 'send delivered', 'disk decided', 'send decision'], name)
    const { kind, body, sig } = b.sent.at(-1)
    assert.deepEqual({ ...(await open(keys.phone.publicKey, 'decision', { kind, body, sig })) }, { call: 'call_a', digest: b.digest, phone: 'phone_a', choice: 'standing', basis: 'spec', assurance: 'web' })
    b.acted = async () => PLACE
    await b.go()
    assert.equal((await b.result()).status, 'done', name)
  }
})

test('and nothing else: what it cannot check it does not do', async () => {
  for (const [name, fields, own, frame] of [
    ['location', {}, []], ['clipboard_write', { text: 'Tea' }, []], ['contacts_search', { query: 'Anna' }, []], ['contacts_search', { query: 'Anna' }, [{ id: 'contacts.search', state: 'ready' }]],
    ['contacts_search', { query: 'Anna' }, [{ id: 'photos.pick', state: 'ready', picker: true }]], ['phone_now', {}, [], { standing: { kind: 'grant', body: '{}', sig: 'x' } }],
  ]) {
    const b = new Bench()
    Object.assign(b, { probed: READY, own })
    await b.offer(tool(name, fields, ALLOWED), { frame })
    const result = await b.result()
    assert.deepEqual([result.status, result.started, b.did.includes('send decision')], ['failed', false, false], name)
  }
  const other = new Bench()
  await other.offer(tool('phone_now', {}, { ...ALLOWED, phone: 'phone_b' }))
  assert.deepEqual([other.host.entries.size, other.sent], [0, []], 'for the phone that acts alone')
})

test('a picker that needs no card is one button, never somebody else’s tap; pressed, it opens in that turn', async () => {
  const b = await offered(tool('photo_pick', {}, ALLOWED), (b) => Object.assign(b, { needs: 'tap' }))
  b.acted = async () => ({ ...READ, blobs: [{ hash: 'h', bytes: 1, mime: 'image/jpeg', name: 'photo-1.jpg', width: 1, height: 1 }] })
  await b.go({ upload: 'one-time' })
  assert.deepEqual([b.phase(), b.about.upload, b.about.agentName], ['button', 'one-time', 'Laptop'])
  assert.equal(b.host.entries.get('call_a').state.until, 240_000)
  b.host.dispatch('call_a', { type: 'press' })
  assert.equal(b.did.at(-1), 'act', 'not after a wait')
  await b.settled()
  const result = await b.result()
  assert.deepEqual([result.status, result.blobs.length, result.blobs[0].name, result.data, b.sent.at(-1).text], ['done', 1, 'photo-1.jpg', undefined, undefined])
})

test('a page behind: a notification where there may be one, and else the word for it at once', async () => {
  const silent = await offered(tool('photo_pick', {}, ALLOWED), (b) => Object.assign(b, { needs: 'tap', sight: 'silent' }))
  assert.deepEqual([(await silent.result()).why, silent.did.includes('send decision')], ['background', false], 'before it is decided')
  const rings = await offered(tool('photo_pick', {}, ALLOWED), (b) => Object.assign(b, { needs: 'tap', sight: 'rings' }))
  await rings.go()
  assert.deepEqual([rings.phase(), rings.did.at(-1)], ['button', 'beckon'])
  const left = await offered(tool('location'), (b) => Object.assign(b, { needs: 'sight' }))
  await left.event(CONFIRM)
  left.sight = 'silent'
  await left.go()
  assert.deepEqual([(await left.result()).why, left.did.includes('act')], ['background', false], 'left between the tap and the go')
  const clock = await offered(tool('phone_now', {}, ALLOWED), (b) => Object.assign(b, { sight: 'silent', acted: async () => PLACE }))
  await clock.go()
  assert.equal((await clock.result()).status, 'done', 'which needs nobody')
})

test('what could not be made ready, or broke, is said to be so', async () => {
  const b = await offered(tool('location'), (b) => { b.host.parts.ready = () => Promise.reject(new TypeError('its code could not be loaded')) })
  await b.event(CONFIRM)
  await b.go()
  assert.deepEqual([(await b.result()).status, (await b.result()).started], ['failed', false])
  b.host.again('call_a')
  await b.settled()
  assert.ok(!b.did.includes('act'), 'a read is not done once more: nobody would get it')
})
