// Generated offers that pass the check: each action and tool, with texts up to the
// limits, in many scripts and both directions, with what the contract allows
// and people do not expect. The same for the same seed.

import { ACTIONS, TOOLS } from '../app/contract.js'
import { spec } from '../app/spec.js'

/** A small generator of numbers below n. @param {number} seed */
function random(seed) {
  let a = seed >>> 0
  return (/** @type {number} */ n) => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * n)
  }
}

const PLAIN = ['late', 'Ferry', 'Straße', 'Ação', 'Łódź', 'Ελλάδα', 'Москва', '你好', '東京', 'สวัสดี', '한국어', 'नमस्ते', '1234', 'a&b', 'x<y>', '“q”', '5%', 'C:/x', '{{app}}', '$1', 'e\u0301', 'a\u0300\u0301\u0302\u0303', '🚲']
const LOOK_ALIKE = ['раураl', 'аррle', 'gооgle', 'ΑΒΕΖ', 'rnicrosoft', 'I1l|', '0O', '⅓', 'ﬁ', '١٢٣', 'ｆｕｌｌ']
const RIGHT_TO_LEFT = ['שלום', 'מחר', 'مرحبا', 'غدًا', 'سلام', 'ܫܠܡܐ', 'ތާނަ']
const JOINED = ['می\u200cخواهم', 'क्\u200dष', '👩\u200d👩\u200d👧', '🏳️\u200d🌈']
const EMOJI = ['👍🏽', '🇵🇹', '1️⃣', '☕️', '❤️\u200d🔥', '🧑🏿\u200d🚀']
const LONG = ['Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft', 'a'.repeat(120), '漢'.repeat(90), 'ﷺ'.repeat(20), '_'.repeat(150), '1'.repeat(64)]
const HIDDEN = ['\u202eabc\u202c', 'a\u200bb', '\u2066x\u2069', '\u0007', '\ufeff', '\u{e0041}\u{e007f}', '\u061c', '\u2060', '\u00ad', '\u2028', '\u0085', '\ufff9', '\ue000']
const LINES = ['\n', '\n\n', '\t', '\r\n', '   ']

const STRICT = [...PLAIN, ...LOOK_ALIKE, ...RIGHT_TO_LEFT, ...LONG]
const LINE = [...STRICT, ...JOINED, ...EMOJI]
const BODY = [...LINE, ...HIDDEN, ...LINES]
const HOSTS = ['www.example.com', 'a-b.example', 'xn--bcher-kva.example', 'xn--pypal-4ve.example', '192.168.1.1', '[2001:db8::1]', 'localhost', 'router', `${'a'.repeat(63)}.${'b'.repeat(63)}.example`]
const ENCODER = new TextEncoder()

/** Makes texts, places and the other values of fields. @param {(n: number) => number} n */
function makers(n) {
  const pick = (/** @type {any} */ list) => list[n(list.length)]
  const many = (/** @type {number} */ max, /** @type {(i: number) => any} */ make) => Array.from({ length: n(6) ? 1 + n(3) : max }, (_, i) => make(i))
  const run = (/** @type {string[]} */ from, /** @type {number} */ max) => {
    const words = n(3) ? from : [pick(from), pick(from)]
    const length = n(4) ? 1 + n(Math.min(max, 60)) : max
    let text = ''
    for (let next = pick(words); [...(text + next)].length <= length; next = pick(words) + (n(9) ? ' ' : '')) text += next
    return trimmed(text) || 'x'
  }
  const line = (max = 200) => run(LINE, max)
  const strict = (max = 200) => run(STRICT, max)
  const digits = () => String(100_000 + n(900_000))
  const point = () => `${n(2) ? '-' : ''}${1 + n(88)}.${1 + n(9)}`
  const place = () => [{ query: line() }, { name: line() }, { name: line(80), query: line() }, { lat: point(), lon: point() }, { lat: '-1', lon: '2.5', name: line(40) }][n(5)]
  const date = () => `20${26 + n(9)}-0${1 + n(9)}-${10 + n(19)}`
  const whom = () => (n(3) ? `${pick(['ann', 'bob.b', 'c+d', 'a'.repeat(60)])}${digits()}@example.com` : n(2) ? `+${digits()} ${digits()}` : strict(254))
  const url = () => {
    const start = `${pick(['https', 'http', 'HTTPS'])}://${pick(HOSTS)}${pick(['', ':8443'])}`
    const path = `/${pick(['path/', 'a%20b/', 'straße/', 'x'.repeat(90), 'מסלול/'])}`.repeat(n(5) ? n(3) : 300)
    return [...`${start}${path || '/'}?q=${digits()}&x=${'y'.repeat(n(5) ? 3 : 2_000)}#${pick(['', 'z'])}`].slice(0, 2_048).join('')
  }
  return { n, pick, many, run, line, strict, digits, place, date, whom, url }
}

