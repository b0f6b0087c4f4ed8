// Notifications: what an agent has to say, and what brings the person here where
// a tap of theirs is wanted. They are the service worker's, which is still there
// when the page is not; a tap on one opens nod.

import { t } from '../text.js'
import { SECOND, within } from './wait.js'

const PERMISSION_MS = 120 * SECOND
const WORKER_MS = 5 * SECOND
/** How long a browser may take until it lists what it shows. */
const SHOWN_MS = 2 * SECOND
const LOOK_MS = 100

const ICONS = { icon: '/icons/icon-192.png', badge: '/icons/badge-96.png' }

/**
 * @typedef {import('./device.js').Made} Made
 * @typedef {{
 *   permission: () => NotificationPermission, request: () => Promise<NotificationPermission>,
 *   registration: Pick<ServiceWorkerRegistration, 'showNotification' | 'getNotifications'> | null | undefined,
 * }} Browser
 */

/** @returns {Promise<Browser>} */
async function browser() {
  const ready = navigator.serviceWorker?.ready
  return { permission: () => Notification.permission, request: () => Notification.requestPermission(), registration: ready && (await within(ready, WORKER_MS)) }
}

/** @type {import('./device.js').Prepare} */
export async function notify(fields, { call, agentName, platform }) {
  const b = await browser()
  return { needs: b.permission() === 'default' ? 'tap' : 'nothing', start: () => post(fields, { call, agentName, os: platform.os }, b) }
}

/**
 * The agent's name stands first: no notification of an agent's looks like one of nod's own.
 * @param {{ title?: string, body?: string, thread?: string }} fields @param {{ call: string, agentName: string, os: string }} about @param {Browser} b
 * @returns {Promise<Made>}
 */
export async function post({ title = '', body = '', thread }, { call, agentName, os }, b) {
  let allowed = b.permission()
  if (allowed === 'default') {
    const said = await within(b.request(), PERMISSION_MS)
    if (said === null) return { ok: false, reason: 'nobody_answered' }
    allowed = said
  }
  if (allowed !== 'granted') return { ok: false, reason: 'not_allowed' }
  const { registration } = b
  if (!registration) return { ok: false, reason: 'not_shown' }
  const tag = `agent-${agentName}-${thread ?? call}`
  const options = /** @type {NotificationOptions} */ ({ body, tag, renotify: true, vibrate: [80], data: { kind: 'agent', call }, ...ICONS })
  try {
    await registration.showNotification(`${agentName}: ${title}`, options)
  } catch {
    return { ok: false, reason: 'not_shown' }
  }
  // An iPhone's list is not of use here: it leaves out what it shows.
  return os === 'ios' || (await listed(registration, call)) ? { ok: true, reason: 'notified' } : { ok: false, started: true, reason: 'not_shown' }
}

/** @param {Pick<ServiceWorkerRegistration, 'getNotifications'>} registration @param {string} call */
async function listed(registration, call) {
  for (const end = performance.now() + SHOWN_MS; ;) {
    if ((await registration.getNotifications()).some((n) => n.data?.call === call)) return true
    if (performance.now() > end) return false
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

/**
 * Brings the person here for a tap. It has the tag of the call's card, so that
 * nobody sees two of it, and goes when the call is over.
 * @param {import('../offer.js').Offer} offer
 */
export async function beckon({ call, agent_name: agentName, action }) {
  const { registration } = await browser()
  await registration?.showNotification(agentName, { body: t(`card.title.${action}`), tag: `card-${call}`, data: { kind: 'card', call }, ...ICONS })
}
