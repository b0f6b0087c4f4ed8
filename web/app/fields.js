// What a card says of an action: one row per field, all of them, from the
// offer's own fields. Pure: it makes data, card.js draws it.

import { inLetters, ownNetwork, webAddress } from './address.js'
import { momentOf, nextRing, readDate } from './zone.js'
import { clock, day, list, span, weekdays } from './words.js'

/**
 * @typedef {{ name: string, role: string, more: string[] }} Stop a place on the line: what it is called, what it is, what else is known
 * @typedef {{ is: 'strong', text: string, also?: string }
 *   | { is: 'many', texts: string[] }
 *   | { is: 'body', text: string }
 *   | { is: 'route', stops: Stop[] }
 *   | { is: 'link', parts: [string, string, string], letters: string | null }
 *   | { is: 'pairs', pairs: [string, string][] }} Value
 * @typedef {{ label: string, value: Value }} Row label: a key of texts
 * @typedef {{
 *   t: (key: string, values?: Record<string, string>) => string,
 *   locale: string, now: number, zone: string, app?: string,
 * }} Words
 */

/**
 * @param {string} action
 * @param {Record<string, any>} f
 * @param {Words} w
 * @returns {Row[]}
 */
export function rows(action, f, w) {
  return ROWS[action](f, w).filter((r) => r !== null)
}

/** @type {Record<string, (f: Record<string, any>, w: Words) => (Row | null)[]>} */
const ROWS = {
  navigate: (f, w) => [
    route([...(f.stops ?? []), f.destination], w),
    strong('card.field.mode', w.t(`card.mode.${f.mode ?? 'drive'}`)),
    f.replace_route === undefined ? null : strong('card.field.replace_route', w.t(`card.replace_route.${f.replace_route}`)),
  ],
  add_stop: (f, w) => [route([f.stop, f.destination], w), strong('card.field.mode', w.t(`card.mode.${f.mode ?? 'drive'}`))],
  search_nearby: (f, w) => [strong('card.field.query', f.query), strong('card.field.near', w.t(`card.near.${f.near ?? 'me'}`))],
  stop_navigation: () => [],
  alarm: (f, w) => [alarmTime(f, w), f.days ? strong('card.field.days', weekdays(f.days, w.locale)) : null, maybe('card.field.label', f.label)],
  timer: (f, w) => [strong('card.field.seconds', span(f.seconds, w.locale)), maybe('card.field.label', f.label)],
  calendar_event: (f, w) => [
    strong('card.field.title', f.title), ...times(f, w),
    maybe('card.field.place', f.place), body('card.field.notes', f.notes),
  ],
  sms_draft: (f) => [many('card.field.to', f.to), body('card.field.text', f.text)],
  email_draft: (f) => [
    many('card.field.to', f.to), many('card.field.cc', f.cc), maybe('card.field.subject', f.subject), body('card.field.text', f.text),
  ],
  dial: (f) => [strong('card.field.number', f.number)],
  open_app: (f) => [strong('card.field.app', f.app)],
  open_url: (f) => [link(f.url)],
  media: (f, w) => [strong('card.field.command', w.t(`card.command.${f.command}`))],
  torch: (f, w) => [strong('card.field.on', w.t(`card.on.${f.on}`))],
  settings_panel: (f, w) => [strong('card.field.panel', w.t(`card.panel.${f.panel}`))],
  automation_intent: (f, w) => [
    strong('card.field.name', f.name),
    strong('card.field.automation_app', f.app ?? w.t(w.app ?? 'app.tasker')),
    f.values ? { label: 'card.field.values', value: { is: 'pairs', pairs: Object.entries(f.values) } } : null,
  ],
}

/**
 * What the phone itself sees in the fields and warns of: keys of badges.
 * @param {string} action @param {Record<string, any>} f @returns {string[]}
 */
export function warnings(action, f) {
  const host = action === 'open_url' && webAddress(f.url)?.[1]
  return host && ownNetwork(host) ? ['own_network'] : []
}

/** The actions that have a card. */
export const ACTIONS_WITH_ROWS = Object.keys(ROWS)

/** @param {string} label @param {string} text @param {string} [also] @returns {Row} */
const strong = (label, text, also) => ({ label, value: { is: 'strong', text, also } })

