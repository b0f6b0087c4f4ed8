// Routes and searches in the map app that the person chose: the exact address,
// or why that app does not take it. Pure.
//
// What each takes was read in its documentation or its source: Google's Maps
// URLs, Apple's unified Maps URLs (iOS 18.4), Waze's deep links, the links that
// OsmAnd reads, Organic Maps' API. OsmAnd has more (stop_navigation, force=true),
// but lets no browser in there: that filter of its manifest is not BROWSABLE.

import { pct } from './intents.js'

/**
 * @typedef {import('./uris.js').Platform} Platform
 * @typedef {import('./uris.js').Fields} Fields
 * @typedef {import('./uris.js').Plan} Plan
 * @typedef {import('./uris.js').Route} Route
 * @typedef {{ destination: Fields, stops: Fields[], mode: string, platform: Platform }} Wanted
 * @typedef {{
 *   app: string, package?: string, stops: Partial<Record<Platform['os'], number>>,
 *   modes: Record<string, string>, oneLeg: string[],
 *   route: (w: Wanted, mode: string) => string | null, search: (query: string, p: Platform) => string | null,
 * }} MapApp
 *   stops: how many it takes, for each system it is on; modes: the app's word for each it has; oneLeg: those without stops;
 *   route and search: null where it would take a point, or nothing at all
 */

const ANY = Infinity
const URL_LENGTH = 2048
/** How long a route that was started here may still run. */
export const ROUTE_MS = 4 * 3_600_000
/** From here on, 18.4, Apple's map app takes stops and bicycles from a link. */
const APPLE_UNIFIED = 1804

/** A place as a map reads it: the point where there is one. @param {Fields} place */
const point = (place) => (place.lat === undefined ? place.query || place.name : `${place.lat},${place.lon}`)

/** What a place is called. @param {Fields} place */
const label = (place) => place.name || place.query

/** Only points. @param {Fields[]} places */
const exact = (places) => places.every((place) => place.lat !== undefined)

/** The geo: form of a place. @param {Fields} place */
export function geo(place) {
  if (place.lat === undefined) return `geo:0,0?q=${pct(label(place))}`
  return `geo:0,0?q=${point(place)}${label(place) ? pct(`(${label(place)})`) : ''}`
}

/** @type {Record<import('./settings.js').Settings['map'], MapApp>} */
const MAPS = {
  google: {
    app: 'app.google_maps', package: 'com.google.android.apps.maps', stops: { android: 9, ios: 3, desktop: 9 },
    modes: { drive: 'driving', walk: 'walking', bicycle: 'bicycling', transit: 'transit' }, oneLeg: ['transit'],
    route: ({ destination, stops, mode }, word) => `https://www.google.com/maps/dir/?api=1&destination=${pct(point(destination))}` +
      (stops.length ? `&waypoints=${pct(stops.map(point).join('|'))}` : '') +
      `&travelmode=${word}${mode === 'transit' ? '' : '&dir_action=navigate'}`, // transit has no turn-by-turn to start
    search: (query) => `https://www.google.com/maps/search/?api=1&query=${pct(query)}`,
  },
  apple: {
    app: 'app.apple_maps', stops: { ios: ANY, desktop: ANY },
    modes: { drive: 'driving', walk: 'walking', bicycle: 'cycling', transit: 'transit' }, oneLeg: ['bicycle'],
    route: ({ destination, stops, mode, platform }, word) => (oldApple(platform)
      ? `https://maps.apple.com/?daddr=${pct(point(destination))}&dirflg=${{ drive: 'd', walk: 'w', transit: 'r' }[mode]}`
      : `https://maps.apple.com/directions?${stops.map((s) => `waypoint=${pct(point(s))}&`).join('')}destination=${pct(point(destination))}&mode=${word}`),
    search: (query, p) => `https://maps.apple.com/${oldApple(p) ? '?q' : 'search?query'}=${pct(query)}`,
  },
  waze: {
    app: 'app.waze', package: 'com.waze', stops: { android: 0, ios: 0, desktop: 0 }, modes: { drive: '' }, oneLeg: [],
    route: ({ destination }) => `https://waze.com/ul?${exact([destination]) ? 'll' : 'q'}=${pct(point(destination))}&navigate=yes`,
    search: (query) => `https://waze.com/ul?q=${pct(query)}`,
  },
  osmand: {
    app: 'app.osmand', package: 'net.osmand', stops: { android: ANY, ios: ANY, desktop: ANY },
    modes: { drive: 'car', walk: 'pedestrian', bicycle: 'bicycle', transit: 'public_transport' }, oneLeg: ['transit'],
    route: ({ destination, stops }, word) => (exact([destination, ...stops])
      ? `https://osmand.net/map/navigate?${stops.length ? `via=${stops.map(point).join(';')}&` : ''}end=${point(destination)}&profile=${word}`
      : null),
    search: (query, p) => (p.os === 'android' ? geo({ query }) : null),
  },
  organic: {
    app: 'app.organic_maps', package: 'app.organicmaps', stops: { android: ANY, ios: ANY },
    modes: { drive: 'drive', walk: 'walk', bicycle: 'bike', transit: 'transit' }, oneLeg: ['transit'],
    route: ({ destination, stops }, word) => (exact([destination, ...stops])
      ? `om://v2/nav?destination=${pct(point(destination))}${label(destination) ? `&destination_name=${pct(label(destination))}` : ''}` +
        `${stops.length ? `&waypoints=${pct(stops.map(point).join('|'))}` : ''}&mode=${word}`
      : null),
    search: (query) => `om://search?query=${pct(query)}`,
  },
}