/** @param {string} text */
const trimmed = (text) => text.replace(/^[\u0009-\u000d\u0085\ufeff\s]+|[\u0009-\u000d\u0085\ufeff\s]+$/g, '')

/** A maker for each field. @param {ReturnType<typeof makers>} m @returns {Record<string, () => any>} */
function fieldMakers({ n, pick, many, run, line, strict, digits, place, date, whom, url }) {
  const { enums } = spec.phone
  return {
    time: () => `${String(n(24)).padStart(2, '0')}:${String(n(60)).padStart(2, '0')}`,
    days: () => enums.day.filter(() => n(2)).concat('sun').slice(0, 1 + n(7)),
    seconds: () => 1 + n(86_400), number: () => `+${digits()} ${pick(['(0)', '-', '/', '*', '#'])} ${digits()}`,
    to: () => many(10, whom), cc: () => many(10, whom), destination: place, stop: place, stops: () => many(10, place),
    mode: () => pick(enums.mode), near: () => pick(enums.near), command: () => pick(enums.command), panel: () => pick(enums.panel),
    url, on: () => n(2) === 0, replace_route: () => n(2) === 0, start: date, end: date,
    values: () => Object.fromEntries(many(20, (i) => [`${strict(60)}${i}`, run(BODY, 500)])),
    label: line, query: line, title: line, place: line, subject: line, app: strict, name: strict, notes: () => run(BODY, 2_000), text: () => run(BODY, 2_000),
  }
}

/**
 * What a tool of its own is offered with: by the form of each field, as the check writes it.
 * @param {ReturnType<typeof makers>} m @param {any} tool
 */
function toolFields({ n, pick, run, line, strict, date }, tool) {
  const day = date()
  const allDay = n(2) === 0
  const make = (/** @type {any} */ f) => {
    switch (f.is) {
      case 'text':
        return f.class === 'body' ? run(BODY, f.max_chars) : f.class === 'strict' ? strict(f.max_chars) : line(f.max_chars)
      case 'integer':
        return f.min + n(Math.min(f.max - f.min + 1, 100_000))
      case 'boolean':
        return n(2) === 0
      case 'enum':
        return pick(f.words)
      case 'weekdays':
        return ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].filter(() => n(2)).concat('sun').filter((d, i, all) => all.indexOf(d) === i)
      case 'moment':
        return ['end', 'to'].includes(f.name) ? (allDay ? day : `${day}T11:30`) : allDay ? day : `${day}T10:30`
    }
    throw new Error(`no maker for ${f.is}`)
  }
  /** @type {Record<string, any>} */
  const fields = {}
  for (const f of tool.fields) if (tool.required.flat().includes(f.name) || n(3)) fields[f.name] = make(f)
  if (tool.name === 'calendar_create') allDay ? fields.all_day = true : delete fields.all_day
  if (tool.name === 'calendar_update' && 'all_day' in fields) {
    if (fields.start || fields.end) fields.all_day = allDay
  }
  if (tool.name === 'calendar_update' && Object.keys(fields).length === 1) fields.title = line()
  if (tool.name === 'timer_set') Object.assign(fields, { seconds: 1 + n(86_400) }) && delete fields.minutes
  return fields
}

/** Takes away from the longest lists and texts until the whole is no larger than an offer may be. @param {Record<string, any>} fields */
function fitted(fields) {
  while (ENCODER.encode(JSON.stringify(fields)).length > spec.phone.limits.total_bytes - 700) {
    const [name] = Object.entries(fields).sort(([, a], [, b]) => JSON.stringify(b).length - JSON.stringify(a).length)[0]
    const v = fields[name]
    if (Array.isArray(v)) fields[name] = v.slice(1)
    else if (typeof v === 'object') delete v[Object.keys(v)[0]]
    else fields[name] = trimmed([...v].slice(0, 800).join('')) || 'x'
  }
  return fields
}

/**
 * @param {number} seed @param {number} count
 * @returns {Generator<{ tool: string, action: string, name: string, fields: Record<string, any>, summary: string }>}
 */
export function* offers(seed, count) {
  const m = makers(random(seed))
  const make = fieldMakers(m)
  for (let made = 0; made < count; made++) {
    const which = made % (ACTIONS.length + TOOLS.length)
    if (which >= ACTIONS.length) {
      const tool = TOOLS[which - ACTIONS.length]
      yield { tool: tool.name, action: tool.name, name: tool.name, fields: fitted(toolFields(m, tool)), summary: m.run(BODY, 150) }
      continue
    }
    const action = ACTIONS[which]
    const required = /** @type {any} */ (action).required.flat()
    /** @type {Record<string, any>} */
    const fields = {}
    for (const f of action.fields) if (required.includes(f) || m.n(3)) fields[f] = make[f]()
    if (fields.start && m.n(2)) fields.start += 'T10:30'
    if (fields.end && fields.start?.includes('T')) fields.end += 'T11:30'
    yield { tool: 'phone_action', action: action.name, name: action.name, fields: fitted(fields), summary: m.run(BODY, 150) }
  }
}
