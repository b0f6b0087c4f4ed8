// People whom the person picks in the browser's own picker. There is no search
// and no look at anybody else: what comes back is who was picked, and of them
// what was left ticked.

import { shortened } from './data.js'
import { isError, SECOND, within } from './wait.js'

const PICK_MS = 120 * SECOND
const LIMIT = 5
const WANTED = ['name', 'tel', 'email']

/**
 * @typedef {{ name?: string[], tel?: string[], email?: string[] }} Person
 * @typedef {{ select: (properties: string[], options: { multiple: boolean }) => Promise<Person[]>, getProperties?: () => Promise<string[]> }} Picker
 * @typedef {import('./device.js').Made} Made
 */

/** @type {import('./device.js').Prepare} */
export async function prepare(fields) {
  const picker = /** @type {any} */ (navigator).contacts
  const properties = await known(picker)
  return { needs: 'tap', start: () => pick(fields, picker, properties) }
}

/** What this picker can give: one that is asked for more gives nothing. @param {Picker} picker */
export async function known(picker) {
  const has = await picker.getProperties?.().catch(() => null)
  return has ? WANTED.filter((p) => has.includes(p)) : WANTED
}

/**
 * @param {{ query?: string, limit?: number }} fields @param {Picker} picker @param {string[]} properties
 * @returns {Promise<Made>}
 */
export async function pick({ query = '', limit = LIMIT }, picker, properties) {
  try {
    const picked = await within(picker.select(properties, { multiple: limit > 1 }), PICK_MS)
    if (picked === null) return failed('nobody_answered')
    if (!picked.length) return failed('not_picked') // closed; some say so by an error
    return { ok: true, reason: 'read', data: shortened({ query, count: picked.length, people: picked.slice(0, limit).map(person) }, 'people') }
  } catch (e) {
    if (isError(e, 'AbortError')) return failed('not_picked')
    return failed(isError(e, 'NotAllowedError', 'SecurityError') ? 'not_allowed' : 'failed')
  }
}

/** @param {Person} p */
const person = ({ name = [], tel = [], email = [] }) => ({
  name: name.find((n) => n?.trim()) ?? '',
  phones: once(tel, (t) => t.replace(/[^\d+*#]/g, '')).map((value) => ({ value, type: '' })),
  emails: once(email, (e) => e.toLowerCase()),
})

/** The same thing written twice is one thing: each account of a phone has its own copy. @param {string[]} values @param {(value: string) => string} same */
function once(values, same) {
  const seen = new Map(values.filter((v) => v?.trim()).reverse().map((v) => [same(v) || v, v]))
  return [...seen.values()].reverse()
}

/** @param {string} reason @returns {Made} */
const failed = (reason) => ({ ok: false, reason })
