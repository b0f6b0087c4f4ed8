// What a browser opens for an action: the exact URL, or why there is none. Pure.
//
// Every form here was checked against what the apps document or their source
// says; the tests hold input and output literally. Google Maps is the map app.

import { momentOf, readDate } from './zone.js'

/**
 * @typedef {import('./settings.js').Settings} Settings
 * @typedef {{ os: 'android' | 'ios' | 'desktop', version: number, samsung: boolean, zone: string, standalone: boolean }} Platform
 *   version: of iOS, 1804 for 18.4, where it is known; else 0. standalone: opened from the home screen
 * @typedef {Record<string, any>} Fields
 * @typedef {{ app: string, destination: string, at: number }} Route the last one this phone started: the map app's key of texts, where to, when (ms)
 * @typedef {{ key: string, values: Record<string, string> }} Warning a key of texts
 * @typedef {{ data: string, scheme: string, package?: string, action?: string, extras?: Record<string, string | number | boolean> }} Intent
 *
 * @typedef {{ app: string, note?: string, warning?: Warning }} Said
 *   app: the key of the app's name. note: what differs from what was asked; the card says it and the agent is told.
 *   warning: what only the person is told, on the card.
 * @typedef {{ do: 'open', url: string, how: 'window' | 'address' } & Said} Launch how: a new window (https), or the page's own address
 * @typedef {{ do: 'open', intent: Intent } & Said} IntentLaunch Android: intentURL() of intents.js makes the URL, with a fallback
 * @typedef {{ do: 'shortcut', name: string, input: Record<string, unknown> } & Said} ShortcutRun iOS: shortcutURL() makes the URL
 * @typedef {{ do: 'torch', on: boolean } & Said} Torch
 * @typedef {{ do: 'file', name: string, type: string, text: string } & Said} FileOpen
 * @typedef {{ reason: string, values?: Record<string, string> }} Reason a key of texts
 * @typedef {Launch | IntentLaunch | ShortcutRun | Torch | FileOpen | Reason} Plan
 */

const STOPS_IN_A_BROWSER = 3
const URL_LENGTH = 2048
const TRAVEL = /** @type {Record<string, string>} */ ({ drive: 'driving', walk: 'walking', bicycle: 'bicycling', transit: 'transit' })

/**
 * Percent-encodes all but the unreserved characters of RFC 3986.
 * @param {string} text
 */
export function pct(text) {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}

/**
 * @param {string} action
 * @param {Fields} fields
 * @param {Platform} platform
 * @param {Settings} settings
 * @param {Route | null} route
 * @param {number} now ms
 * @returns {Plan}
 */
export function plan(action, fields, platform, settings, route, now) {
  void [settings, route, now]
  const make = PLANS[action]
  return make ? make(fields, platform) : { reason: `cannot.${action}` }
}

/** @type {Record<string, (f: Fields, p: Platform) => Plan>} */
const PLANS = {
  navigate: (f) => route(f.destination, f.stops ?? [], f.mode),
  add_stop: (f) => route(f.destination, [f.stop], f.mode),
  search_nearby: (f) => ({
    do: 'open', url: `https://www.google.com/maps/search/?api=1&query=${pct(f.query)}`,
    how: 'window', app: 'app.google_maps', note: f.near === 'route' ? 'note.search_route' : undefined,
  }),
  sms_draft: sms,
  email_draft: email,
  dial,
  open_url: (f) => openUrl(f.url),
  calendar_event: (f, p) => calendar(f, p.zone),
}

/** A place as a map reads it: the point where there is one. @param {Fields} place */
const point = (place) => (place.lat !== undefined ? `${place.lat},${place.lon}` : place.query || place.name)

/** @param {Fields} destination @param {Fields[]} stops @param {string} [mode] @returns {Plan} */
function route(destination, stops, mode = 'drive') {
  if (stops.length > STOPS_IN_A_BROWSER) return { reason: 'cannot.stops', values: { count: String(stops.length) } }
  if (mode === 'transit' && stops.length) return { reason: 'cannot.transit_stops' }
  const url = 'https://www.google.com/maps/dir/?api=1' +
    `&destination=${pct(point(destination))}` +
    (stops.length ? `&waypoints=${stops.map((s) => pct(point(s))).join('%7C')}` : '') +
    `&travelmode=${TRAVEL[mode]}` +
    (mode === 'transit' ? '' : '&dir_action=navigate') // transit has no turn-by-turn to start
  return url.length > URL_LENGTH ? { reason: 'cannot.url_length' } : { do: 'open', url, how: 'window', app: 'app.google_maps' }
}

