// The check in the browser: what a call must be, and what a phone does with an
// offer before it draws anything. The twin of internal/action; both run the
// rows in spec/testdata/check, and every number and sentence is the contract's.
// Pure: no clock, no network, no page.

import { limits } from './limits.js'
import { isWeb } from './link.js'
import { moment, together, weekdays } from './moment.js'
import { spec } from './spec.js'
import { parse } from './wire.js'

/**
 * @typedef {import('./wire.js').Json} Json
 * @typedef {{ [key: string]: Json }} Fields
 * @typedef {{ tool: string, name: string, fields: Fields, summary: string }} Action
 * @typedef {{ action: Action, text?: undefined } | { action?: undefined, text: string }} Checked
 * @typedef {{
 *   tool: string, action: string, fields: Fields, summary: string,
 *   verdict: string, rule: string, risk: string, badges: readonly string[],
 * }} Offer the part of an offer's body that is checked
 * @typedef {{
 *   is: string, enum?: string, words?: readonly string[], class?: string, min?: number, max?: number,
 *   max_chars?: number, max_items?: number, max_key_chars?: number,
 * }} Field
 * @typedef {Field & { name: string, default?: string | number }} ToolField
 * @typedef {{ name: string, fields: readonly string[], required: readonly (string | readonly string[])[], risk: string }} Known an action
 */

const PHONE_ACTION = 'phone_action'
const PHONE = spec.phone

/** @type {Record<string, Field>} */
const FIELDS = PHONE.fields
/** @type {Record<string, Known>} */
const ACTIONS = PHONE.actions
/** @type {Record<string, string>} */
const TEXTS = spec.agent

/**
 * What the check makes of a call: the action, or the exact text that refuses it.
 * @param {string} tool
 * @param {string | Uint8Array} args JSON as the agent sent it; empty for none
 * @returns {Checked}
 */
export function check(tool, args) {
  const found = toolOf(tool)
  if (!found) return { text: say('unknown_tool', { tool: plain(tool) }) }
  const given = read(args)
  if (!given) return { text: say('bad_arguments') }
  if (found.name !== PHONE_ACTION) return oneAction(found, given)
  return phoneAction(given.action, given, false)
}

/**
 * Why an offer cannot be shown; null when it is exactly what the check could
 * have made of a call, and plays nothing down. Whether letters look alike is
 * left to the gateway: it takes tables that browsers have in many versions.
 * @param {Offer} offer
 * @returns {string | null}
 */
export function recheck(offer) {
  const found = toolOf(offer.tool)
  if (!found || found.name !== offer.tool || found.gateway) return 'it names no tool that a phone carries out'
  const given = Object.assign(Object.create(null), offer.fields, { summary: offer.summary })
  const made = found.name === PHONE_ACTION ? phoneAction(offer.action, given, true) : oneAction(found, given)
  if (made.text !== undefined) return made.text
  const { action } = made
  if (action.name !== offer.action || action.summary !== offer.summary || !same(action.fields, offer.fields)) {
    return 'it is not written as the check writes it'
  }
  if (rank(offer.risk) < rank(risk(action))) return 'it plays down the risk'
  if (found.confirm === 'always' && offer.verdict !== 'ask') return 'this tool always asks'
  if (offer.verdict !== 'ask' && offer.verdict !== 'allow') return 'it is neither asked nor allowed'
  if (serviceCode(action) && !offer.badges.includes('service_code')) return 'it leaves out a warning: service_code'
  return null
}

/**
 * How much harm a wrong Confirm could do: the action's own risk, and high for a
 * number that is a command to the network.
 * @param {Pick<Action, 'tool' | 'name' | 'fields'>} action
 */
export function risk(action) {
  if (serviceCode(action)) return 'high'
  if (action.tool === PHONE_ACTION) return own(ACTIONS, action.name)?.risk ?? 'high'
  return toolOf(action.tool)?.risk ?? 'high'
}

/** @param {string} r */
const rank = (r) => ['low', 'medium', 'high'].indexOf(r)

