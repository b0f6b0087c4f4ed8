// Generated offers that pass the check: each action, with texts up to the
// limits, in many scripts, with what the contract allows and people do not expect.

import { ACTIONS } from '../app/contract.js'
import { spec } from '../app/spec.js'

/** A small generator of numbers, the same for the same seed. @param {number} seed */
function random(seed) {
  let a = seed >>> 0
  return (/** @type {number} */ n) => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * n)
  }
}

const WORDS = ['late', 'Ferry', 'Straße', 'Ação', 'Łódź', 'Ελλάδα', 'Москва', 'שלום', 'مرحبا', 'नमस्ते', '你好', '東京', 'สวัสดี', '한국어', '🚲', '1234', 'a&b', 'x<y>', '“q”', 'Donaudampfschifffahrtsgesellschaft', 'e\u0301', '5%', 'C:/x']
const BODY = [...WORDS, '\u202eabc\u202c', 'a\u200bb', '\u2066x\u2069', '\u0007', '\n', '\n\n', '\t', '👩‍👩‍👧', 'می‌خواهم', '\ufeff', '\u{e0041}']

/**
 * @param {number} seed @param {number} count
 * @returns {Generator<{ tool: string, action: string, name: string, fields: Record<string, any>, summary: string }>}
 */
export function* offers(seed, count) {
  const n = random(seed)
  const pick = (/** @type {any} */ list) => list[n(list.length)]
  const run = (/** @type {string[]} */ from, /** @type {number} */ max) => {
    let text = ''
    const length = n(4) === 0 ? max : 1 + n(Math.min(max, 60))
    for (;;) {
      const next = pick(from) + (n(9) ? ' ' : '')
      if ([...(text + next)].length > length) break
      text += next
    }
    return text.trim().replace(/[\uFEFF\s]+$|^[\uFEFF\s]+/g, '') || 'x'
  }
  const line = (max = 200) => run(WORDS, max)
  const digits = () => String(100_000 + n(900_000))
  const place = () => [{ query: line() }, { name: line() }, { name: line(80), query: line() }, { lat: '37.7955', lon: `-${1 + n(90)}.3937` }, { lat: '-1', lon: '2.5', name: line(40) }][n(5)]
  const date = () => `20${26 + n(9)}-0${1 + n(9)}-${10 + n(19)}`
  /** @type {Record<string, () => any>} */
  const values = {
    time: () => `${String(n(24)).padStart(2, '0')}:${String(n(60)).padStart(2, '0')}`,
    days: () => spec.phone.enums.day.filter(() => n(2)).concat('sun').slice(0, 1 + n(7)),
    seconds: () => 1 + n(86_400), to: () => Array.from({ length: 1 + n(3) }, () => `${pick(['ann', 'bob.b', 'c+d'])}${digits()}@example.com`), number: () => `+${digits()} ${pick(['(0)', '-', '/', '*', '#'])} ${digits()}`,
    destination: place, stop: place, stops: () => Array.from({ length: 1 + n(4) }, place), mode: () => pick(spec.phone.enums.mode), near: () => pick(spec.phone.enums.near),
    command: () => pick(spec.phone.enums.command), panel: () => pick(spec.phone.enums.panel),
    url: () => `https://${pick(['www', 'a-b', 'xn--bcher-kva'])}.example${pick(['', ':8443'])}/${'path/'.repeat(n(n(5) ? 3 : 300))}?q=${digits()}#${pick(['', 'x'])}`,
    on: () => n(2) === 0, replace_route: () => n(2) === 0,
    values: () => Object.fromEntries(Array.from({ length: 1 + n(4) }, (_, i) => [`${line(20)}${i}`, run(BODY, 120)])),
    label: line, query: line, title: line, place: line, subject: line, app: () => line(60), name: () => line(60), notes: () => run(BODY, 1_500), text: () => run(BODY, 1_500),
    start: date, end: date,
  }
  values.cc = values.to
  for (let made = 0; made < count; made++) {
    const action = ACTIONS[made % ACTIONS.length]
    const required = /** @type {any} */ (action).required.flat()
    /** @type {Record<string, any>} */
    const fields = {}
    for (const f of action.fields) if (required.includes(f) || n(3)) fields[f] = values[f]()
    if (fields.start && n(2)) fields.start += 'T10:30'
    if (fields.end && fields.start?.includes('T')) fields.end += 'T11:30'
    yield { tool: 'phone_action', action: action.name, name: action.name, fields, summary: run(WORDS, 150) }
  }
}
