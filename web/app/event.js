// A calendar event as a link for Google Calendar, or as a file (RFC 5545) that
// any calendar takes. Times are the phone's own, and go out in UTC. Pure.

import { pct } from './intents.js'
import { momentOf, readDate, twice } from './zone.js'

/**
 * @typedef {import('./uris.js').Fields} Fields
 * @typedef {import('./uris.js').Plan} Plan
 * @typedef {import('./uris.js').Reason} Reason
 */

const LINK_LENGTH = 8192
const HOUR = 3_600_000
/** A line of the file has at most this many bytes. */
const LINE_BYTES = 75

/** @param {Fields} f @param {import('./uris.js').Here} here @returns {Plan} */
export function calendar(f, { platform, settings, now }) {
  const times = eventTimes(f, platform.zone)
  if ('reason' in times) return times
  return settings.calendar === 'file' ? file(f, times, now) : link(f, times)
}

/**
 * The tool's event, by the same ways: what they have no place for is said. An
 * hour that the clocks show twice is asked back, never guessed.
 * @param {Fields} f @param {import('./uris.js').Here} here @returns {Plan}
 */
export function calendarCreate({ title, start, end, location, description, calendar_id: id, reminder_minutes: minutes }, here) {
  const { zone } = here.platform
  for (const time of [start, end ?? start]) {
    const read = readDate(time)
    if (read && !read.allDay && twice(read.utc, zone)) return { reason: 'cannot.twice', values: { time, zone }, why: 'two_such_times' }
  }
  const f = { title, start, end, place: location, notes: description }
  const made = calendar({ ...f, ...(here.settings.calendar === 'file' && { minutes }) }, here)
  if ('reason' in made) return { ...made, ...(made.reason === 'cannot.gap' && { why: 'no_such_time' }) }
  const lost = [id !== undefined && 'calendar', minutes !== undefined && made.do !== 'file' && 'reminder'].filter(Boolean).join('_')
  return lost && made.do !== 'device' && made.do !== 'torch' ? { ...made, note: `note.lost.${lost}` } : made
}

/** @param {Fields} f @param {{ from: string, to: string }} times @returns {Plan} */
function link(f, { from, to }) {
  const url = 'https://calendar.google.com/calendar/render?action=TEMPLATE' +
    `&text=${pct(f.title)}&dates=${pct(`${from}/${to}`)}` +
    (f.notes ? `&details=${pct(f.notes)}` : '') +
    (f.place ? `&location=${pct(f.place)}` : '')
  return url.length > LINK_LENGTH ? { reason: 'cannot.url_length' } : { do: 'open', url, how: 'window', app: 'app.google_calendar' }
}

/**
 * The start and end: days without a zone, the end not included, or moments in
 * UTC. An event without an end is an hour, or a day.
 * @param {Fields} f @param {string} zone
 * @returns {{ from: string, to: string } | Reason}
 */
function eventTimes(f, zone) {
  const start = readDate(f.start)
  const end = f.end === undefined ? null : readDate(f.end)
  if (!start) return { reason: 'cannot.no_such_date', values: { date: f.start } }
  if (f.end !== undefined && !end) return { reason: 'cannot.no_such_date', values: { date: f.end } }
  if (end && end.allDay !== start.allDay) return { reason: 'cannot.mixed_dates' }
  if (end && end.utc < start.utc) return { reason: 'cannot.ends_before' }
  if (start.allDay) return { from: stamp(start.utc, 8), to: stamp((end ?? start).utc + 24 * HOUR, 8) }
  const from = momentOf(start.utc, zone)
  if (from === null) return { reason: 'cannot.gap', values: { time: f.start, zone } }
  const to = end ? momentOf(end.utc, zone) : from + HOUR
  if (to === null) return { reason: 'cannot.gap', values: { time: f.end, zone } }
  return { from: `${stamp(from, 15)}Z`, to: `${stamp(to, 15)}Z` }
}

/** 20260925T013000, or its first letters. @param {number} at @param {number} length */
function stamp(at, length) {
  return new Date(at).toISOString().replace(/[-:]/g, '').slice(0, length)
}

/** @param {Fields} f @param {{ from: string, to: string }} times @param {number} now @returns {Plan} */
function file(f, { from, to }, now) {
  const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.exec(`${f.title}${f.place ?? ''}${f.notes ?? ''}`)
  if (control) return { reason: 'cannot.control', values: { code: `U+${control[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}` } }
  const day = from.length === 8 ? ';VALUE=DATE' : ''
  const lines = [
    'BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//nod//nod//EN', 'BEGIN:VEVENT',
    `UID:${now}-${hash(JSON.stringify([f.title, from, to, f.place, f.notes]))}@nod`, `DTSTAMP:${stamp(now, 15)}Z`,
    `DTSTART${day}:${from}`, `DTEND${day}:${to}`, `SUMMARY:${escaped(f.title)}`,
    f.place && `LOCATION:${escaped(f.place)}`, f.notes && `DESCRIPTION:${escaped(f.notes)}`,
    ...(f.minutes === undefined ? [] : ['BEGIN:VALARM', 'ACTION:DISPLAY', `DESCRIPTION:${escaped(f.title)}`, `TRIGGER:-PT${f.minutes}M`, 'END:VALARM']),
    'END:VEVENT', 'END:VCALENDAR',
  ]
  return { do: 'file', name: 'event.ics', type: 'text/calendar', text: lines.filter(Boolean).map((line) => `${folded(line)}\r\n`).join(''), app: 'app.calendar' }
}

/** @param {string} text */
const escaped = (text) => text.replace(/[\\;,]/g, '\\$&').replace(/\r\n|\r|\n/g, '\\n')

const encoder = new TextEncoder()

/** A long line goes on in the next, after a space; never inside a character. @param {string} line */
function folded(line) {
  let [out, bytes] = ['', 0]
  for (const c of line) {
    const size = encoder.encode(c).length
    if (bytes + size > LINE_BYTES) [out, bytes] = [`${out}\r\n `, 1]
    out += c
    bytes += size
  }
  return out
}

/** Tells events of one moment apart (FNV-1a). @param {string} text */
function hash(text) {
  let h = 0x811c9dc5
  for (const byte of encoder.encode(text)) h = Math.imul(h ^ byte, 0x01000193)
  return (h >>> 0).toString(16)
}