/** @param {Pick<Action, 'name' | 'fields'>} action */
const serviceCode = (action) => action.name === 'dial' && /[*#]/.test(String(action.fields.number))

/** What is under a name, and nothing that every object has. @template T @param {Record<string, T>} o @param {unknown} name @returns {T | undefined} */
const own = (o, name) => (typeof name === 'string' && Object.hasOwn(o, name) ? o[name] : undefined)

/** @param {string} name its name or an alias */
function toolOf(name) {
  const found = Object.entries(spec.tools).find(([own, t]) => own === name || /** @type {readonly string[]} */ (t.aliases).includes(name))
  return found && { name: found[0], ...found[1] }
}

/** @param {string | Uint8Array} args @returns {Fields | null} */
function read(args) {
  if (args.length === 0) return Object.create(null)
  try {
    const tree = parse(args)
    return isObject(tree) ? tree : null
  } catch {
    return null
  }
}

/** @param {unknown} v @returns {v is Fields} */
export const isObject = (v) => typeof v === 'object' && v !== null && !Array.isArray(v)

/**
 * Seed 000's three steps and nod's fourth.
 * @param {Json | undefined} name @param {Fields} given @param {boolean} offered
 * @returns {Checked}
 */
function phoneAction(name, given, offered) {
  const action = own(ACTIONS, name)
  if (!action) return { text: say('unknown_action', { actions: PHONE.names.join(', ') }) }
  const fields = present(given, action.fields)
  const absent = missing(action.name, action.required, fields)
  if (absent) return { text: absent }
  for (const field of PHONE.check) {
    if (fields[field] === undefined) continue
    const good = form(FIELDS[field], fields[field], offered)
    if (good === undefined) return { text: bad(field) }
    fields[field] = good
  }
  return limited({ tool: PHONE_ACTION, name: action.name, fields, summary: summary(given, action.name) }, action.fields, FIELDS)
}

/**
 * The fields that are there, trimmed: not null, not an empty string, list or object.
 * @param {Fields} given @param {readonly string[]} names
 */
function present(given, names) {
  /** @type {Fields} */
  const kept = Object.create(null)
  for (const name of names) {
    const v = Object.hasOwn(given, name) ? trimmed(given[name]) : null
    const empty = v === null || v === '' || (typeof v === 'object' && Object.keys(v).length === 0)
    if (!empty) kept[name] = v
  }
  return kept
}

/** Takes the trim set off both ends of every string, however deep. @param {Json} v @returns {Json} */
function trimmed(v) {
  if (typeof v === 'string') return trim(v)
  if (Array.isArray(v)) return v.map(trimmed)
  if (!isObject(v)) return v
  const out = Object.create(null)
  for (const key of Object.keys(v)) out[key] = trimmed(v[key])
  return out
}

/** @param {string} s */
export function trim(s) {
  let [from, to] = [0, s.length]
  while (from < to && inTrim(s, from)) from++
  while (to > from && inTrim(s, to - 1)) to--
  return s.slice(from, to)
}

/** Whether the unit at i is in the trim set; the set lies below U+10000. @param {string} s @param {number} i */
const inTrim = (s, i) => PHONE.trim.some(([first, last]) => first <= s.charCodeAt(i) && s.charCodeAt(i) <= last)

/** @param {string} action @param {Known['required']} required @param {Fields} fields */
function missing(action, required, fields) {
  const absent = required.map((group) => [group].flat()).filter((group) => group.every((field) => fields[field] === undefined))
  return absent.length > 0 && say('missing', { action, fields: absent.map((group) => group.join(' or ')).join(' and ') })
}

/** @param {Fields} given @param {string} name */
function summary(given, name) {
  const own = trimmed(given.summary ?? null)
  return typeof own === 'string' && own !== '' ? own : name
}

/**
 * Checks a value against what its field must be. Undefined when it is not that;
 * else the value as the action carries it.
 * @param {Field} f @param {Json} v @param {boolean} offered
 * @returns {Json | undefined}
 */
function form(f, v, offered) {
  switch (f.is) {
    case 'boolean':
      return typeof v === 'boolean' ? v : undefined
    case 'integer':
      return Number.isInteger(v) && Number(v) >= Number(f.min) && Number(v) <= Number(f.max) ? v : undefined
    case 'place':
      return place(v, offered)
    case 'places':
      return each(v, (item) => place(item, offered))
    case 'texts':
      return each(v, filled)
    case 'days':
      return each(v, (item) => word(f, item))
    case 'enum':
      return word(f, v)
    case 'values':
      return isObject(v) && Object.values(v).every((x) => typeof x === 'string') ? v : undefined
  }
  return typeof v === 'string' && STRINGS[f.is](v) ? v : undefined
}

/** The forms of a field that is a string. @type {Record<string, (s: string) => boolean>} */
const STRINGS = {
  text: () => true,
  time: (s) => /^([01][0-9]|2[0-3]):[0-5][0-9]$/.test(s),
  date: (s) => /^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2})?$/.test(s),
  number: (s) => /^[0-9 +()\-./#*]*$/.test(s) && s.replace(/[^0-9]/g, '').length >= 3,
  url: isWeb,
}

/** @param {Json} v @param {(item: Json) => Json | undefined} item @returns {Json | undefined} */
function each(v, item) {
  if (!Array.isArray(v)) return undefined
  const good = v.map(item)
  return good.includes(undefined) ? undefined : /** @type {Json[]} */ (good)
}

/** @param {Json} v */
const filled = (v) => (typeof v === 'string' && v !== '' ? v : undefined)

