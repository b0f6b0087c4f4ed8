// Where the phone is. A browser asks the person the first time, finds a place
// only while its page is in front, and some hand out an old one as if it were
// new: what is older than was asked for is not told.

import { isError, permission, SECOND, within } from './wait.js'

/** How long the browser may ask, and how long a fix may take then. */
const PERMISSION_MS = 120 * SECOND
const FIX_MS = 25 * SECOND
/** A browser that keeps to its time is a little late with it. */
const GRACE_MS = 2 * SECOND

const ACCURACY = 'fine'
const MAX_AGE = 120
/** Degrees of a kilometre, about: two decimal places. */
const COARSE_PLACES = 2
const COARSE_M = 1_000
const FINE_PLACES = 6

/** @typedef {{ geolocation?: Pick<Geolocation, 'getCurrentPosition'>, permissions?: Pick<Permissions, 'query'> }} Nav */
/** @typedef {import('./device.js').Made} Made */

/** @type {import('./device.js').Prepare} */
export async function prepare(fields) {
  return { needs: 'sight', start: () => locate(fields) }
}

/**
 * @param {{ accuracy?: string, max_age_seconds?: number }} fields @param {Nav} [nav]
 * @returns {Promise<Made>}
 */
export async function locate({ accuracy = ACCURACY, max_age_seconds: maxAge = MAX_AGE }, nav = navigator) {
  const began = Date.now()
  const status = await permission('geolocation', nav)
  if (status?.state === 'denied') return failed('not_allowed')
  const geo = nav.geolocation
  if (!geo) return failed('no_fix')
  /** @param {number} age */
  const ask = (age) => position(geo, { enableHighAccuracy: accuracy === 'fine', maximumAge: age * SECOND, timeout: FIX_MS }, status)
  try {
    let found = await ask(maxAge)
    if (found && old(found, maxAge, began)) found = await ask(0)
    if (!found) return failed((await permission('geolocation', nav))?.state === 'granted' ? 'no_fix' : 'nobody_answered')
    if (old(found, maxAge, began) || !Number.isFinite(found.coords.latitude) || !Number.isFinite(found.coords.longitude)) return failed('no_fix')
    return told(found, accuracy)
  } catch (e) {
    // The time that a browser is given begins once it is allowed, so that it ran
    // out is no silence of the person's, whatever an iPhone says of the permission.
    return failed(/** @type {GeolocationPositionError} */ (e).code === 1 || isError(e, 'SecurityError') ? 'not_allowed' : 'no_fix')
  }
}

/**
 * One position; null where the browser never says anything, as some do where a
 * person looks away from its question.
 * @param {Pick<Geolocation, 'getCurrentPosition'>} geo @param {PositionOptions} options @param {PermissionStatus | undefined} status
 * @returns {Promise<GeolocationPosition | null>}
 */
function position(geo, options, status) {
  const work = new Promise((/** @type {(p: GeolocationPosition) => void} */ resolve, reject) => geo.getCurrentPosition(resolve, reject, options))
  if (status?.state === 'granted') return within(work, FIX_MS + GRACE_MS)
  return within(work, PERMISSION_MS + FIX_MS)
}

/** @param {GeolocationPosition} found @param {number} maxAge s @param {number} began what came after that is as new as it gets */
const old = ({ timestamp }, maxAge, began) => timestamp < began - maxAge * SECOND - GRACE_MS

/** @param {GeolocationPosition} found @param {string} accuracy @returns {Made} */
function told({ coords, timestamp }, accuracy) {
  const coarse = accuracy === 'coarse'
  const round = (/** @type {number} */ n) => Number(n.toFixed(coarse ? COARSE_PLACES : FINE_PLACES))
  const metres = Number.isFinite(coords.accuracy) ? Math.ceil(coords.accuracy) : COARSE_M
  return {
    ok: true, reason: 'read', ...(coarse && { note: 'result.location_coarse' }),
    data: {
      latitude: round(coords.latitude), longitude: round(coords.longitude), accuracy_m: coarse ? Math.max(metres, COARSE_M) : metres,
      age_s: Math.max(0, Math.round((Date.now() - timestamp) / SECOND)), provider: 'browser',
    },
  }
}

/** @param {string} reason @returns {Made} */
const failed = (reason) => ({ ok: false, reason })
