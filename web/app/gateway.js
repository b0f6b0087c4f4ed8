// The phone's end of the link: says who it is, proves it, checks who answers,
// and keeps the connection honest. What travels over it is host.js's business.

import { delay } from './backoff.js'
import { APP_VERSION, PROTOCOL } from './contract.js'
import { extendsHead } from './tree.js'
import { decode64, encode64, encodeFrame, open, parseFrame } from './wire.js'

/**
 * @typedef {'connecting' | 'open' | 'waiting' | 'set_back' | 'revoked' | 'wrong_gateway' | 'version' | 'replaced' | 'stopped'} LinkState
 *   waiting: for the next try. set_back: the gateway's log is older than what this
 *   phone saw, and no offers are taken. The last five do not try again by themselves.
 * @typedef {import('./keys.js').Head} Head
 * @typedef {{ old: Head, now: Head, changed: boolean, to: number }} SetBack changed: the log was rewritten, not only cut; to: when what it still knows ends
 * @typedef {{
 *   phone: string, epoch: number, version: number, gateway: string, person: string, open: string[], phones: import('./wire.js').Signed[],
 *   head: Head, proof?: string[], set_back?: boolean, set_back_to?: number, paused?: boolean,
 * }} Welcome
 *
 * @typedef {{
 *   url: string, me: string, gatewayKey: string, gateway: CryptoKey,
 *   sign: (kind: string, body: unknown) => Promise<import('./wire.js').Signed>,
 *   hello: () => Record<string, unknown>,
 *   heads: { read(): Promise<Head | undefined>, write(head: Head): Promise<unknown> },
 *   visible: () => boolean, offline: () => boolean, now: () => number, wall: () => number,
 *   changed: () => void, welcomed: (welcome: Welcome) => void, frame: (frame: { kind: string, [key: string]: any }) => void,
 *   Socket?: typeof WebSocket,
 * }} Parts offline: the browser says that there is no network; now: a clock that never jumps and may stand still while the phone sleeps; wall: the date
 */

const SILENT_MS = 25_000
/** A try younger than this was made on the network of now. */
const FRESH_MS = 1_000
const ENDINGS = /** @type {Record<number, LinkState>} */ ({ 4001: 'revoked', 4002: 'version', 4006: 'replaced', 4007: 'revoked' })

export class Link {
  /** @type {LinkState} */ state = 'stopped'
  epoch = 0
  bearer = ''
  /** When the gateway was last heard, and when the next try is (mono). */
  seen = 0
  retryAt = 0
  /** @type {Welcome | null} */ welcome = null
  /** @type {SetBack | null} */ setBack = null
  #failures = 0
  #began = 0
  #seenAt = 0
  /** @type {WebSocket | null} */ #socket = null
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #silence
  #nonce = ''
  /** @type {(state: LinkState) => unknown} */ #awaited = () => {}

  /** @param {Parts} parts */
  constructor(parts) {
    this.parts = parts
  }

