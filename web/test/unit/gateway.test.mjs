// The phone's end of the link, over a socket in memory.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'

import { encode64, open, publicBytes, sign } from '../../app/wire.js'
import { bench, gatewayKey, HEAD, keys, settled, sockets } from './link-bench.mjs'

test('challenge, hello, welcome', async () => {
  const b = await bench()
  assert.equal(b.socket().protocol, 'nod.1')
  assert.equal(b.link.send({ kind: 'beat', n: 1 }), false, 'nothing before the welcome')
  await b.challenge()
  const { kind, body, sig } = b.socket().sent[0]
  const hello = await open(keys.phone.publicKey, 'hello', { kind, body, sig })
  assert.deepEqual([hello.phone, hello.challenge, hello.host, hello.screen, hello.zone], ['phone_a', 'abc', 'web', true, 'Europe/Lisbon'])
  await b.welcome()
  assert.deepEqual([b.link.state, b.link.epoch, b.link.bearer, b.welcomed.length], ['open', 3, 'secret', 1])
  assert.deepEqual({ ...b.head }, HEAD)
})

test('a beat is answered with its number', async () => {
  const b = await bench()
  await b.challenge()
  await b.welcome()
  await b.socket().hear({ kind: 'beat', n: 12 })
  assert.deepEqual({ ...b.socket().sent.at(-1) }, { kind: 'beat', n: 12 })
})

test('another key at the same address: nothing is sent, and no further try', async () => {
  const b = await bench()
  await b.challenge({ key: encode64(await publicBytes(keys.stranger.publicKey)) })
  assert.equal(b.link.state, 'wrong_gateway')
  assert.deepEqual(b.socket().sent, [])
})

test('a gateway of another version', async () => {
  const b = await bench()
  await b.challenge({ range: { name: 'nod-runtime-protocol', min_version: 2, max_version: 3 } })
  assert.equal(b.link.state, 'version')
})

test('a welcome by a stranger, or to another hello, is none', async () => {
  for (const [change, key] of [[{}, keys.stranger], [{ nonce: 'x' }, keys.gateway], [{ phone: 'phone_b' }, keys.gateway]]) {
    const b = await bench()
    await b.challenge()
    await b.welcome(change, key)
    assert.equal(b.link.state, 'connecting')
    assert.equal(b.socket().readyState, 3, 'closed')
  }
})

test('frames come through in order, and only while the link is open', async () => {
  const b = await bench()
  await b.socket().hear({ kind: 'offer', n: 0 })
  await b.challenge()
  await b.welcome()
  b.socket().onmessage({ data: '{"kind":"offer","n":1}' })
  b.socket().onmessage({ data: '{"kind":"go","n":2}' })
  await settled()
  assert.deepEqual(b.frames.map((f) => f.n), [1, 2])
})

test('a log that went back: no offers, until the person accepts', async () => {
  for (const [change, changed] of [[{ head: { ...HEAD, size: 5 } }, false], [{ head: { ...HEAD, size: 12, root: encode64(new Uint8Array(32)) }, proof: [] }, true], [{ set_back: true, head: { ...HEAD, size: 9, root: encode64(new Uint8Array(32).fill(1)) } }, false]]) {
    const b = await bench({ head: { ...HEAD, size: 9, root: encode64(new Uint8Array(32).fill(1)) } })
    await b.challenge()
    await b.welcome(change)
    assert.equal(b.link.state, 'set_back')
    assert.equal(b.link.setBack.changed, changed)
    assert.equal(b.welcomed.length, 0)
    assert.equal(b.head.size, 9, 'what was seen is not forgotten')
    await b.socket().hear({ kind: 'offer' })
    assert.deepEqual(b.frames, [])
    await b.link.accept()
    assert.equal(b.head.size, change.head.size)
    assert.equal(sockets.length, 2, 'connects again')
  }
})

test('a signed removal ends it; an unsigned one does not', async () => {
  const b = await bench()
  await b.challenge()
  await b.welcome()
  await b.socket().hear(await sign(keys.stranger.privateKey, 'revoked', { phone: 'phone_a' }))
  assert.notEqual(b.link.state, 'revoked')

  const c = await bench()
  await c.challenge()
  await c.welcome()
  await c.socket().hear(await sign(keys.gateway.privateKey, 'revoked', { phone: 'phone_a' }))
  assert.equal(c.link.state, 'revoked')
})

test('what a close code says', async () => {
  for (const [code, state] of [[1006, 'waiting'], [1001, 'waiting'], [4004, 'waiting'], [4001, 'revoked'], [4007, 'revoked'], [4002, 'version'], [4006, 'replaced']]) {
    const b = await bench()
    await b.socket().end(code)
    assert.equal(b.link.state, state, `${code}`)
  }
})

test('it tries again, backs off, and starts over when somebody looks', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const b = await bench()
    b.visible = false
    for (const wait of [1_100, 2_200, 4_400]) {
      await b.socket().end(1006)
      const before = sockets.length
      mock.timers.tick(wait)
      assert.equal(sockets.length, before + 1)
    }
    await b.socket().end(1006)
    const before = sockets.length
    b.link.poke()
    assert.equal(sockets.length, before + 1, 'at once')
  } finally {
    mock.timers.reset()
  }
})

test('25 seconds of silence are no connection, whatever the socket says', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const b = await bench()
    await b.challenge()
    await b.welcome()
    mock.timers.tick(24_000)
    assert.equal(b.link.state, 'open')
    mock.timers.tick(1_001)
    assert.equal(b.link.state, 'waiting')
  } finally {
    mock.timers.reset()
  }
})

test('a link that went meanwhile is not open: a welcome that was still being checked counts no more', async () => {
  const b = await bench()
  await b.challenge()
  const { body } = b.socket().sent.find((f) => f.kind === 'hello')
  const welcome = await sign(keys.gateway.privateKey, 'welcome', {
    phone: 'phone_a', nonce: JSON.parse(body).nonce, epoch: 3, at: 1, version: 1, gateway: 'test', person: 'Ana', open: [], phones: [], head: HEAD,
  })
  b.socket().tell({ ...welcome, bearer: 'secret' })
  await Promise.resolve() // it is read
  b.link.stop()
  await settled()
  assert.deepEqual([b.link.state, b.link.epoch, b.link.bearer, b.welcomed.length], ['stopped', 0, '', 0])
})

test('a challenge that was still being answered is not answered on another socket', async () => {
  const b = await bench()
  b.socket().tell({ kind: 'challenge', nonce: 'abc', key: gatewayKey, range: { name: 'nod-runtime-protocol', min_version: 1, max_version: 1 } })
  await Promise.resolve() // it is read
  b.link.start()
  await settled()
  assert.deepEqual(sockets.map((s) => s.sent.length), [0, 0])
  await b.challenge({ nonce: 'def' })
  assert.deepEqual(b.socket().sent.map((f) => JSON.parse(f.body).challenge), ['def'])
  await b.welcome()
  assert.equal(b.link.state, 'open')
})
