// The small pure parts.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { delay } from '../../app/backoff.js'
import { shut } from '../../app/gate.js'
import { accept } from '../../app/acts.js'
import { call } from '../../app/api.js'
import { faded, stale } from '../../app/journal.js'
import { generateKey } from '../../app/wire.js'
import { calledBy, iosVersion, osOf } from '../../app/platform.js'
import { hides, pieces } from '../../app/visible.js'
import { ago, clock, day, daysApart, left, span, weekdays } from '../../app/words.js'

test('trying again backs off to five minutes, to ten seconds while somebody looks', () => {
  const waits = (visible, offline, random) => [1, 2, 3, 4, 5, 9, 10, 50].map((n) => delay(n, visible, offline, random))
  assert.deepEqual(waits(false, false, 0), [1_000, 2_000, 4_000, 8_000, 16_000, 256_000, 300_000, 300_000])
  assert.deepEqual(waits(true, false, 0), [1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000, 10_000])
  assert.deepEqual(new Set(waits(false, true, 0)), new Set([300_000]), 'no network: the slow tries only')
  assert.deepEqual(new Set(waits(true, true, 0)), new Set([10_000]))
  assert.equal(delay(10, false, false, 1), 330_000, 'jitter adds a tenth at most')
})

test('which device a browser runs on', () => {
  const os = (userAgent, maxTouchPoints = 0) => osOf({ userAgent, maxTouchPoints })
  assert.equal(os('Mozilla/5.0 (Linux; Android 14; Pixel 7) Chrome/156'), 'android')
  assert.equal(os('Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) Safari'), 'ios')
  assert.equal(os('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Safari', 5), 'ios', 'an iPad that says it is a Mac')
  assert.equal(os('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Safari'), 'desktop')
  assert.equal(os('Mozilla/5.0 (X11; Linux x86_64) Chrome/156'), 'desktop')
})

