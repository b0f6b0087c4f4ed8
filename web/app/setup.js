// How far this phone has come, kept so that a person can go away in the middle
// and find the place again.

import { transact } from './db.js'

/**
 * @typedef {{ step: 'install' | 'wake', off: number }} Setup what is left once a phone is paired; off: by how much its clock is off (ms), 0 where that is no news
 * @typedef {{
 *   id: string, name: string, digits: string, reply: import('./pairing.js').Reply, publicKey: string, keys: CryptoKeyPair, off: number,
 * }} Pending a pairing that waits for another phone's yes: no secret is in it, the link is used up
 */

/** @returns {Promise<Setup | undefined>} */
export const readSetup = () => transact('phone', 'readonly', (s) => s.get('setup'))

/** @param {Setup} setup */
export const writeSetup = (setup) => transact('phone', 'readwrite', (s) => s.put(setup, 'setup'))

export const dropSetup = () => transact('phone', 'readwrite', (s) => s.delete('setup'))

/** @returns {Promise<Pending | undefined>} */
export const readPending = () => transact('phone', 'readonly', (s) => s.get('pending'))

/** @param {Pending} pending */
export const writePending = (pending) => transact('phone', 'readwrite', (s) => s.put(pending, 'pending'))

export const dropPending = () => transact('phone', 'readwrite', (s) => s.delete('pending'))
