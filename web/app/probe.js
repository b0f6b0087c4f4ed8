// What only the browser knows of this device: looked up without opening
// anything and without asking anybody.

/**
 * @typedef {{
 *   torch: 'ready' | 'needs_permission' | 'blocked' | 'unsupported',
 *   notifications: 'ready' | 'needs_permission' | 'blocked' | 'unsupported',
 * }} Probed blocked: the person said no, and is not asked again
 */

/** What holds until the browser has answered. @type {Probed} */
export const UNPROBED = { torch: 'unsupported', notifications: 'unsupported' }

const STATES = /** @type {const} */ ({ granted: 'ready', prompt: 'needs_permission', denied: 'blocked' })

/**
 * Never rejects: what a browser does not tell is not there.
 * @param {{ mediaDevices?: Pick<MediaDevices, 'enumerateDevices'>, permissions?: Pick<Permissions, 'query'> }} [nav]
 * @returns {Promise<Probed>}
 */
export async function probe(nav = navigator) {
  const [camera, notifications, seen] = await Promise.all([state(nav, 'camera'), state(nav, 'notifications'), hasCamera(nav)])
  return {
    torch: seen ? camera ?? 'needs_permission' : 'unsupported',
    notifications: notifications ?? 'unsupported',
  }
}

/** @param {{ permissions?: Pick<Permissions, 'query'> }} nav @param {string} name */
async function state(nav, name) {
  try {
    return STATES[/** @type {PermissionStatus} */ (await nav.permissions?.query({ name: /** @type {PermissionName} */ (name) })).state]
  } catch {
    return undefined // some browsers know no such permission
  }
}

/** @param {{ mediaDevices?: Pick<MediaDevices, 'enumerateDevices'> }} nav */
async function hasCamera(nav) {
  try {
    return (await nav.mediaDevices?.enumerateDevices())?.some((device) => device.kind === 'videoinput') ?? false
  } catch {
    return false
  }
}
