// The forms that only tools have, and the rules between their fields. The twin
// of internal/action/moment.go and together.go. Pure.

/**
 * @typedef {import('./check.js').Fields} Fields
 * @typedef {import('./wire.js').Json} Json
 * @typedef {{ field: string, key: string } | null} Problem which field does not fit, and the text of what it must be
 */

/** Year, day, time without seconds, seconds, and what makes it a time of another clock. */
const PARTS = /^([0-9]{4})(-[0-9]{2}-[0-9]{2})(?:[T ]([0-9]{2}:[0-9]{2})(:[0-9]{2})?(?:\.[0-9]+)?([Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?)?$/

/**
 * A day, or a day and a time of the phone's own clock, as an action writes it;
 * or the key of what it must be. Nothing is moved to a day that exists.
 * @param {Json} v @returns {{ made?: string, key?: string }}
 */
export function moment(v) {
  const [whole, year, day, clock, seconds = '', zone] = PARTS.exec(typeof v === 'string' ? v : '') ?? []
  if (whole === undefined) return { key: 'form_moment' }
  if (zone) return { key: 'form_moment_local' }
  if (whole.includes('.')) return { key: 'form_moment' }
  const date = year + day
  // Feb 31 becomes Mar 3 in a Date, and is another text.
  const exists = Number.isFinite(Date.parse(date)) && new Date(date).toISOString().startsWith(date)
  if (!exists || year < '1900' || year > '2999') return { key: 'form_moment_exists' }
  if (!clock) return { made: date }
  if (clock > '23:59' || clock.slice(3) > '59' || seconds > ':59') return { key: 'form_moment_exists' }
  return { made: `${date}T${clock}${seconds === ':00' ? '' : seconds}` }
}

const LONG = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

/**
 * Days by name or number, 1 for Monday, as the contract's words, each once, in
 * the week's order; undefined where one is none.
 * @param {readonly string[]} week @param {Json} v
 */
export function weekdays(week, v) {
  if (!Array.isArray(v)) return undefined
  const days = v.map((d) => (typeof d === 'number' ? week[d - 1] : typeof d === 'string' ? dayOf(week, lower(d)) : undefined))
  return days.includes(undefined) ? undefined : week.filter((d) => days.includes(d))
}

/** @param {readonly string[]} week @param {string} name */
const dayOf = (week, name) => (week.includes(name) ? name : week[LONG.indexOf(name)])

/** Only ASCII: no other letter is ever taken for one of a day's. @param {string} s */
const lower = (s) => s.replace(/[A-Z]/g, (c) => c.toLowerCase())

/**
 * The rules between a tool's fields, each of which is good by itself. The fields
 * are written in their one form on the way.
 * @param {string} tool @param {Fields} fields @returns {Problem}
 */
export function together(tool, fields) {
  switch (tool) {
    case 'calendar_list':
      return order(fields)
    case 'calendar_create':
      return newEvent(fields)
    case 'calendar_update':
      return sameDays(fields)
    case 'timer_set':
      if (fields.seconds === undefined) fields.seconds = Number(fields.minutes) * 60
      delete fields.minutes
  }
  return null
}

/** A range that does not run backwards; a day that ends it is part of it. @param {Fields} fields @returns {Problem} */
function order(fields) {
  const [from, to] = [at(fields.from), at(fields.to)]
  const last = to && !timed(to) ? `${to}T24:00` : to
  return last && last < from ? { field: 'to', key: 'form_after_from' } : null
}

/** A start that is a date alone makes a whole day of it. @param {Fields} fields */
function newEvent(fields) {
  const problem = sameDays(fields)
  if (problem) return problem
  if (timed(at(fields.start))) delete fields.all_day
  else fields.all_day = true
  return null
}

/** Start, end and all_day are of one kind, and the end not before the start. @param {Fields} fields @returns {Problem} */
function sameDays(fields) {
  for (const field of ['start', 'end']) {
    const m = at(fields[field])
    if (m && fields.all_day === timed(m)) return { field, key: fields.all_day ? 'form_whole_day' : 'form_with_time' }
  }
  const [start, end] = [at(fields.start), at(fields.end)]
  if (!start || !end) return null
  if (timed(start) !== timed(end)) return { field: 'end', key: 'form_same_kind' }
  return end < start ? { field: 'end', key: 'form_after_start' } : null
}

/** A moment in its one form, whose texts are ordered as the moments are; empty for none. @param {Json | undefined} v */
const at = (v) => (typeof v === 'string' ? v : '')

/** @param {string} m */
const timed = (m) => m.includes('T')
