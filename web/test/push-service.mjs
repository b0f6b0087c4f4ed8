// A push service for tests: takes what a gateway sends, checks that the gateway
// is who it says (VAPID, RFC 8292), and reads what only the browser could
// (RFC 8291), for the browser it then hands it to.

import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import { createServer } from 'node:http'

const LONGEST_MS = 24 * 3_600_000
/** How long a message may take. */
const LATE_MS = 60_000

export class PushService {
  /** What the service answers. */
  status = 201
  /** Messages that nobody has read yet. @type {{ body: any, headers: import('node:http').IncomingHttpHeaders, host: string }[]} */ #inbox = []
  /** @type {((message: any) => void)[]} */ #readers = []
  /** What was wrong with what came. @type {string[]} */ faults = []
  /** How many came, whatever was answered. */
  count = 0

  static async start() {
    const service = new PushService()
    service.server = createServer((request, response) => service.#take(request, response))
    await new Promise((resolve) => service.server.listen(0, '127.0.0.1', () => resolve(undefined)))
    service.host = `127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (service.server.address()).port}`
    service.browser = createECDH('prime256v1')
    service.browser.generateKeys()
    service.auth = randomBytes(16)
    return service
  }

  stop() {
    this.server.closeAllConnections()
    this.server.close()
  }

  /** What a browser would say of its subscription here. */
  get subscription() {
    return { endpoint: `http://${this.host}/push/${'x'.repeat(40)}`, p256dh: this.browser.getPublicKey('base64url'), auth: this.auth.toString('base64url') }
  }

  /** The next message, decrypted. @returns {Promise<{ body: any, headers: import('node:http').IncomingHttpHeaders }>} */
  next() {
    const message = this.#inbox.shift()
    if (message) return Promise.resolve(message)
    return new Promise((resolve, reject) => {
      const late = setTimeout(reject, LATE_MS, new Error('no message came'))
      this.#readers.push((next) => {
        clearTimeout(late)
        resolve(next)
      })
    })
  }

  /** Messages that came and were not read. */
  get waiting() {
    return this.#inbox.length
  }

  /** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
  async #take(request, response) {
    this.count++
    const parts = []
    for await (const part of request) parts.push(part)
    if (this.status >= 300) return response.writeHead(this.status).end()
    try {
      const { headers } = request
      checkVapid(headers.authorization ?? '', `http://${this.host}`)
      if (!/^\d+$/.test(headers.ttl ?? '')) throw new Error('no TTL')
      if (headers['content-encoding'] !== 'aes128gcm') throw new Error('another encoding')
      const message = { body: JSON.parse(this.#open(Buffer.concat(parts)).toString()), headers, host: this.host }
      const reader = this.#readers.shift()
      if (reader) reader(message)
      else this.#inbox.push(message)
      response.writeHead(this.status).end()
    } catch (e) {
      this.faults.push(String(e))
      response.writeHead(400).end()
    }
  }

  /** Decrypts one record of RFC 8188 with the keys of RFC 8291. @param {Buffer} sealed */
  #open(sealed) {
    const salt = sealed.subarray(0, 16)
    const sender = sealed.subarray(21, 21 + sealed[20])
    const secret = hkdf(this.browser.computeSecret(sender), this.auth, Buffer.concat([Buffer.from('WebPush: info\0'), this.browser.getPublicKey(), sender]), 32)
    const key = hkdf(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
    const nonce = hkdf(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12)
    const record = sealed.subarray(21 + sealed[20])
    const cipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(record.subarray(-16))
    const plain = Buffer.concat([cipher.update(record.subarray(0, -16)), cipher.final()])
    const end = plain.lastIndexOf(2) // the last record's delimiter; zeros follow it
    if (end < 0 || plain.subarray(end + 1).some((b) => b !== 0)) throw new Error('padding')
    return plain.subarray(0, end)
  }
}

/** @param {Buffer} secret @param {Buffer} salt @param {Buffer} info @param {number} length */
const hkdf = (secret, salt, info, length) => Buffer.from(hkdfSync('sha256', secret, salt, info, length))

/** @param {string} header @param {string} audience */
function checkVapid(header, audience) {
  const { t, k } = /^vapid t=(?<t>[\w.-]+), ?k=(?<k>[\w-]+)$/.exec(header)?.groups ?? {}
  if (!t || !k) throw new Error('no VAPID')
  const [head, claims, signature] = t.split('.')
  const point = Buffer.from(k, 'base64url')
  const key = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x: point.subarray(1, 33).toString('base64url'), y: point.subarray(33).toString('base64url') } })
  if (!verify('sha256', Buffer.from(`${head}.${claims}`), { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'))) throw new Error('a forged token')
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString())
  const left = exp * 1000 - Date.now()
  if (aud !== audience) throw new Error(`for ${aud}`)
  if (left <= 0 || left > LONGEST_MS) throw new Error(`good for ${left} ms`)
  if (!/^(mailto:[^@]+@[^@.]+\.[^@]+|https:\/\/.+)$/.test(sub)) throw new Error(`sub ${sub}`)
}
