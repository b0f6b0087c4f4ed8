/**
 * What a phone and the gateway must agree on to the last byte: strict JSON,
 * canonical JSON (json.js), digests, signatures and frames. The twin of the Go
 * package internal/wire; both run the rows of spec/vectors/.
 */

import { WireError, canonical, parse, parseCanonical, utf8 } from './json.js'

export { MAX_DEPTH, WireError, canonical, parse, parseCanonical, utf8 } from './json.js'

/** @typedef {import('./json.js').Json} Json */
/** @typedef {import('./json.js').Bytes} Bytes */

/**
 * A body with a signature over it. `body` is the signed text itself, so nobody
 * has to write it again to check the signature.
 * @typedef {{ kind: string, body: string, sig: string }} Signed
 */

/** A frame of the link: an object with a kind. @typedef {{ kind: string, [key: string]: Json }} Frame */

/** The largest frame either side may send, in bytes. */
export const MAX_FRAME = 64 * 1024

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256' }
const ECDSA_SHA256 = { name: 'ECDSA', hash: 'SHA-256' }

/** SHA-256. @param {string | Bytes} data @returns {Promise<Bytes>} */
export async function digest(data) {
  const bytes = typeof data === 'string' ? utf8(data) : data
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

/** base64url without padding. @param {Uint8Array} bytes */
export function encode64(bytes) {
  let s = ''
  for (const b of bytes) s += String.fromCharCode(b)
  return btoa(s).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Reads base64url without padding and no other form. @param {string} s @returns {Bytes} */
export function decode64(s) {
  if (/^[A-Za-z0-9_-]*$/.test(s) && s.length % 4 !== 1) {
    const bytes = Uint8Array.from(atob(s.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0))
    if (encode64(bytes) === s) return bytes // stray bits in the last character do not come back
  }
  throw new WireError('value', 'has a text that is not base64url without padding')
}

/**
 * The digest by which repeats are told: who asks whom for what.
 * @param {{ person: string, agent: string, phone: string, tool: string, action: string, fields: { [key: string]: Json } }} act
 */
export async function actDigest({ person, agent, phone, tool, action, fields }) {
  return digest(canonical({ person, agent, phone, tool, action, fields }))
}

/** A fresh key pair whose private half never leaves the browser. @returns {Promise<CryptoKeyPair>} */
export async function generateKey() {
  return crypto.subtle.generateKey(ECDSA, false, ['sign', 'verify'])
}

/** A public key as it stands on the wire: 65 bytes. @param {CryptoKey} key @returns {Promise<Bytes>} */
export async function publicBytes(key) {
  return new Uint8Array(await crypto.subtle.exportKey('raw', key))
}

/** Reads a public key: SEC 1 uncompressed, a point of P-256. @param {Bytes} bytes @returns {Promise<CryptoKey>} */
export async function parsePublic(bytes) {
  if (bytes.length !== 65 || bytes[0] !== 4) throw new WireError('value', 'has a public key that is not 65 bytes')
  try {
    return await crypto.subtle.importKey('raw', bytes, ECDSA, true, ['verify'])
  } catch {
    throw new WireError('value', 'has a public key that is not a point of P-256')
  }
}

/**
 * What is signed: the protocol and the kind on a line of their own, then the body.
 * @param {string} kind @param {string} body
 */
function message(kind, body) {
  if (!/^[a-z_]{1,64}$/.test(kind)) throw new WireError('value', 'needs a kind of small letters and underscores')
  return utf8(`nod/1 ${kind}\n${body}`)
}

/**
 * Writes a body canonically and signs it as a kind.
 * @param {CryptoKey} privateKey @param {string} kind @param {unknown} body
 * @returns {Promise<Signed>}
 */
export async function sign(privateKey, kind, body) {
  const text = canonical(body)
  const sig = await crypto.subtle.sign(ECDSA_SHA256, privateKey, message(kind, text))
  return { kind, body: text, sig: encode64(new Uint8Array(sig)) }
}

/**
 * Whether the signature fits the bytes and the key. Never throws for what a
 * stranger sent.
 * @param {CryptoKey} publicKey @param {Signed} signed
 */
export async function verify(publicKey, signed) {
  try {
    const sig = decode64(signed.sig)
    return sig.length === 64 && (await crypto.subtle.verify(ECDSA_SHA256, publicKey, sig, message(signed.kind, signed.body)))
  } catch {
    return false
  }
}

/**
 * Verifies a signed thing of the given kind and reads its body, which must be
 * canonical.
 * @param {CryptoKey} publicKey @param {string} kind @param {Signed} signed
 * @returns {Promise<Json>}
 */
export async function open(publicKey, kind, signed) {
  if (signed.kind !== kind) throw new WireError('value', `is not a ${kind}`)
  if (!(await verify(publicKey, signed))) throw new WireError('value', `has a signature that does not fit this ${kind} and the key`)
  return parseCanonical(signed.body)
}

/**
 * Writes a frame for the link. @param {{ kind: string, [key: string]: unknown }} frame
 */
export function encodeFrame(frame) {
  if (typeof frame.kind !== 'string' || frame.kind === '') throw new WireError('value', 'has a frame without a kind')
  const text = canonical(frame)
  if (utf8(text).length > MAX_FRAME) throw new WireError('value', `has a frame of more than ${MAX_FRAME} bytes`)
  return text
}

/**
 * Reads a frame from the link; keys and kinds that are not known are for the
 * caller to ignore.
 * @param {string | Uint8Array} data
 * @returns {Frame}
 */
export function parseFrame(data) {
  const bytes = typeof data === 'string' ? utf8(data) : data
  if (bytes.length > MAX_FRAME) throw new WireError('value', `has a frame of more than ${MAX_FRAME} bytes`)
  const frame = parse(bytes)
  if (frame === null || typeof frame !== 'object' || Array.isArray(frame) || typeof frame.kind !== 'string' || frame.kind === '') {
    throw new WireError('value', 'is not a frame: an object with a kind')
  }
  return /** @type {Frame} */ (frame)
}