/** @param {Field} f @param {Json} v */
function word(f, v) {
  return typeof v === 'string' && wordsOf(f).includes(v) ? v : undefined
}

/** The words that a field can be. @param {Field} f @returns {readonly string[]} */
const wordsOf = (f) => f.words ?? /** @type {Record<string, readonly string[]>} */ (PHONE.enums)[f.enum ?? ''] ?? []

/**
 * Keeps what means something in a place: lat and lon when both are good, a
 * query and a name when they are not empty.
 * @param {Json} v @param {boolean} offered @returns {Json | undefined}
 */
function place(v, offered) {
  if (!isObject(v)) return undefined
  const kept = Object.create(null)
  const lat = coordinate(v.lat, 90, offered)
  const lon = coordinate(v.lon, 180, offered)
  if (lat !== null && lon !== null) Object.assign(kept, { lat, lon })
  for (const key of ['query', 'name']) if (filled(v[key]) !== undefined) kept[key] = v[key]
  return Object.keys(kept).length > 0 ? kept : undefined
}

/**
 * A coordinate as the action carries it. An agent gives a number; in an offer
 * it is already the string that `decimal` made.
 * @param {Json | undefined} v @param {number} limit @param {boolean} offered
 */
function coordinate(v, limit, offered) {
  if (offered) return typeof v === 'string' && Math.abs(Number(v)) <= limit && decimal(Number(v)) === v ? v : null
  return typeof v === 'number' && Math.abs(v) <= limit ? decimal(v) : null
}

/**
 * At most seven decimal places, without zeros at the end. toFixed rounds the
 * exact value of the double, half away from zero; Go does the same by hand.
 * @param {number} x
 */
function decimal(x) {
  const s = x.toFixed(PHONE.limits.place_digits).replace(/\.?0+$/, '')
  return s === '-0' || s === '' ? '0' : s
}

/**
 * A tool that is one action: what is missing, then what is not what it should
 * be, alone and together, then the limits.
 * @param {NonNullable<ReturnType<typeof toolOf>>} tool @param {Fields} given
 * @returns {Checked}
 */
function oneAction(tool, given) {
  /** @type {readonly ToolField[]} */
  const known = tool.fields
  const names = known.map((f) => f.name)
  const fields = present(given, names)
  const absent = missing(tool.name, tool.required, fields)
  if (absent) return { text: absent }
  for (const f of known) {
    if (fields[f.name] === undefined) continue
    const { good, wrong } = toolForm(f, fields[f.name])
    if (good === undefined) return { text: mustBe(f.name, wrong ?? '') }
    fields[f.name] = good
  }
  const problem = together(tool.name, fields)
  if (problem) return { text: mustBe(problem.field, say(problem.key)) }
  return limited({ tool: tool.name, name: tool.name, fields, summary: summary(given, tool.name) }, names, Object.fromEntries(known.map((f) => [f.name, f])))
}

/**
 * A value as the action carries it, or what it must be.
 * @param {Field} f @param {Json} v @returns {{ good?: Json, wrong?: string }}
 */
function toolForm(f, v) {
  if (f.is === 'moment') {
    const { made, key } = moment(v)
    return key ? { wrong: say(key) } : { good: made }
  }
  const good = f.is === 'weekdays' ? weekdays(wordsOf(f), v) : form(f, v, false)
  const wrong = () => say(`form_${f.is}`, { min: String(f.min), max: String(f.max), words: wordsOf(f).join(', ') })
  return good === undefined ? { wrong: wrong() } : { good }
}

/** @param {Action} action @param {readonly string[]} order @param {Record<string, Field>} fields @returns {Checked} */
function limited(action, order, fields) {
  const problem = limits(action, order, fields, say)
  return problem ? { text: say('limit', problem) } : { action }
}

/** Whether two values are the same JSON. @param {Json} a @param {Json} b @returns {boolean} */
function same(a, b) {
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((v, i) => same(v, b[i]))
  if (!isObject(a)) return a === b
  if (!isObject(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((k) => Object.hasOwn(b, k) && same(a[k], b[k]))
}

/** @param {string} field */
const bad = (field) => mustBe(field, say(`what_${field}`))

/** @param {string} field @param {string} what */
const mustBe = (field, what) => say('bad', { field, what })

/** A text of the contract. @param {string} key @param {Record<string, string>} [values] */
function say(key, values = {}) {
  return TEXTS[key].replace(/\{\{([a-z_]+)\}\}/g, (whole, name) => values[name] ?? whole)
}

/** A name that nobody knows, safe to repeat: printable ASCII, short. @param {string} name */
function plain(name) {
  const chars = [...name].map((c) => (c < ' ' || c > '~' || c === '"' ? '?' : c))
  return chars.length > 60 ? `${chars.slice(0, 60).join('')}...` : chars.join('')
}
