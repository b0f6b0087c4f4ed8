// The rows of spec/vectors, which internal/wire runs in Go.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import * as wire from '../../app/wire.js'

/** @param {string} name */
const vectors = (name) => JSON.parse(readFileSync(new URL(`../../../spec/vectors/${name}`, import.meta.url), 'utf8'))

/** @param {Uint8Array} bytes */
const hex = (bytes) => Buffer.from(bytes).toString('hex')

test('canonical.json', async () => {
  const { rows } = vectors('canonical.json')
  assert.ok(rows.length >= 60)
  for (const row of rows) {
    const value = wire.parse(row.text)
    if (row.refused) {
      assert.throws(() => wire.canonical(value), wire.WireError, row.name)
      continue
    }
    const text = wire.canonical(value)
    assert.equal(text, row.canonical, row.name)
    assert.equal(hex(await wire.digest(text)), row.sha256, row.name)
    assert.equal(wire.canonical(wire.parseCanonical(text)), text, row.name)
    if (row.text !== row.canonical) assert.throws(() => wire.parseCanonical(row.text), { problem: 'canonical' }, row.name)
  }
})

test('strict.json', () => {
  for (const row of vectors('strict.json').rows) {
    const data = row.base64 === undefined ? row.text : wire.decode64(row.base64)
    if (row.accepted) {
      wire.parse(data)
      if (typeof data === 'string') wire.parse(wire.utf8(data))
      continue
    }
    assert.throws(() => wire.parse(data), { name: 'WireError', problem: row.refused, offset: row.offset, path: row.path }, row.name)
  }
})

test('signatures.json', async () => {
  const file = vectors('signatures.json')
  const key = await wire.parsePublic(wire.decode64(file.public))
  const other = await wire.parsePublic(wire.decode64(file.other))
  for (const { name, kind, body, sig } of file.valid) {
    assert.equal(await wire.verify(key, { kind, body, sig }), true, name)
    assert.equal(await wire.verify(other, { kind, body, sig }), false, name)
    assert.equal(wire.canonical(await wire.open(key, kind, { kind, body, sig })), body, name)
  }
  for (const { name, kind, body, sig } of file.invalid) {
    assert.equal(await wire.verify(key, { kind, body, sig }), false, name)
  }
  for (const row of file.keys) {
    const read = wire.parsePublic(wire.decode64(row.key))
    if (row.accepted) assert.deepEqual(await wire.publicBytes(await read), wire.decode64(row.key), row.name)
    else await assert.rejects(read, wire.WireError, row.name)
  }
})

test('actdigest.json', async () => {
  for (const row of vectors('actdigest.json').rows) {
    assert.equal(wire.canonical(row.act), row.canonical, row.name)
    assert.equal(wire.encode64(await wire.actDigest(row.act)), row.digest, row.name)
  }
})

test('a key signs what it and nobody else verifies', async () => {
  const { privateKey, publicKey } = await wire.generateKey()
  await assert.rejects(crypto.subtle.exportKey('pkcs8', privateKey), 'the private key never leaves')
  const signed = await wire.sign(privateKey, 'decision', { choice: 'confirm', call: 'call_1' })
  assert.equal(signed.body, '{"call":"call_1","choice":"confirm"}')
  assert.equal(await wire.verify(publicKey, signed), true)
  const stranger = await wire.generateKey()
  assert.equal(await wire.verify(stranger.publicKey, signed), false)
  await assert.rejects(wire.open(publicKey, 'result', signed), /not a result/)
  await assert.rejects(wire.open(stranger.publicKey, 'decision', signed), /signature/)
})

test('a signed body must be canonical', async () => {
  const { privateKey, publicKey } = await wire.generateKey()
  const body = '{"b":1,"a":2}'
  const sig = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, wire.utf8(`nod/1 offer\n${body}`))
  const signed = { kind: 'offer', body, sig: wire.encode64(new Uint8Array(sig)) }
  assert.equal(await wire.verify(publicKey, signed), true)
  await assert.rejects(wire.open(publicKey, 'offer', signed), { problem: 'canonical' })
})