/** The geo: form of a place, for map apps that are opened by it. @param {Fields} place */
export function geo(place) {
  if (place.lat === undefined) return `geo:0,0?q=${pct(place.query || place.name)}`
  const label = place.name || place.query
  return `geo:0,0?q=${place.lat},${place.lon}${label ? pct(`(${label})`) : ''}`
}

/** What a dialer needs of a number as people write it. @param {string} text */
const bare = (text) => text.replace(/[\s().\-/]/g, '')

/** @param {Fields} f @param {Platform} p @returns {Plan} */
function sms(f, p) {
  if (p.os === 'desktop') return { reason: 'cannot.sms_draft' }
  const to = (f.to ?? []).map(bare)
  const wrong = (f.to ?? []).find((/** @type {string} */ _, /** @type {number} */ i) => !/^\+?\d{3,}$/.test(to[i]))
  if (wrong !== undefined) return { reason: 'cannot.sms_number', values: { to: wrong } }
  const body = f.text ? `body=${pct(f.text)}` : ''
  const how = /** @type {const} */ ('address')
  if (p.os === 'ios' && to.length > 1) {
    return { do: 'open', url: `sms:/open?addresses=${to.map(pct).join(',')}${body && `&${body}`}`, how, app: 'app.messages' }
  }
  const joined = to.join(p.samsung ? ',' : ';')
  return { do: 'open', url: `sms:${joined}${body && (p.os === 'ios' ? '&' : '?') + body}`, how, app: 'app.messages' }
}

// One mailbox: anything that a mail app could read as a second one, or as a
// header, is refused rather than encoded and hoped for.
const MAILBOX = /^([^\s@,;:<>()[\]"\\]+)@([^\s@,;:<>()[\]"\\?&#=%/]+)$/u

/** @param {Fields} f @returns {Plan} */
function email(f) {
  for (const to of [...(f.to ?? []), ...(f.cc ?? [])]) {
    if (!MAILBOX.test(to)) return { reason: 'cannot.mailbox', values: { to } }
  }
  const to = (f.to ?? []).map((/** @type {string} */ a) => a.replace(MAILBOX, (_, local, host) => `${pct(local)}@${pct(host)}`))
  const query = [
    f.cc && `cc=${f.cc.map(pct).join(',')}`,
    f.subject && `subject=${pct(f.subject)}`,
    f.text && `body=${pct(f.text.replace(/\r\n|\r|\n/g, '\r\n'))}`,
  ].filter(Boolean).join('&')
  return { do: 'open', url: `mailto:${to.join(',')}${query && `?${query}`}`, how: 'address', app: 'app.mail' }
}

/** @param {Fields} f @param {Platform} p @returns {Plan} */
function dial(f, p) {
  if (p.os === 'desktop') return { reason: 'cannot.dial' }
  if (p.os === 'ios' && /[*#]/.test(f.number)) return { reason: 'cannot.dial_code' }
  return { do: 'open', url: `tel:${bare(f.number).replace(/#/g, '%23')}`, how: 'address', app: 'app.dialer' }
}

/** @param {string} url @returns {Plan} */
function openUrl(url) {
  const parts = webAddress(url)
  return parts ? { do: 'open', url, how: 'window', app: 'app.browser' } : { reason: 'cannot.url' }
}

/**
 * Splits a web address into scheme, whole host and the rest, letter for letter;
 * null for what a browser would read as anything else.
 * @param {string} url
 * @returns {[string, string, string] | null}
 */
export function webAddress(url) {
  const m = /^(https?:\/\/)([^/?#\\@\s]+)([^\\\u0000-\u001f]*)$/i.exec(url)
  if (!m) return null
  try {
    const read = new URL(url)
    if (!/^https?:$/.test(read.protocol) || read.username || read.password) return null
  } catch {
    return null
  }
  return [m[1], m[2], m[3]]
}

/** @param {Fields} f @param {string} zone @returns {Plan} */
function calendar(f, zone) {
  const times = eventTimes(f, zone)
  if ('reason' in times) return times
  const url = 'https://calendar.google.com/calendar/render?action=TEMPLATE' +
    `&text=${pct(f.title)}&dates=${pct(`${times.from}/${times.to}`)}` +
    (f.notes ? `&details=${pct(f.notes)}` : '') +
    (f.place ? `&location=${pct(f.place)}` : '')
  return url.length > 4 * URL_LENGTH ? { reason: 'cannot.url_length' } : { do: 'open', url, how: 'window', app: 'app.google_calendar' }
}

const HOUR = 3_600_000

/**
 * The start and end as Google Calendar takes them: days without a zone, the end
 * not included, or moments in UTC. An event without an end is an hour, or a day.
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
