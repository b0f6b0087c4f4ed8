// The phone's end of the link over a socket in memory, with clocks of its own.

import { afterEach } from 'node:test'

import { Link } from '../../app/gateway.js'
import { encode64, generateKey, parseFrame, publicBytes, sign } from '../../app/wire.js'

export const keys = { gateway: await generateKey(), phone: await generateKey(), stranger: await generateKey() }
export const gatewayKey = encode64(await publicBytes(keys.gateway.publicKey))
export const HEAD = { person: 'person_a', size: 0, root: '', at: 1 }

/** The sockets of the test at hand, in order. @type {Socket[]} */ export const sockets = []
class Socket {
  readyState = 1
  /** @type {any[]} */ sent = []
  /** Characters from the gateway, and to it: all of them are ASCII. */ down = 0
  up = 0

  constructor(url, protocol) {
    Object.assign(this, { url, protocol })
    sockets.push(this)
  }

  send(data) {
    this.up += data.length
    this.sent.push(parseFrame(data))
  }

  close() {
    this.readyState = 3
  }

  /** From the gateway. */
  async hear(frame) {
    this.tell(frame)
    await settled()
  }

  /** From the gateway, without waiting for what comes of it. */
  tell(frame) {
    const data = JSON.stringify(frame)
    this.down += data.length
    this.onmessage({ data })
  }

  async end(code) {
    this.onclose({ code })
    await settled()
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Until the signatures, which are made on other threads, are there. */
export async function settled() {
  for (const start = performance.now(); performance.now() - start < 50;) await turn()
}

/** Until something is so. @param {() => unknown} there */
async function until(there) {
  for (const start = performance.now(); !there() && performance.now() - start < 10_000;) await turn()
}

/** Links of the test at hand: one that is not stopped tries for ever. @type {Link[]} */ const links = []
afterEach(() => links.splice(0).forEach((link) => link.stop()))

/** @param {{ head?: any, Socket?: any }} [options] */
export async function bench({ head, Socket: Other = Socket } = {}) {
  sockets.length = 0
  const b = { changes: 0, frames: [], welcomed: [], head, visible: true, offline: false, now: () => performance.now(), wall: () => Date.now() }
  b.link = new Link({
    url: 'ws://localhost/link', me: 'phone_a', gatewayKey, gateway: keys.gateway.publicKey, sign: (kind, body) => sign(keys.phone.privateKey, kind, body),
    hello: () => ({ zone: 'Europe/Lisbon', locale: 'en', capabilities: [] }),
    heads: { read: async () => b.head, write: async (h) => { b.head = h } },
    visible: () => b.visible, offline: () => b.offline, now: () => b.now(), wall: () => b.wall(),
    changed: () => { b.changes++ }, welcomed: (w) => b.welcomed.push(w), frame: (f) => b.frames.push(f), Socket: Other,
  })
  links.push(b.link)
  b.link.start()
  b.socket = () => sockets.at(-1)
  b.challenge = async (change = {}) => {
    b.socket().tell({ kind: 'challenge', nonce: 'abc', key: gatewayKey, range: { name: 'nod-runtime-protocol', min_version: 1, max_version: 1 }, ...change })
    await until(() => b.socket().sent.length || b.link.state !== 'connecting')
  }
  b.welcome = async (change = {}, key = keys.gateway) => {
    const { body } = b.socket().sent.find((f) => f.kind === 'hello')
    const signed = await sign(key.privateKey, 'welcome', {
      phone: 'phone_a', nonce: JSON.parse(body).nonce, epoch: 3, at: 1, version: 1, gateway: 'test', person: 'Ana', open: [], phones: [], head: HEAD, ...change,
    })
    const socket = b.socket()
    socket.tell({ ...signed, bearer: 'secret' })
    await until(() => b.link.state !== 'connecting' || socket.readyState === 3)
    await settled()
  }
  return b
}
