// What a card says of a tool of its own: a row for each field, in the contract's
// order, and where the agent left one out, what then holds. And of a read, what
// the agent would be given. Pure.

import { spec } from './spec.js'
import { begin } from './text.js'
import { body, dated, lastDay, maybe, point, rings, strong, times, today, when } from './rows.js'
import { ahead, clock, day, span, weekdays } from './words.js'
import { readDate } from './zone.js'

/** @typedef {import('./rows.js').Row} Row */
/** @typedef {import('./rows.js').Words} Words */
/** @typedef {Record<string, any>} Fields */

const DAY = 86_400_000
/** Days that a look at the calendar covers, where the agent names no end. */
const DAYS = 7

/** What holds for a field that the agent left out. @param {string} tool @param {string} field @returns {any} */
const usual = (tool, field) => /** @type {any} */ (spec.tools)[tool].fields.find((/** @type {{ name: string }} */ f) => f.name === field)?.default

/** @type {Record<string, (f: Fields, w: Words) => (Row | null)[]>} */
export const TOOL_ROWS = {
  clipboard_read: () => [],
  clipboard_write: (f) => [body('card.field.text', f.text)],
  notify: (f) => [strong('card.field.title', f.title), body('card.field.text', f.body), maybe('card.field.thread', f.thread)],
  calendars: () => [],
  calendar_list: (f, w) => [
    ...range(f, w), maybe('card.field.containing', f.query), calendar(f, w, 'card.calendar.all'), strong('card.field.limit', counted('events', f.limit ?? usual('calendar_list', 'limit'), w)),
  ],
  calendar_create: (f, w) => [
    strong('card.field.title', f.title), ...times(/** @type {any} */ (f), w), maybe('card.field.place', f.location), body('card.field.notes', f.description),
    calendar(f, w, 'card.calendar.main'), reminder(f, w),
  ],
  calendar_update: (f, w) => [
    event(f, w), maybe('card.field.new_title', f.title), ...newTimes(f, w), maybe('card.field.new_place', f.location), body('card.field.new_notes', f.description),
  ],
  calendar_delete: (f, w) => [event(f, w)],
  contacts_search: (f, w) => [strong('card.field.query', f.query), strong('card.field.limit', counted('people', f.limit ?? usual('contacts_search', 'limit'), w))],
  location: (f, w) => [
    strong('card.field.accuracy', w.t(`card.accuracy.${f.accuracy ?? usual('location', 'accuracy')}`)),
    strong('card.field.max_age', f.max_age_seconds === 0 ? w.t('card.age.new') : w.t('card.age.up_to', { time: span(f.max_age_seconds ?? usual('location', 'max_age_seconds'), w.locale) })),
  ],
  alarm_set: (f, w) => [
    rings(timeOf(f), f.days, w), strong('card.field.days', f.days ? weekdays(f.days, w.locale) : w.t('card.once')), maybe('card.field.label', f.message),
    f.vibrate === undefined ? null : strong('card.field.vibrate', w.t(`card.vibrate.${f.vibrate}`)),
  ],
  timer_set: (f, w) => [strong('card.field.seconds', span(f.seconds, w.locale), until(f.seconds, w)), maybe('card.field.label', f.message)],
  photo_pick: (f, w) => [strong('card.field.limit', counted('photos', f.max ?? usual('photo_pick', 'max'), w)), said(f.why, w)],
  phone_now: () => [],
}

/** What follows the title in the log. @type {Record<string, (f: Fields, w: Words) => string | undefined>} */
export const TOOL_WHAT = {
  notify: (f) => f.title,
  calendar_list: (f, w) => f.query ?? (f.from && point(f.from, w).text),
  calendar_create: (f) => f.title,
  calendar_update: (f) => f.title,
  contacts_search: (f) => f.query,
  alarm_set: (f) => timeOf(f),
  timer_set: (f, w) => span(f.seconds, w.locale),
}

/**
 * What the agent is given if the answer is yes; null for what is no read.
 * @param {string} action @param {Fields} f @param {Words} w
 */
export function gives(action, f, w) {
  return GIVES[action]?.(f, w) ?? null
}

/** @type {Record<string, (f: Fields, w: Words) => string>} */
const GIVES = {
  clipboard_read: (_, w) => w.t('card.gives.clipboard_read'),
  calendars: (_, w) => w.t('card.gives.calendars'),
  calendar_list: (_, w) => w.t('card.gives.calendar_list'),
  contacts_search: (f, w) => w.t(w.picks ? 'card.gives.contacts_chosen' : 'card.gives.contacts_search', { count: within(counted('people', f.limit ?? usual('contacts_search', 'limit'), w)) }),
  location: (f, w) => w.t(f.accuracy === 'coarse' ? 'card.gives.location_coarse' : 'card.gives.location'),
  photo_pick: (_, w) => w.t('card.gives.photo_pick'),
  phone_now: (_, w) => w.t('card.gives.phone_now'),
}

