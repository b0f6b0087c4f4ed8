// This phone's key and what it was paired with. The private key can sign here
// and can never be read out, by this code or any other.

import { transact } from './db.js'
import { encode64 } from './wire.js'

/**
 * @typedef {{
 *   phone: string, name: string, person: string, personName: string,
 *   gatewayKey: string, publicKey: string, keys: CryptoKeyPair,
 * }} Identity who this phone is, once it counts
 * @typedef {{ size: number, root: string, at: number, person: string }} Head
 */

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' }

/** @returns {Promise<{ keys: CryptoKeyPair, publicKey: string }>} */
export async function makeKeys() {
  const keys = await crypto.subtle.generateKey(CURVE, false, ['sign', 'verify'])
  const raw = await crypto.subtle.exportKey('raw', keys.publicKey)
  return { keys, publicKey: encode64(new Uint8Array(raw)) }
}

/** @returns {Promise<Identity | undefined>} */
export const readIdentity = () => transact('phone', 'readonly', (s) => s.get('identity'))

/** @param {Identity} identity */
export const writeIdentity = (identity) => transact('phone', 'readwrite', (s) => s.put(identity, 'identity'))

/** The newest log head this phone has seen: what a gateway that went back in time is known by. @returns {Promise<Head | undefined>} */
export const readHead = () => transact('phone', 'readonly', (s) => s.get('head'))

/** @param {Head} head */
export const writeHead = (head) => transact('phone', 'readwrite', (s) => s.put(head, 'head'))
