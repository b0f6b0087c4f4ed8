// What a card says of an action: one row per field, all of them, from the
// offer's own fields. Pure: it makes data, card.js draws it. What rows are made
// of is in rows.js, what a tool of its own says in toolfields.js.

import { ownNetwork, webAddress } from './address.js'
import { body, link, many, maybe, people, rings, strong, times } from './rows.js'
import { TOOL_ROWS, TOOL_WHAT } from './toolfields.js'
import { list, span, weekdays } from './words.js'

/** @typedef {import('./rows.js').Row} Row */
/** @typedef {import('./rows.js').Value} Value */
/** @typedef {import('./rows.js').Words} Words */

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
  ...TOOL_ROWS,
  navigate: (f, w) => [
    route([...(f.stops ?? []), f.destination], w),
    strong('card.field.mode', w.t(`card.mode.${f.mode ?? 'drive'}`)),
    f.replace_route === undefined ? null : strong('card.field.replace_route', w.t(`card.replace_route.${f.replace_route}`)),
  ],
  add_stop: (f, w) => [route([f.stop, f.destination], w), strong('card.field.mode', w.t(`card.mode.${f.mode ?? 'drive'}`))],
  search_nearby: (f, w) => [strong('card.field.query', f.query), strong('card.field.near', w.t(`card.near.${f.near ?? 'me'}`))],
  stop_navigation: () => [],
  alarm: (f, w) => [rings(f.time, f.days, w), f.days ? strong('card.field.days', weekdays(f.days, w.locale)) : null, maybe('card.field.label', f.label)],
  timer: (f, w) => [strong('card.field.seconds', span(f.seconds, w.locale)), maybe('card.field.label', f.label)],
  calendar_event: (f, w) => [
    strong('card.field.title', f.title), ...times(/** @type {any} */ (f), w),
    maybe('card.field.place', f.place), body('card.field.notes', f.notes),
  ],
  sms_draft: (f, w) => [people('card.field.to', 'to', f.to, w), body('card.field.text', f.text)],
  email_draft: (f) => [
    many('card.field.to', f.to), many('card.field.cc', f.cc), maybe('card.field.subject', f.subject), body('card.field.text', f.text),
  ],
  dial: (f, w) => [people('card.field.number', 'number', [f.number], w)],
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

/** The actions and tools that have a card. */
export const ACTIONS_WITH_ROWS = Object.keys(ROWS)

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
  ...TOOL_WHAT,
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
