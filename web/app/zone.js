// Wall-clock times in a zone. A date that does not exist and an hour that a
// clock change skips are told apart from those that do, never moved silently.

/** @typedef {{ allDay: boolean, utc: number }} Written a date or date-time read as if it were UTC */

/**
 * Reads YYYY-MM-DD or YYYY-MM-DDTHH:MM, perhaps with seconds; null when the calendar has no such date.
 * @param {string} text
 * @returns {Written | null}
 */
export function readDate(text) {
  const m = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(text)
  if (!m) return null
  const [year, month, date, hour, minute, second] = m.slice(1).map((s) => Number(s ?? 0))
  const d = new Date(0)
  d.setUTCFullYear(year, month - 1, date)
  d.setUTCHours(hour, minute, second)
  const same = d.getUTCFullYear() === year && d.getUTCMonth() === month - 1 && d.getUTCDate() === date && d.getUTCHours() === hour && d.getUTCMinutes() === minute && d.getUTCSeconds() === second
  return same ? { allDay: m[4] === undefined, utc: d.getTime() } : null
}

/**
 * The moment at which clocks in the zone show this time; the first one where a
 * clock change repeats it, null where a change skips it.
 * @param {number} utc the wall-clock time, read as if it were UTC
 * @param {string} zone
 * @returns {number | null}
 */
export function momentOf(utc, zone) {
  const fits = moments(utc, zone)
  return fits.length ? Math.min(...fits) : null
}

/** Whether clocks in the zone show this time twice. @param {number} utc @param {string} zone */
export const twice = (utc, zone) => new Set(moments(utc, zone)).size > 1

/** @param {number} utc @param {string} zone */
function moments(utc, zone) {
  const tries = [utc - 86_400_000, utc + 86_400_000].map((near) => utc - offset(near, zone))
  return tries.filter((t) => t + offset(t, zone) === utc)
}

/** How far the zone's clocks are ahead of UTC at a moment, in ms. @param {number} at @param {string} zone */
export function offset(at, zone) {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone, hourCycle: 'h23', era: 'narrow', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric',
  }).formatToParts(at)
  /** @param {string} type */
  const n = (type) => Number(parts.find((p) => p.type === type)?.value)
  const shown = Date.UTC(n('year'), n('month') - 1, n('day'), n('hour'), n('minute'), n('second'))
  return shown - Math.floor(at / 1000) * 1000
}

/**
 * When a clock next shows HH:MM, today or tomorrow, on one of the days if any are given.
 * @param {string} time @param {string[]} days @param {number} now @param {string} zone
 * @returns {number | null} null for a time that a clock change skips on that day
 */
export function nextRing(time, days, now, zone) {
  const [hour, minute] = time.split(':').map(Number)
  const today = Math.floor((now + offset(now, zone)) / 86_400_000) * 86_400_000
  for (let ahead = 0; ahead <= 7; ahead++) {
    const date = today + ahead * 86_400_000
    if (days.length && !days.includes(DAYS[new Date(date).getUTCDay()])) continue
    const at = momentOf(date + (hour * 60 + minute) * 60_000, zone)
    if (at === null) return null
    if (at > now) return at
  }
  return null
}

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