test('what people call it: a name, not a number', () => {
  const android = { userAgent: 'Mozilla/5.0 (Linux; Android 10; K) Chrome/156' }
  for (const model of ['Pixel 9', 'moto g54 5G', 'Nokia G21']) assert.equal(calledBy(model, android), model)
  for (const model of ['', 'K', 'SM-S921B', 'CPH2581', 'M2102J20SG', 'x'.repeat(41)]) assert.equal(calledBy(model, android), '', model)
  assert.equal(calledBy('', { userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) Safari' }), '')
  assert.equal(calledBy('', { userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Safari', maxTouchPoints: 5 }), 'iPad')
  assert.equal(calledBy('Virtual Machine', { userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/156' }), '', 'a computer')
})

test('which iOS, as far as the browser says', () => {
  assert.equal(iosVersion('Mozilla/5.0 (iPhone; CPU iPhone OS 18_4_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148'), 1804)
  assert.equal(iosVersion('Mozilla/5.0 (iPad; CPU OS 17_10 like Mac OS X) Version/17.10 Safari/604.1'), 1710)
  assert.equal(iosVersion('Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) Version/26.1 Mobile Safari'), 2601, 'what it says of the system stands still')
  assert.equal(iosVersion('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18.4 Safari/605.1.15'), 1804, 'an iPad that says it is a Mac')
  assert.equal(iosVersion('Mozilla/5.0 (Linux; Android 14) Chrome/156.0'), 0)
})

test('Confirm is off until everything is right', () => {
  const right = { phase: 'waiting', since: 0, now: 700, focused: true, covered: false, atEnd: true, online: true }
  assert.equal(shut(right), null)
  for (const [change, why] of [[{ now: 699 }, 'settling'], [{ focused: false }, 'unfocused'], [{ covered: true }, 'covered'], [{ atEnd: false }, 'scroll'], [{ online: false }, 'offline'], [{ phase: 'kept' }, 'kept']]) {
    assert.equal(shut({ ...right, ...change }), why)
  }
})

test('hidden characters become visible, one by one', () => {
  assert.deepEqual(pieces('a\u202eb\u200b\u200b'), [{ text: 'a' }, { token: '⟨U+202E⟩' }, { text: 'b' }, { token: '⟨U+200B⟩' }, { token: '⟨U+200B⟩' }])
  assert.deepEqual(pieces('a\r\nb\rc'), [{ text: 'a\nb\nc' }])
  assert.deepEqual(pieces('👩‍👩‍👧 می‌خواهم'), [{ text: '👩‍👩‍👧 می‌خواهم' }], 'joiners belong to words')
  assert.deepEqual(pieces('\u{e0041}'), [{ token: '⟨U+E0041⟩' }])
  for (const c of [0x00, 0x07, 0x061c, 0x200e, 0x2066, 0xfeff, 0xe000, 0x10ffff]) assert.ok(hides(c), c.toString(16))
  for (const c of [0x0a, 0x09, 0x20, 0x41, 0x200d, 0x1f44d]) assert.ok(!hides(c), c.toString(16))
})

test('times as people say them', () => {
  const now = Date.UTC(2026, 10, 30, 20, 12)
  const lisbon = 'Europe/Lisbon'
  assert.match(day(Date.UTC(2026, 11, 1, 7, 30), now, 'en-GB', lisbon), /^tomorrow, Tue,? 1 Dec$/)
  assert.match(day(now, now, 'en-GB', lisbon), /^today, /)
  assert.match(day(now, now, 'de', lisbon), /^heute, /)
  assert.doesNotMatch(day(Date.UTC(2026, 11, 4), now, 'en-GB', lisbon), /2026/)
  assert.match(day(Date.UTC(2027, 0, 1, 12), now, 'en-GB', lisbon), /2027/)
  assert.equal(daysApart(Date.UTC(2026, 10, 30, 23, 59), now, lisbon), 0)
  assert.equal(daysApart(Date.UTC(2026, 10, 30, 23, 59), now, 'Asia/Tokyo'), 0, 'both are the next day there')
  assert.equal(clock(now, 'en-GB', 'Asia/Tokyo'), '05:12')
  assert.equal(span(5_430, 'en'), '1 hr 30 min 30 sec')
  assert.equal(span(60, 'en'), '1 min')
  assert.equal(left(93_400), '1:34')
  assert.equal(left(-5), '0:00')
  assert.equal(ago(130_000, 'en'), '2 minutes ago')
  assert.equal(ago(400, 'en'), '1 second ago')
  assert.equal(weekdays(['mon', 'wed', 'fri'], 'en'), 'Mon, Wed, and Fri')
})

test('a log that went back is not accepted here while nod cannot hear of it', async () => {
  const { privateKey } = await generateKey()
  for (const heard of [false, true]) {
    const did = /** @type {string[]} */ ([])
    const phone = {
      link: { setBack: { now: { size: 3, root: '', at: 1 } }, send: ({ record }) => heard && did.push(record.kind), accept: async () => { did.push('accept') } },
      parts: { identity: { phone: 'p', keys: { privateKey } } }, router: { go: (path) => did.push(path) }, state: { set: ({ accepting }) => accepting !== undefined && did.push(`accepting ${accepting}`) },
      try: (work) => work().catch(() => did.push('said')),
    }
    await accept(phone)
    assert.deepEqual(did, heard ? ['accepting true', 'resume', 'accept', '/', 'accepting false'] : ['accepting true', 'accepting false', 'said'])
  }
})

test('what nod does not answer is given up: nothing waits for it for ever, and no launch comes of it minutes later', async (t) => {
  /** @type {AbortSignal[]} */ const signals = []
  t.mock.method(globalThis, 'fetch', async (_path, { signal }) => {
    signals.push(signal)
    return new Response('{}')
  })
  const limits = t.mock.method(AbortSignal, 'timeout')
  await call('POST', '/phone/callback', { body: {} })
  assert.equal(signals[0], limits.mock.calls[0].result)
  assert.ok(limits.mock.calls[0].arguments[0] <= 30_000)
  const { signal } = new AbortController()
  await call('GET', '/pair/wait', { signal })
  assert.equal(signals[1], signal, 'who waits longer says how long')
})

test('the journal forgets what agents wrote, never that a call was dealt with', () => {
  const row = { call: 'a', state: 'acked', digest: 'd', acts: true, body: '{}', at: 0, deadline: 0 }
  assert.ok(faded(row, 8 * 86_400_000))
  assert.ok(!faded(row, 6 * 86_400_000))
  assert.ok(!faded({ ...row, state: 'ended' }, 8 * 86_400_000), 'its result is still owed')
  const read = { ...row, state: 'ended', payload: { text: '{}', salt: '' } }
  assert.deepEqual([23, 25].map((hours) => stale(read, hours * 3_600_000)), [false, true], 'and what it read is not, after a day')
})
