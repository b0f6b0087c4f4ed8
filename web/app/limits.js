// The fourth step of the check: what a card could not show in full and as it
// is, is refused, never cut. The twin of internal/action/limits.go. Pure.

import { linkProblem } from './link.js'
import { spec } from './spec.js'

/**
 * @typedef {import('./check.js').Action} Action
 * @typedef {import('./check.js').Field} Field
 * @typedef {import('./wire.js').Json} Json
 * @typedef {(key: string, values?: Record<string, string>) => string} Say
 * @typedef {readonly (readonly number[])[]} Spans
 */

const PHONE = spec.phone
const encoder = new TextEncoder()

/**
 * Goes through the fields in the card's order and returns the first problem.
 * @param {Action} action @param {readonly string[]} order @param {Record<string, Field>} fields @param {Say} say
 * @returns {{ field: string, what: string } | null}
 */
export function limits(action, order, fields, say) {
  for (const field of order) {
    if (action.fields[field] === undefined) continue
    const what = fieldLimit(fields[field], action.fields[field], say)
    if (what) return { field, what }
  }
  const limit = PHONE.limits.total_bytes
  if (bytesIn(action.fields) + bytesIn(action.summary) <= limit) return null
  return { field: action.name, what: say('limit_bytes', { max: String(limit) }) }
}

/** @param {Field} f @param {Json} v @param {Say} say @returns {string | null} */
function fieldLimit(f, v, say) {
  if (typeof v === 'string') return textLimit(f, v, say)
  if (Array.isArray(v)) {
    if (f.max_items && v.length > f.max_items) return say('limit_items', { max: String(f.max_items) })
    return first(v, (item) => fieldLimit(f, item, say))
  }
  if (typeof v !== 'object' || v === null) return null
  if (f.is === 'values') return valuesLimit(f, v, say)
  return first(['query', 'name'], (key) => (v[key] === undefined ? null : textLimit(f, String(v[key]), say)))
}

/** The first problem among some things. @template T @param {readonly T[]} things @param {(thing: T) => string | null} look */
function first(things, look) {
  for (const thing of things) {
    const problem = look(thing)
    if (problem) return problem
  }
  return null
}

/** Length first, then the characters, then a link. @param {Field} f @param {string} s @param {Say} say */
function textLimit(f, s, say) {
  if (f.max_chars && [...s].length > f.max_chars) return say('limit_chars', { max: String(f.max_chars) })
  const problem = charactersLimit(f.class, s, say)
  if (problem || f.is !== 'url') return problem
  const key = linkProblem(s)
  return key && say(key)
}

/**
 * What would be invisible, would turn the text round, or would hide a letter
 * under a heap of marks.
 * @param {string | undefined} name of the class @param {string} s @param {Say} say
 */
function charactersLimit(name, s, say) {
  if (!name) return null
  const forbids = /** @type {Record<string, Spans>} */ (PHONE.classes)[name]
  const limit = PHONE.limits.marks_in_a_row
  let marks = 0
  for (const c of s) {
    const code = /** @type {number} */ (c.codePointAt(0))
    if (within(forbids, code)) return say('limit_character', { code: `U+${code.toString(16).toUpperCase().padStart(4, '0')}` })
    marks = within(PHONE.marks, code) ? marks + 1 : 0
    if (marks > limit) return say('limit_marks', { max: String(limit) })
  }
  return null
}

/** Whether a code point is in one of some sorted spans. @param {Spans} spans @param {number} code */
function within(spans, code) {
  let [low, high] = [0, spans.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (spans[middle][1] < code) low = middle + 1
    else high = middle
  }
  return low < spans.length && spans[low][0] <= code
}

/**
 * An automation's inputs. Their names are shown as labels, so they are held to
 * the strict characters; entries are checked in the order of their names.
 * @param {Field} f @param {{ [key: string]: Json }} values @param {Say} say
 */
function valuesLimit(f, values, say) {
  const keys = Object.keys(values).sort(byCodePoint)
  if (keys.length > Number(f.max_items)) return say('limit_items', { max: String(f.max_items) })
  return first(keys, (key) => {
    if (key === '' || surrounded(key)) return say('limit_key')
    if ([...key].length > Number(f.max_key_chars)) return say('limit_key_chars', { max: String(f.max_key_chars) })
    return charactersLimit('strict', key, say) ?? textLimit(f, String(values[key]), say)
  })
}

/** Whether something of the trim set stands at an end. @param {string} s */
const surrounded = (s) => within(PHONE.trim, s.charCodeAt(0)) || within(PHONE.trim, s.charCodeAt(s.length - 1))

/** The order of the UTF-8, which is not that of JavaScript's strings. @param {string} a @param {string} b */
function byCodePoint(a, b) {
  const [x, y] = [[...a], [...b]]
  for (let i = 0; i < Math.min(x.length, y.length); i++) {
    if (x[i] !== y[i]) return Number(x[i].codePointAt(0)) - Number(y[i].codePointAt(0))
  }
  return x.length - y.length
}

/** The UTF-8 of every string in v, keys of objects included. @param {Json} v @returns {number} */
function bytesIn(v) {
  if (typeof v === 'string') return encoder.encode(v).length
  if (typeof v !== 'object' || v === null) return 0
  if (Array.isArray(v)) return v.reduce((/** @type {number} */ sum, item) => sum + bytesIn(item), 0)
  return Object.entries(v).reduce((sum, [key, value]) => sum + bytesIn(key) + bytesIn(value), 0)
}
