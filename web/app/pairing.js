// How this browser becomes a phone: both sides prove that they know the secret
// of the pairing link, over everything they said to each other.

import { call } from './api.js'
import { canonical, decode64, digest, encode64, sign, utf8 } from './wire.js'

/**
 * @typedef {{ phone: string, person: string, person_name: string, gateway_key: string, first: boolean, mac: string }} Reply
 * @typedef {{ id: string, key: string, name: string, host: 'web', nonce: string }} Said
 */

const SECRET_BYTES = 16

/**
 * Reads a pasted link, or the code alone: the part after #.
 * @param {string} text
 * @returns {Uint8Array<ArrayBuffer> | null}
 */
export function readSecret(text) {
  const code = text.trim().split('#').at(-1) ?? ''
  try {
    const secret = decode64(code)
    return secret.length === SECRET_BYTES ? secret : null
  } catch {
    return null
  }
}

/** A name that a person reads on screens and in the console. @param {string} name */
export function nameFits(name) {
  return name.trim() === name && [...name].length >= 1 && [...name].length <= 60 && !/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(name)
}

/** @param {Uint8Array<ArrayBuffer>} secret */
export async function pairId(secret) {
  return encode64((await digest(joined('nod/1 pair id\n', secret))).slice(0, 16))
}

/** The side that answers did not know the secret. */
export class NoProof extends Error {}

/**
 * @param {Uint8Array<ArrayBuffer>} secret @param {string} publicKey @param {string} name
 * @returns {Promise<{ said: Said, reply: Reply, digits: string, clock: number | null }>} clock: the date that the other side's computer has
 */
export async function ask(secret, publicKey, name) {
  /** @type {Said} */
  const said = { id: await pairId(secret), key: publicKey, name, host: 'web', nonce: encode64(crypto.getRandomValues(new Uint8Array(16))) }
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
  const mac = encode64(new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8(`nod/1 pair phone\n${canonical(said)}`))))
  let clock = NaN
  /** @type {Reply} */
  const reply = await call('POST', '/pair', { body: { ...said, mac }, heard: ({ headers }) => { clock = Date.parse(headers.get('Date') ?? '') } })
  const transcript = gatewayTranscript(said, reply)
  if (!(await crypto.subtle.verify('HMAC', key, bytesOf(reply.mac), transcript))) throw new NoProof()
  return { said, reply, digits: await digitsOf(transcript), clock: Number.isNaN(clock) ? null : clock }
}

/** @param {Said} said @param {Reply} reply */
export function gatewayTranscript(said, { phone, person, gateway_key, first }) {
  return utf8(`nod/1 pair gateway\n${canonical({ ...said, phone, person, gateway_key, first })}`)
}

/** The six digits that both screens show. @param {Uint8Array<ArrayBuffer>} transcript */
export async function digitsOf(transcript) {
  const sum = await digest(transcript)
  let n = 0
  for (const byte of sum) n = (n * 256 + byte) % 1_000_000
  return String(n).padStart(6, '0')
}

/**
 * The first phone vouches for itself.
 * @param {CryptoKeyPair} keys @param {Said} said @param {Reply} reply
 */
export async function vouch(keys, said, reply) {
  const record = await sign(keys.privateKey, 'phone', {
    phone: reply.phone, person: reply.person, name: said.name, host: said.host, key: said.key, signer: reply.phone,
  })
  await call('POST', '/pair/record', { body: { id: said.id, record } })
}

/** How a later phone's pairing stands; takes as long as the gateway holds it. @param {string} id @param {AbortSignal} signal @returns {Promise<{ state: 'waiting' | 'approved' | 'rejected' | 'expired' }>} */
export const wait = (id, signal) => call('GET', `/pair/wait?id=${encodeURIComponent(id)}`, { signal })

/** @param {string} text */
function bytesOf(text) {
  try {
    return decode64(text)
  } catch {
    return new Uint8Array()
  }
}

/** @param {string} label @param {Uint8Array} bytes */
function joined(label, bytes) {
  const head = utf8(label)
  const whole = new Uint8Array(head.length + bytes.length)
  whole.set(head)
  whole.set(bytes, head.length)
  return whole
}