/** "Up to 5 people". @param {'events' | 'people' | 'photos'} key @param {number} n @param {Words} w */
const counted = (key, n, w) => w.t(`card.limit.${key}${n === 1 ? '_one' : ''}`, { count: String(n) })

/** As it stands in a sentence: in German a person is a Person there too. @param {string} text */
const within = (text) => text.charAt(0).toLowerCase() + text.slice(1)

/** @param {Fields} f */
const timeOf = (f) => [f.hour, f.minute].map((n) => String(n).padStart(2, '0')).join(':')

/** The agent's own words for why. @param {string | undefined} why @param {Words} w */
const said = (why, w) => (why === undefined ? null : strong('card.field.why', w.t('card.quoted', { message: why })))

/** Days that follow each other, as one says them. @param {number} first @param {number} last @param {Words} w */
const days = (first, last, w) => w.t('card.time.to', { time: dated(first, w), until: dated(last, w) })

/** The days, or the times, between which the calendar is read. @param {Fields} f @param {Words} w @returns {Row[]} */
function range(f, w) {
  const first = today(w)
  if (f.from === undefined && f.to === undefined) {
    return [strong('card.field.when', w.t('card.time.next_days', { count: String(DAYS) }), days(first, first + (DAYS - 1) * DAY, w))]
  }
  const from = f.from === undefined ? strong('card.field.from', begin(dated(first, w)), w.t('card.time.unsaid')) : at('card.field.from', f.from, w)
  if (f.to !== undefined) return [from, at('card.field.until', f.to, w)]
  const read = readDate(f.from)
  if (!read) return [from]
  const last = read.allDay ? dated(read.utc + (DAYS - 1) * DAY, w) : `${dated(read.utc + DAYS * DAY, w)}, ${clock(read.utc, w.locale, 'UTC')}`
  return [from, strong('card.field.until', begin(last), w.t('card.time.days_later', { count: String(DAYS) }))]
}

/** @param {string} label @param {string} text @param {Words} w @returns {Row} */
function at(label, text, w) {
  const p = point(text, w)
  return strong(label, begin(p.text), p.allDay ? w.t('card.time.whole_day') : p.also)
}

/** @param {Fields} f @param {Words} w @param {'card.calendar.all' | 'card.calendar.main'} usual @returns {Row} */
function calendar(f, w, usual) {
  if (f.calendar_id === undefined) return strong('card.field.calendar', w.t(usual))
  const found = w.found?.calendar_id?.[0]
  return strong('card.field.calendar', found?.text ?? w.t('card.number', { count: String(f.calendar_id) }), found?.also)
}

/** @param {Fields} f @param {Words} w */
function reminder(f, w) {
  if (f.reminder_minutes === undefined) return null
  return strong('card.field.reminder', f.reminder_minutes === 0 ? w.t('card.reminder.start') : w.t('card.reminder.before', { time: ahead(f.reminder_minutes, w.locale) }))
}

/** Which event: its title and time where the phone looked it up, else the number the agent named. @param {Fields} f @param {Words} w @returns {Row} */
function event(f, w) {
  const found = w.found?.id?.[0]
  return found ? strong('card.field.event', found.text, found.also) : strong('card.field.event', w.t('card.number', { count: String(f.id) }), w.t('card.event_unknown'))
}

/** When it is to be then. @param {Fields} f @param {Words} w @returns {(Row | null)[]} */
function newTimes(f, w) {
  const allDay = (f.start ?? f.end) !== undefined && readDate(f.start ?? f.end)?.allDay
  return [
    f.start === undefined ? null : when('card.field.new_start', f.start, w),
    f.end === undefined ? null : allDay ? lastDay('card.field.new_last_day', f.end, w) : when('card.field.new_end', f.end, w),
    f.start !== undefined && f.end === undefined ? strong('card.field.new_end', w.t('card.time.same_length')) : null,
    f.all_day === undefined || allDay ? null : strong('card.field.all_day', w.t(`card.all_day.${f.all_day}`)),
  ]
}

/** "until about 20:57". @param {number} seconds @param {Words} w */
function until(seconds, w) {
  const end = w.now + seconds * 1000
  const time = clock(end, w.locale, w.zone)
  const same = day(end, w.now, w.locale, w.zone) === day(w.now, w.now, w.locale, w.zone)
  return w.t('card.time.until', { time: same ? time : `${day(end, w.now, w.locale, w.zone)}, ${time}` })
}
