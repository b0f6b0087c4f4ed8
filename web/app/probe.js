// What only the browser knows of this device: looked up without opening
// anything and without asking anybody.

import { permission } from './device/wait.js'

/**
 * @typedef {'ready' | 'needs_permission' | 'blocked' | 'unsupported'} Access blocked: the person said no, and is not asked again
 * @typedef {{ torch: Access, notifications: Access, location: Access, clipboardRead: Access, clipboardWrite: Access, contacts: Access }} Probed
 */

/** What holds until the browser has answered. @type {Probed} */
export const UNPROBED = { torch: 'unsupported', notifications: 'unsupported', location: 'unsupported', clipboardRead: 'unsupported', clipboardWrite: 'unsupported', contacts: 'unsupported' }

/** @type {Record<string, Access>} */
const STATES = { granted: 'ready', prompt: 'needs_permission', denied: 'blocked' }

/** What the browser asks a person about. */
const NAMES = ['camera', 'notifications', 'geolocation', 'clipboard-read']

/**
 * @typedef {{
 *   mediaDevices?: Pick<MediaDevices, 'enumerateDevices'>, permissions?: Pick<Permissions, 'query'>,
 *   geolocation?: unknown, serviceWorker?: unknown, clipboard?: { readText?: unknown, writeText?: unknown }, contacts?: { select?: unknown },
 * }} Nav
 */

/**
 * Never rejects: what a browser does not tell is not there.
 * @param {Nav} [nav]
 * @param {() => void} [changed] called whenever the person allows or forbids something later
 * @param {{ permission: string }} [notice] the browser's own Notification, if it has one: what it says counts, also where it cannot be asked for it
 * @returns {Promise<Probed>}
 */
export async function probe(nav = navigator, changed, notice = globalThis.Notification) {
  const [[camera, notifications, geolocation, clipboard], seen] = await Promise.all([Promise.all(NAMES.map((name) => state(nav, name, changed))), hasCamera(nav)])
  // Where a browser knows no such permission it asks when it comes to it.
  const has = (/** @type {unknown} */ is, /** @type {Access | undefined} */ access) => (is ? access ?? 'needs_permission' : 'unsupported')
  return {
    torch: has(seen, camera),
    notifications: notice && nav.serviceWorker ? notifications ?? STATES[notice.permission === 'default' ? 'prompt' : notice.permission] ?? 'unsupported' : 'unsupported',
    location: has(nav.geolocation, geolocation),
    clipboardRead: has(nav.clipboard?.readText, clipboard),
    clipboardWrite: nav.clipboard?.writeText ? 'ready' : 'unsupported',
    contacts: typeof nav.contacts?.select === 'function' ? 'ready' : 'unsupported',
  }
}

/** @param {Nav} nav @param {string} name @param {() => void} [changed] */
async function state(nav, name, changed) {
  const status = await permission(name, nav) // some browsers know no such permission
  if (status && changed) status.onchange = changed
  return status && STATES[status.state]
}

/** @param {Nav} nav */
async function hasCamera(nav) {
  try {
    return (await nav.mediaDevices?.enumerateDevices())?.some((device) => device.kind === 'videoinput') ?? false
  } catch {
    return false
  }
}