test('what a stranger sends instead of a signed thing is not verified and does not throw', async () => {
  const { publicKey } = await wire.generateKey()
  for (const odd of [{}, { kind: 1, body: 2, sig: 3 }, { kind: 'offer', body: '\ud800', sig: 'AA' }, { kind: 'offer', body: '{}', sig: null }]) {
    assert.equal(await wire.verify(publicKey, /** @type {any} */ (odd)), false)
  }
})

test('canonical takes plain values only', () => {
  assert.equal(wire.canonical({ b: undefined, a: [true, null, -0] }), '{"a":[true,null,0]}')
  for (const odd of [undefined, () => 1, Symbol('x'), 1n, NaN, Infinity, 0.5, 2 ** 53, new Date(), new Map(), [undefined], [, 1], '\ud800', { '\udc00': 1 }]) {
    assert.throws(() => wire.canonical(odd), wire.WireError)
  }
  /** @type {any[]} */
  const loop = []
  loop.push(loop)
  assert.throws(() => wire.canonical(loop), { problem: 'depth' })
  assert.throws(() => wire.canonical({ fields: { stops: [{ lat: 38.7 }] } }), { path: 'fields.stops[0].lat' })
})

test('a key of a parsed object means nothing by itself', () => {
  const value = /** @type {any} */ (wire.parse('{"__proto__":{"admin":true},"toString":1}'))
  assert.equal(Object.getPrototypeOf(value), null)
  assert.equal(value.admin, undefined)
  assert.deepEqual(Object.keys(value), ['__proto__', 'toString'])
})

test('base64url takes one form only', () => {
  for (const n of [0, 1, 2, 3, 31, 32, 33, 65]) {
    const bytes = crypto.getRandomValues(new Uint8Array(n))
    assert.deepEqual(wire.decode64(wire.encode64(bytes)), bytes)
    assert.equal(wire.encode64(bytes), Buffer.from(bytes).toString('base64url'))
  }
  for (const odd of ['A', 'AB', 'AAA=', 'AA==', 'A A', 'AA\n', '+A', '/w', 'AAAAA', 'é']) {
    assert.throws(() => wire.decode64(odd), wire.WireError, odd)
  }
})

test('frames', () => {
  assert.equal(wire.encodeFrame({ n: 1, kind: 'beat', call: undefined }), '{"kind":"beat","n":1}')
  assert.equal(wire.parseFrame('{"n":1,"kind":"beat","newer":{}}').kind, 'beat')
  for (const odd of ['[]', 'null', '"beat"', '{}', '{"kind":1}', '{"kind":""}', '{"KIND":"beat"}']) {
    assert.throws(() => wire.parseFrame(odd), wire.WireError, odd)
  }
  assert.throws(() => wire.parseFrame('{"kind":"beat","kind":"go"}'), { problem: 'duplicate' })
  const filler = 'é'.repeat((wire.MAX_FRAME - '{"kind":"x","pad":""}'.length) / 2)
  const longest = { kind: 'x', pad: filler }
  assert.equal(wire.parseFrame(wire.encodeFrame(longest)).kind, 'x')
  assert.throws(() => wire.encodeFrame({ ...longest, pad: filler + 'xx' }), /65536 bytes/)
  assert.throws(() => wire.parseFrame(' '.repeat(wire.MAX_FRAME) + '{"kind":"x"}'), /65536 bytes/)
})

test('parse agrees with JSON.parse about texts made at random', () => {
  let seed = 1
  const random = (/** @type {number} */ n) => (seed = (seed * 48271) % 2147483647) % n
  const pieces = ['{', '}', '[', ']', ',', ':', '"a"', '"b"', '"\\u00e9"', '"\\ud83d\\ude00"', '1', '-2', '0.5', '1e3', 'true', 'null', ' ', '"', '\\', '0']
  let both = 0
  for (let i = 0; i < 20000; i++) {
    let text = ''
    for (let n = random(8); n >= 0; n--) text += pieces[random(pieces.length)]
    /** @type {unknown} */
    let want
    let valid = true
    try { want = JSON.parse(text) } catch { valid = false }
    /** @type {unknown} */
    let got
    let problem = ''
    try { got = wire.parse(text) } catch (err) { problem = /** @type {wire.WireError} */ (err).problem }
    if (problem === 'duplicate') continue
    assert.equal(problem === '', valid, text)
    if (valid) {
      both++
      assert.equal(JSON.stringify(got), JSON.stringify(want), text)
    }
  }
  assert.ok(both > 500)
})