/** Whether this is Apple's map app before it took stops. @param {Platform} p */
const oldApple = (p) => p.os === 'ios' && p.version > 0 && p.version < APPLE_UNIFIED

/** The map apps there are for a system, and what each is called. @param {Platform['os']} os */
export function mapsOn(os) {
  return /** @type {import('./settings.js').Settings['map'][]} */ (Object.keys(MAPS)).filter((id) => os in MAPS[id].stops).map((id) => ({ id, app: MAPS[id].app }))
}

/** How many stops a map app takes here; null where it is not. @param {import('./settings.js').Settings['map']} id @param {Platform} p */
export function stopsOf(id, p) {
  return (id === 'apple' && oldApple(p) ? 0 : MAPS[id].stops[p.os]) ?? null
}

/**
 * Why the chosen map app never does this, whatever the place; a key of texts.
 * @param {string} action @param {import('./settings.js').Settings['map']} id @param {Platform} p
 */
export function mapCannot(action, id, p) {
  const stops = stopsOf(id, p)
  if (stops === null) return 'cannot.map_here'
  if (action === 'stop_navigation') return 'cannot.stop_navigation'
  if (action === 'add_stop' && stops === 0) return 'cannot.add_stop'
  return action === 'search_nearby' && MAPS[id].search('', p) === null ? 'cannot.search_nearby' : null
}

/** @param {Fields} f @param {import('./uris.js').Here} here @returns {Plan} */
export function navigate(f, here) {
  const { platform, settings: { map } } = here
  const stops = f.stops ?? []
  const app = MAPS[map]
  const max = stopsOf(map, platform) ?? 0
  const mode = f.mode ?? 'drive'
  if (!(mode in app.modes) || (mode === 'bicycle' && map === 'apple' && oldApple(platform))) return { reason: 'cannot.map_mode' }
  if (stops.length > max) return max ? { reason: 'cannot.stops', values: { max: String(max), count: String(stops.length) } } : { reason: 'cannot.no_stops' }
  if (stops.length && app.oneLeg.includes(mode)) return { reason: 'cannot.mode_stops' }
  const url = app.route({ destination: f.destination, stops, mode, platform }, app.modes[mode])
  const note = f.replace_route === undefined ? undefined : 'note.replace_route'
  if (url) return opened(url, here, note, running(here))
  const found = !stops.length && app.search(point(f.destination), platform)
  return found ? opened(found, here, 'note.map_place') : { reason: 'cannot.map_point' }
}

/** No map app adds a stop to a running route: it is planned again, by way of the stop. @param {Fields} f @param {import('./uris.js').Here} here */
export const addStop = (f, here) => navigate({ destination: f.destination, stops: [f.stop], mode: f.mode }, here)

/** @param {Fields} f @param {import('./uris.js').Here} here @returns {Plan} */
export function searchNearby(f, here) {
  return opened(/** @type {string} */ (MAPS[here.settings.map].search(f.query, here.platform)), here, f.near === 'route' ? 'note.search_route' : undefined)
}

/**
 * On Android an intent names the app, so that a missing one is told; elsewhere
 * the address itself, which opens the app or its page.
 * @param {string} url @param {import('./uris.js').Here} here @param {string} [note] @param {import('./uris.js').Warning} [warning]
 * @returns {Plan}
 */
function opened(url, { platform, settings }, note, warning) {
  const { app, package: id } = MAPS[settings.map]
  if (url.length > URL_LENGTH) return { reason: 'cannot.url_length' }
  const said = { app, ...(note && { note }), ...(warning && { warning }) }
  if (platform.os !== 'android') return { do: 'open', url, how: url.startsWith('https:') ? 'window' : 'address', ...said }
  const [scheme, data] = /** @type {[string, string]} */ (/^(.+?):(.*)$/.exec(url)?.slice(1))
  return { do: 'open', intent: { data, scheme, package: id }, ...said }
}

/** A route that was started here and may still run. @param {import('./uris.js').Here} here @returns {import('./uris.js').Warning | undefined} */
function running({ route, now }) {
  const age = route ? now - route.at : -1
  return route && age >= 0 && age < ROUTE_MS ? { key: 'card.badge.route_running', values: { name: route.destination } } : undefined
}