/** @param {string} label @param {string | undefined} text */
const maybe = (label, text) => (text === undefined ? null : strong(label, text))

/** @param {string} label @param {string | undefined} text @returns {Row | null} */
const body = (label, text) => (text === undefined ? null : { label, value: { is: 'body', text } })

/** @param {string} label @param {string[] | undefined} texts @returns {Row | null} */
const many = (label, texts) => (texts === undefined ? null : { label, value: { is: 'many', texts } })

/** @param {string} url @returns {Row} */
function link(url) {
  const parts = webAddress(url) ?? ['', url, '']
  return { label: 'card.field.url', value: { is: 'link', parts, letters: inLetters(parts[1]) } }
}

/** @param {Record<string, any>[]} places @param {Words} w @returns {Row} */
function route(places, w) {
  const last = places.length - 1
  const stops = places.map((place, i) => ({
    ...placeWords(place),
    role: i === last ? w.t('card.route.destination') : last === 1 ? w.t('card.route.only_stop') : w.t('card.route.stop', { count: String(i + 1) }),
  }))
  return { label: 'card.field.route', value: { is: 'route', stops } }
}

/** @param {Record<string, any>} place */
function placeWords(place) {
  const point = place.lat === undefined ? undefined : `${place.lat}, ${place.lon}`
  const known = [place.name, place.query, point].filter((s) => s !== undefined)
  return { name: known[0], more: known.slice(1) }
}

/** @param {Record<string, any>} f @param {Words} w @returns {Row} */
function alarmTime(f, w) {
  const at = nextRing(f.time, f.days ?? [], w.now, w.zone)
  const also = at === null ? w.t('card.time.skipped') : day(at, w.now, w.locale, w.zone)
  return strong('card.field.time', f.time, f.days ? w.t('card.time.first', { time: also }) : also)
}

/** @param {string} label @param {string} text @param {Words} w @returns {Row} */
function when(label, text, w) {
  const read = readDate(text)
  if (!read) return strong(label, text, w.t('card.time.no_such'))
  if (read.allDay) return strong(label, w.t('card.time.all_day', { time: day(read.utc, todayAsUtc(w), w.locale, 'UTC') }))
  const at = momentOf(read.utc, w.zone)
  if (at === null) return strong(label, text, w.t('card.time.skipped'))
  return strong(label, clock(at, w.locale, w.zone), day(at, w.now, w.locale, w.zone))
}

/** @param {Record<string, any>} f @param {Words} w @returns {Row[]} */
function times(f, w) {
  const allDay = readDate(f.start)?.allDay
  if (allDay && (f.end ?? f.start) === f.start) return [when('card.field.when', f.start, w)]
  const start = when('card.field.start', f.start, w)
  if (f.end !== undefined) return [start, when('card.field.end', f.end, w)]
  return allDay === false ? [start, strong('card.field.end', w.t('card.time.hour_later'))] : [start]
}

/** This zone's date, read as if it were UTC: days have no zone. @param {Words} w */
function todayAsUtc(w) {
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: w.zone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(w.now)
  return Date.parse(`${today}T00:00:00Z`)
}

/**
 * One line that says what a call was, for the log: "Start a route: SFO Airport".
 * @param {string} action @param {Record<string, any>} f @param {Words} w
 */
export function line(action, f, w) {
  const title = w.t(`card.title.${action}`)
  const what = WHAT[action]?.(f, w)
  return what ? `${title}: ${what}` : title
}

/** @type {Record<string, (f: Record<string, any>, w: Words) => string | undefined>} */
const WHAT = {
  navigate: (f) => placeWords(f.destination).name,
  add_stop: (f) => placeWords(f.stop).name,
  search_nearby: (f) => f.query,
  alarm: (f) => f.time,
  timer: (f, w) => span(f.seconds, w.locale),
  calendar_event: (f) => f.title,
  sms_draft: (f, w) => f.to && list(f.to, w.locale),
  email_draft: (f, w) => f.to && list(f.to, w.locale),
  dial: (f) => f.number,
  open_app: (f) => f.app,
  open_url: (f) => webAddress(f.url)?.[1],
  media: (f, w) => w.t(`card.command.${f.command}`),
  torch: (f, w) => w.t(`card.on.${f.on}`),
  settings_panel: (f, w) => w.t(`card.panel.${f.panel}`),
  automation_intent: (f) => f.name,
}
