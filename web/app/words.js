// Times, spans and days as people say them, in the person's language. Pure: the
// moment and the language are arguments.

const MINUTE = 60_000
const DAY = 86_400_000

/** @param {string} locale @param {Intl.DateTimeFormatOptions} options @param {number} at @param {string} [zone] */
const format = (locale, options, at, zone) => new Intl.DateTimeFormat(locale, { ...options, timeZone: zone }).format(at)

/** "09:12" or "9:12 AM", as the language has it. @param {number} at @param {string} locale @param {string} [zone] @param {boolean} [seconds] */
export function clock(at, locale, zone, seconds = false) {
  return format(locale, { timeStyle: seconds ? 'medium' : 'short' }, at, zone)
}

/**
 * How many midnights lie between two moments in a zone: 0 today, 1 tomorrow.
 * @param {number} at @param {number} now @param {string} [zone]
 */
export function daysApart(at, now, zone) {
  return Math.round((midnight(at, zone) - midnight(now, zone)) / DAY)
}

/** @param {number} at @param {string} [zone] */
function midnight(at, zone) {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(at)
  return Date.parse(`${parts}T00:00:00Z`)
}

/**
 * "tomorrow, Tue 1 Dec"; the year is said when it is another one.
 * @param {number} at @param {number} now @param {string} locale @param {string} [zone]
 */
export function day(at, now, locale, zone) {
  const apart = daysApart(at, now, zone)
  const sameYear = format('en', { year: 'numeric' }, at, zone) === format('en', { year: 'numeric' }, now, zone)
  const date = format(locale, { weekday: 'short', day: 'numeric', month: 'short', year: sameYear ? undefined : 'numeric' }, at, zone)
  if (Math.abs(apart) > 1) return date
  return `${new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(apart, 'day')}, ${date}`
}

/** "3 November". @param {number} at @param {string} locale @param {string} [zone] */
export function dayOfYear(at, locale, zone) {
  return format(locale, { day: 'numeric', month: 'long' }, at, zone)
}

/** "1 hr 30 min". @param {number} seconds @param {string} locale */
export function span(seconds, locale) {
  const parts = [
    [Math.floor(seconds / 3600), 'hour'],
    [Math.floor(seconds / 60) % 60, 'minute'],
    [seconds % 60, 'second'],
  ].filter(([n]) => n)
  if (!parts.length) parts.push([0, 'second'])
  return parts
    .map(([n, unit]) => new Intl.NumberFormat(locale, { style: 'unit', unit: String(unit), unitDisplay: 'short' }).format(Number(n)))
    .join(' ')
}

/** "2 days", "1 hr 30 min": how long before. @param {number} minutes @param {string} locale */
export function ahead(minutes, locale) {
  if (minutes % 1440) return span(minutes * 60, locale)
  return new Intl.NumberFormat(locale, { style: 'unit', unit: 'day', unitDisplay: 'long' }).format(minutes / 1440)
}

/** The time left, "1:34". @param {number} ms */
export function left(ms) {
  const s = Math.max(0, Math.ceil(ms / 1000))
  return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, '0')}`
}

/** "2 minutes ago". @param {number} ms @param {string} locale */
export function ago(ms, locale) {
  const f = new Intl.RelativeTimeFormat(locale, { numeric: 'always' })
  if (ms < MINUTE) return f.format(-Math.max(1, Math.round(ms / 1000)), 'second')
  if (ms < 60 * MINUTE) return f.format(-Math.round(ms / MINUTE), 'minute')
  if (ms < DAY) return f.format(-Math.round(ms / (60 * MINUTE)), 'hour')
  return f.format(-Math.round(ms / DAY), 'day')
}

/** "Mon, Tue and Fri", from mon, tue, fri. @param {string[]} days @param {string} locale */
export function weekdays(days, locale) {
  const order = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
  const named = days.map((d) => format(locale, { weekday: 'short' }, Date.UTC(2024, 0, 1 + order.indexOf(d)), 'UTC'))
  return new Intl.ListFormat(locale, { type: 'conjunction' }).format(named)
}

/** A list as a sentence has it. @param {string[]} items @param {string} locale */
export function list(items, locale) {
  return new Intl.ListFormat(locale, { type: 'conjunction' }).format(items)
}
