// Notifications: what an agent has to say, and what brings the person here where
// a tap of theirs is wanted. The service worker shows them, one after the other:
// it is still there when the page is not, and a tap on one opens nod.

import { t } from '../text.js'
import { pieces } from '../visible.js'
import { SECOND, within } from './wait.js'

const PERMISSION_MS = 120 * SECOND
const WORKER_MS = 10 * SECOND

const ICONS = { icon: '/icons/icon-192.png', badge: '/icons/badge-96.png' }

/**
 * @typedef {import('./device.js').Made} Made
 * @typedef {{
 *   permission: () => NotificationPermission, request: () => Promise<NotificationPermission>,
 *   show: (title: string, options: NotificationOptions) => Promise<boolean | null>,
 * }} Browser show: whether it is listed then, as far as anybody said; null where it was not shown for sure
 */

/** @type {Browser} */
const browser = {
  permission: () => Notification.permission,
  request: () => Notification.requestPermission(),
  async show(title, options) {
    const worker = (await within(navigator.serviceWorker.ready, WORKER_MS))?.active
    if (!worker) return null
    const { port1, port2 } = new MessageChannel()
    const answer = new Promise((/** @type {(shown: boolean | null) => void} */ resolve) => { port1.onmessage = ({ data }) => resolve(data.shown) })
    worker.postMessage({ kind: 'show', title, options }, [port2])
    const said = await within(answer.then((shown) => ({ shown })), WORKER_MS)
    port1.close()
    return said ? said.shown : false
  },
}

/** @type {import('./device.js').Prepare} */
export async function prepare(fields, { call, agentName, platform }) {
  return { needs: browser.permission() === 'default' ? 'tap' : 'nothing', start: () => post(fields, { call, agentName, os: platform.os }, browser) }
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
  const tag = `agent-${agentName}-${thread ?? call}`
  const options = /** @type {NotificationOptions} */ ({ body: visible(body), tag, renotify: true, vibrate: [80], data: { kind: 'agent', call }, ...ICONS })
  const shown = await b.show(`${agentName}: ${title}`, options)
  if (shown === null) return { ok: false, reason: 'not_shown' }
  // An iPhone's list is of no use here: it leaves out what is shown.
  return shown || os === 'ios' ? { ok: true, reason: 'notified' } : { ok: false, started: true, reason: 'not_shown' }
}

/** A text in which no character hides or turns a line round, as on a card. @param {string} text */
const visible = (text) => pieces(text).map((piece) => 'text' in piece ? piece.text : piece.token).join('')

/**
 * Brings the person here for a tap. It has the tag of the call's card, so that
 * nobody sees two of it, and goes when the call is over.
 * @param {import('../offer.js').Offer} offer
 */
export const beckon = ({ call, agent_name: agentName, action }) =>
  browser.show(agentName, { body: t(`card.title.${action}`), tag: `card-${call}`, data: { kind: 'card', call }, ...ICONS })
