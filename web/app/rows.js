// The rows of a card's box, as data: what each kind of value is made of. The
// actions' rows are in fields.js, the tools' in toolfields.js. Pure.

import { inLetters, webAddress } from './address.js'
import { clock, day } from './words.js'
import { momentOf, nextRing, readDate, twice } from './zone.js'

/**
 * @typedef {{ name: string, role: string, more: string[] }} Stop a place on the line: what it is called, what it is, what else is known
 * @typedef {{ is: 'strong', text: string, also?: string }
 *   | { is: 'many', texts: string[], also?: string }
 *   | { is: 'people', people: Found[] }
 *   | { is: 'body', text: string }
 *   | { is: 'route', stops: Stop[] }
 *   | { is: 'link', parts: [string, string, string], letters: string | null }
 *   | { is: 'pairs', pairs: [string, string][] }} Value
 * @typedef {{ label: string, value: Value }} Row label: a key of texts
 * @typedef {{ text: string, also?: string }} Found what the phone knows a thing by: a person and which number, an event and when it is
 * @typedef {{
 *   t: (key: string, values?: Record<string, string>) => string,
 *   locale: string, now: number, zone: string, app?: string, found?: Record<string, Found[]>, picks?: boolean,
 * }} Words found: by field, what the phone looked up for it before the card; picks: the person picks in the phone's own picker
 */

/** @param {string} label @param {string} text @param {string} [also] @returns {Row} */
export const strong = (label, text, also) => ({ label, value: { is: 'strong', text, also } })

/** @param {string} label @param {string | undefined} text */
export const maybe = (label, text) => (text === undefined ? null : strong(label, text))

/** @param {string} label @param {string | undefined} text @returns {Row | null} */
export const body = (label, text) => (text === undefined ? null : { label, value: { is: 'body', text } })

/** @param {string} label @param {string[] | undefined} texts @param {string} [also] @returns {Row | null} */
export const many = (label, texts, also) => (texts === undefined ? null : { label, value: { is: 'many', texts, also } })

/**
 * Whom it goes to: as the agent wrote it, and where the phone looked a name up, who that is.
 * @param {string} label @param {string} field @param {string[] | undefined} texts @param {Words} w @returns {Row | null}
 */
export function people(label, field, texts, w) {
  if (texts === undefined) return null
  const found = w.found?.[field]
  if (found?.length !== texts.length) return many(label, texts)
  return { label, value: { is: 'people', people: found.map((f, i) => ({ text: f.text, also: [f.also, f.text !== texts[i] && w.t('card.found_for', { name: texts[i] })].filter(Boolean).join('\n') })) } }
}

/** @param {string} url @returns {Row} */
export function link(url) {
  const parts = webAddress(url) ?? ['', url, '']
  return { label: 'card.field.url', value: { is: 'link', parts, letters: inLetters(parts[1]) } }
}

/**
 * When an alarm rings: the time, and as heavy as it the day that this is.
 * @param {string} time HH:MM @param {string[] | undefined} days @param {Words} w @returns {Row}
 */
export function rings(time, days, w) {
  const at = nextRing(time, days ?? [], w.now, w.zone)
  if (at === null) return strong('card.field.time', time, w.t('card.time.skipped'))
  const texts = [clock(at, w.locale, w.zone), day(at, w.now, w.locale, w.zone)]
  if (!days) return /** @type {Row} */ (many('card.field.time', texts))
  return strong('card.field.time', texts[0], w.t('card.time.first', { time: texts[1] }))
}

/**
 * A date or a time as a card says it. What no calendar has, and what the clocks
 * skip or show twice, stays as it was written, and it is said.
 * @param {string} text @param {Words} w @returns {{ text: string, also?: string, allDay: boolean, utc?: number }}
 */
export function point(text, w) {
  const read = readDate(text)
  if (!read) return { text, also: w.t('card.time.no_such'), allDay: false }
  if (read.allDay) return { text: dated(read.utc, w), allDay: true, utc: read.utc }
  const at = momentOf(read.utc, w.zone)
  if (at === null) return { text, also: w.t('card.time.skipped'), allDay: false }
  if (twice(read.utc, w.zone)) return { text, also: w.t('card.time.twice'), allDay: false }
  const seconds = text.length > 'YYYY-MM-DDTHH:MM'.length
  return { text: clock(at, w.locale, w.zone, seconds), also: day(at, w.now, w.locale, w.zone), allDay: false, utc: read.utc }
}

/** A day that has no zone. @param {number} utc its midnight, read as if it were UTC @param {Words} w */
export const dated = (utc, w) => day(utc, today(w), w.locale, 'UTC')

/** @param {string} label @param {string} text @param {Words} w @returns {Row} */
export function when(label, text, w) {
  const p = point(text, w)
  return strong(label, p.allDay ? w.t('card.time.all_day', { time: p.text }) : p.text, p.also)
}

/**
 * From when to when something is. All day, its end is its last day.
 * @param {{ start: string, end?: string }} f @param {Words} w @returns {Row[]}
 */
export function times(f, w) {
  const allDay = readDate(f.start)?.allDay
  if (allDay && (f.end ?? f.start) === f.start) return [when('card.field.when', f.start, w)]
  const start = when('card.field.start', f.start, w)
  if (f.end !== undefined) return [start, allDay ? lastDay('card.field.last_day', f.end, w) : when('card.field.end', f.end, w)]
  return allDay === false ? [start, strong('card.field.end', w.t('card.time.hour_later'))] : [start]
}

/** The day that an event lasts to; a time where that was given. @param {string} label @param {string} text @param {Words} w */
export function lastDay(label, text, w) {
  const p = point(text, w)
  return strong(label, p.text, p.also)
}

/** This zone's date, read as if it were UTC: days have no zone. @param {Words} w */
export function today(w) {
  const date = new Intl.DateTimeFormat('en-CA', { timeZone: w.zone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(w.now)
  return Date.parse(`${date}T00:00:00Z`)
}