  /** Connects, and keeps connecting until stopped. */
  start() {
    clearTimeout(this.#timer)
    this.#drop()
    this.#began = this.parts.now()
    this.#to('connecting')
    const socket = new (this.parts.Socket ?? WebSocket)(this.parts.url, 'nod.1')
    this.#socket = socket
    // Frames are taken in order, though checking one takes time.
    let inbox = Promise.resolve()
    socket.onmessage = (e) => {
      inbox = inbox.then(() => this.#heard(socket, e.data)).catch(() => socket.close())
    }
    socket.onclose = (e) => inbox.then(() => this.#closed(socket, e.code))
    this.#listen(socket)
  }

  /** @param {LinkState} [state] */
  stop(state = 'stopped') {
    clearTimeout(this.#timer)
    this.send({ kind: 'bye', reason: state })
    this.#drop()
    this.#to(state)
  }

  /** The network or the screen came back: what was waited for may be there. */
  poke() {
    this.check()
    this.#failures = 0
    if (this.state === 'waiting') this.start()
  }

  /** The phone is on another network: an old socket looks open for minutes, and carries nothing. */
  moved() {
    this.#failures = 0
    if (this.state === 'connecting' && this.parts.now() - this.#began < FRESH_MS) return
    if (this.#socket || this.state === 'waiting') this.start()
  }

  /** The page is being put to sleep and will answer no beat: the gateway hears it now, not 25 s later. */
  sleep() {
    if (!this.#socket) return
    this.send({ kind: 'bye', reason: 'asleep' })
    this.#again()
  }

  /** Timers stand still in a page that is hidden or asleep: silence is judged by the clocks too. */
  check() {
    const { now, wall } = this.parts
    if (this.#socket && Math.max(now() - this.seen, wall() - this.#seenAt) >= SILENT_MS) this.#again()
  }

  /** @param {Record<string, unknown>} frame @returns {boolean} whether it was handed to the network */
  send(frame) {
    if (!this.#socket || this.#socket.readyState !== 1 || !this.epoch) return false
    this.#socket.send(encodeFrame(/** @type {{ kind: string }} */ (frame)))
    return true
  }

  /** Whether the link comes into a state within a time. @param {LinkState} state @param {number} ms @returns {Promise<boolean>} */
  becomes(state, ms) {
    return new Promise((resolve) => {
      this.#awaited = (now) => now === state && resolve(true)
      setTimeout(() => resolve(false), ms)
    })
  }

  /** The person accepted that the log went back: its head is the one to go on from. */
  async accept() {
    if (!this.setBack) return
    await this.parts.heads.write(this.setBack.now)
    this.setBack = null
    this.start() // offers come with the next welcome
  }

  /** @param {WebSocket} socket @param {string} data */
  async #heard(socket, data) {
    if (socket !== this.#socket) return
    this.#listen(socket)
    const frame = parseFrame(data)
    switch (frame.kind) {
      case 'challenge':
        return this.#challenged(socket, frame)
      case 'welcome':
        return this.#welcomed(socket, frame)
      case 'beat':
        this.send({ kind: 'beat', n: frame.n })
        return
      case 'revoked': {
        const body = /** @type {any} */ (await open(this.parts.gateway, 'revoked', signedOf(frame)))
        if (body.phone === this.parts.me) this.stop('revoked')
        return
      }
    }
    if (this.state === 'open') this.parts.frame(frame)
  }

  /** @param {WebSocket} socket @param {{ [key: string]: any }} frame */
  async #challenged(socket, { nonce, key, range }) {
    const { parts } = this
    if (key !== parts.gatewayKey) return this.stop('wrong_gateway')
    if (range.max_version < PROTOCOL.min_version || range.min_version > PROTOCOL.max_version) return this.stop('version')
    const own = (this.#nonce = encode64(crypto.getRandomValues(new Uint8Array(32))))
    const head = await parts.heads.read()
    const hello = await parts.sign('hello', {
      ...parts.hello(), phone: parts.me, challenge: nonce, nonce: own, range: PROTOCOL, host: 'web', app_version: APP_VERSION,
      screen: true, visible: parts.visible(), ...(head && { head }),
    })
    if (socket === this.#socket) socket.send(encodeFrame(hello))
  }

  /** @param {WebSocket} socket @param {{ kind: string, [key: string]: any }} frame */
  async #welcomed(socket, frame) {
    const { parts } = this
    const welcome = /** @type {Welcome & { nonce: string }} */ (/** @type {unknown} */ (await open(parts.gateway, 'welcome', signedOf(frame))))
    if (welcome.nonce !== this.#nonce || welcome.phone !== parts.me) throw new TypeError('the welcome answers another hello')
    const setBack = await this.#wentBack(welcome)
    if (socket !== this.#socket) return // gone while it was checked
    if (!setBack) await parts.heads.write(welcome.head)
    if (socket !== this.#socket) return
    this.#failures = 0
    this.epoch = welcome.epoch
    this.bearer = String(frame.bearer ?? '')
    this.welcome = welcome
    this.setBack = setBack
    this.#to(this.setBack ? 'set_back' : 'open')
    if (!this.setBack) parts.welcomed(welcome)
  }

  /** @param {Welcome} welcome @returns {Promise<SetBack | null>} */
  async #wentBack({ head, proof = [], set_back: told, set_back_to: to = head.at }) {
    const old = await this.parts.heads.read()
    if (!old) return told ? { old: head, now: head, changed: false, to } : null
    const grown = await extendsHead(proof.map(bytes), { size: old.size, root: bytes(old.root) }, { size: head.size, root: bytes(head.root) })
    if (grown && !told) return null
    return { old, now: head, changed: !grown && head.size >= old.size, to }
  }

  /** @param {WebSocket} socket @param {number} code */
  #closed(socket, code) {
    if (socket !== this.#socket) return
    const ending = ENDINGS[code]
    if (!ending) return this.#again()
    this.#drop()
    this.#to(ending)
  }

  /** There is no connection now; the next try is later. */
  #again() {
    this.#drop()
    this.#failures++
    const { visible, offline } = this.parts
    const wait = delay(this.#failures, visible(), offline(), Math.random())
    clearTimeout(this.#timer)
    this.retryAt = this.parts.now() + wait
    this.#timer = setTimeout(() => this.start(), wait)
    this.#to('waiting')
  }

  /** Silence for 25 s is no connection, whatever the socket says. @param {WebSocket} socket */
  #listen(socket) {
    this.seen = this.parts.now()
    this.#seenAt = this.parts.wall()
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => socket === this.#socket && this.#again(), SILENT_MS)
  }

  #drop() {
    clearTimeout(this.#silence)
    const socket = this.#socket
    this.#socket = null
    this.epoch = 0
    this.bearer = ''
    socket?.close()
  }

  /** @param {LinkState} state */
  #to(state) {
    this.state = state
    this.#awaited(state)
    this.parts.changed()
  }
}

/** Base64 of either alphabet, with or without padding. @param {string} text */
function bytes(text) {
  return decode64(text.replace(/=+$/, '').replace(/\+/g, '-').replace(/\//g, '_'))
}

/** @param {{ kind: string, [key: string]: any }} frame */
const signedOf = ({ kind, body, sig }) => ({ kind, body, sig })
