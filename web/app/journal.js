// What this phone did with each call: received, decided, armed, disarmed,
// ended, acked. Each line is on disk before what follows it is done.

import { transact } from './db.js'

/**
 * @typedef {import('./wire.js').Signed} Signed
 * @typedef {{
 *   call: string, state: 'received' | 'decided' | 'armed' | 'disarmed' | 'ended' | 'acked',
 *   digest: string, acts: boolean, body: string, at: number, deadline: number,
 *   choice?: import('./phone.js').Choice, decision?: Signed, result?: Signed, again?: number[], read?: boolean, payload?: { text: string, salt: string },
 *   token?: string, callback?: string, prepared?: { ok: Signed, cancel: Signed, error: Signed },
 * }} Row
 *   body: the offer's bytes; at, deadline and again (when the person opened it once more): by this phone's date;
 *   token: of the page that tells that the launch failed; callback: of the address that a Shortcut calls at its end;
 *   prepared: the results that wait there; read: it gives something out and does nothing else; payload: what was read, until the gateway has it
 */

// Bodies hold what agents wrote, so they go after a week. That a call was dealt
// with is kept: a call seen again must never start again.
const KEEP_BODY = 7 * 86_400_000
// What was read and nod never took is worth nothing to an agent by then.
const KEEP_PAYLOAD = 86_400_000

/** @returns {Promise<Row[]>} */
export const rows = () => transact('journal', 'readonly', (s) => s.getAll())

/** @param {string} call @returns {Promise<Row | undefined>} */
export const row = (call) => transact('journal', 'readonly', (s) => s.get(call))

/** Another window has written of the call meanwhile. */
export class Overtaken extends Error {}

/**
 * Writes a row in the place of one in a known state, or of none: two windows
 * never make two things of one call.
 * @param {Row} entry @param {Row['state'] | undefined} was
 */
export async function write(entry, was) {
  /** @type {unknown} */ let problem
  await transact('journal', 'readwrite', (s) => {
    const now = s.get(entry.call)
    now.onsuccess = () => {
      try {
        if (now.result?.state !== was) throw new Overtaken()
        s.put(entry)
      } catch (e) {
        problem = e
      }
    }
    return now
  })
  if (problem) throw problem
}

/** @param {Row} r @param {number} now the date */
export function faded(r, now) {
  return (r.state === 'acked' || r.state === 'received') && r.body !== '' && now - r.at > KEEP_BODY
}

/** Whether what was read has waited in vain; that it was read is still owed. @param {Row} r @param {number} now the date */
export const stale = (r, now) => r.payload !== undefined && now - r.at > KEEP_PAYLOAD

/** Empties what is no longer needed. @param {Row[]} all @param {number} now the date */
export async function fade(all, now) {
  for (const r of all) {
    if (faded(r, now)) await write({ ...r, body: '', decision: undefined, result: undefined, prepared: undefined, payload: undefined }, r.state)
    else if (stale(r, now)) await write({ ...r, payload: undefined }, r.state)
  }
}

/** The last route that this phone started. @returns {Promise<import('./uris.js').Route | undefined>} */
export const readRoute = () => transact('phone', 'readonly', (s) => s.get('route'))

/** @param {import('./uris.js').Route} route */
export const writeRoute = (route) => transact('phone', 'readwrite', (s) => s.put(route, 'route'))
