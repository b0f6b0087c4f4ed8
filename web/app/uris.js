// What a browser does for an action: the exact address, Shortcut or file, or why
// there is none. Each is in its own file: maps.js, messages.js, event.js. Pure.

import { webAddress } from './address.js'
import { calendar, calendarCreate } from './event.js'
import { addStop, mapCannot, navigate, searchNearby } from './maps.js'
import { dial, email, sms } from './messages.js'
import { UNPROBED } from './probe.js'

/**
 * @typedef {import('./settings.js').Settings} Settings
 * @typedef {{ os: 'android' | 'ios' | 'desktop', version: number, samsung: boolean, zone: string, standalone: boolean, model?: string }} Platform model: what people call it: Pixel 9
 *   version: of iOS, 1804 for 18.4, where it is known; else 0. standalone: opened from the home screen
 * @typedef {Record<string, any>} Fields
 * @typedef {{ app: string, destination: string, at: number }} Route the last one this phone started: the map app's key of texts, where to, when (ms)
 * @typedef {{ key: string, values: Record<string, string> }} Warning a key of texts
 * @typedef {{ platform: Platform, settings: Settings, route: Route | null, now: number }} Here
 *
 * @typedef {{ app: string, note?: string, warning?: Warning }} Said
 *   app: the key of the app's name. note: what differs from what was asked; the card says it and the agent is told.
 *   warning: what only the person is told, on the card.
 * @typedef {{ do: 'open', url: string, how: 'window' | 'address' } & Said} Launch how: a new window (https), or the page's own address
 * @typedef {{ do: 'open', intent: import('./intents.js').Intent } & Said} IntentLaunch Android: intentURL() of intents.js makes the URL, with a fallback
 * @typedef {{ do: 'shortcut', name: string, input: Record<string, unknown> } & Said} ShortcutRun iOS: shortcutURL() makes the URL
 * @typedef {{ do: 'torch', on: boolean, app?: undefined, note?: string }} Torch the camera's light
 * @typedef {{ do: 'device', what: DeviceTool, fields: Fields, taps: boolean, picks: boolean, app?: undefined, note?: string }} Device
 *   one of the tools that this page does itself (device/); taps: the browser wants a tap for it; picks: for its picker
 * @typedef {'clipboard_read' | 'clipboard_write' | 'contacts_search' | 'location' | 'notify' | 'phone_now' | 'photo_pick'} DeviceTool
 * @typedef {{ do: 'file', name: string, type: string, text: string } & Said} FileOpen a file to be opened from this nod
 * @typedef {{ reason: string, values?: Record<string, string>, why?: string }} Reason a key of texts; why: the contract's word for it, where it has one
 * @typedef {Launch | IntentLaunch | ShortcutRun | Torch | Device | FileOpen | Reason} Plan
 */

/**
 * @param {string} action
 * @param {Fields} fields
 * @param {Platform} platform
 * @param {Settings} settings
 * @param {Route | null} route
 * @param {number} now ms
 * @param {import('./probe.js').Probed} [probed]
 * @returns {Plan}
 */
export function plan(action, fields, platform, settings, route, now, probed = UNPROBED) {
  const reason = cannot(action, platform, settings, probed)
  if (reason) return { reason, ...(reason.endsWith('_blocked') && { why: 'not_allowed' }) }
  return action in DEVICE ? device(/** @type {DeviceTool} */ (action), fields, probed) : PLANS[action](fields, { platform, settings, route, now })
}

/**
 * What this page does itself, and whether the browser wants a tap for it.
 * @type {Record<DeviceTool, (probed: import('./probe.js').Probed) => boolean>}
 */
const DEVICE = {
  clipboard_read: () => true, clipboard_write: () => true, contacts_search: () => true, photo_pick: () => true,
  notify: ({ notifications }) => notifications !== 'ready', location: () => false, phone_now: () => false,
}

/** @param {DeviceTool} what @param {Fields} fields @param {import('./probe.js').Probed} probed @returns {Device} */
const device = (what, fields, probed) => ({ do: 'device', what, fields, taps: DEVICE[what](probed), picks: what === 'photo_pick' || what === 'contacts_search' })

/** @type {Record<string, (f: Fields, here: Here) => Plan>} */
const PLANS = {
  navigate, add_stop: addStop, search_nearby: searchNearby,
  sms_draft: sms, email_draft: email, dial, calendar_event: calendar, calendar_create: calendarCreate,
  open_url: (f) => (webAddress(f.url) ? { do: 'open', url: f.url, how: 'window', app: 'app.browser' } : { reason: 'cannot.url' }),
  torch: (f, { platform }) => (platform.os === 'ios' ? shortcut('Nod Torch', f) : { do: 'torch', on: f.on, ...(f.on && { note: 'note.torch' }) }),
  alarm: (f) => shortcut('Nod Alarm', f),
  timer: (f) => shortcut('Nod Timer', f),
  media: (f) => shortcut('Nod Media', f),
  automation_intent: (f) => (f.app === undefined || SHORTCUTS_APP.test(f.app) ? shortcut(f.name, f.values ?? {}) : { reason: 'cannot.automation_app', values: { name: f.app } }),
}

/** What iOS calls the app: in English and in German. */
const SHORTCUTS_APP = /^(apple |siri )?shortcuts$|^kurzbefehle$/i

/** What an iPhone does by a Shortcut, once the person has it and it was tested. */
export const BY_SHORTCUT = ['alarm', 'timer', 'torch', 'media', 'automation_intent']

/** @param {string} name @param {Record<string, unknown>} input @returns {Plan} */
const shortcut = (name, input) => ({ do: 'shortcut', name, input, app: 'app.shortcuts' })

/**
 * Why this browser does not do this, whatever the fields are; null where it can.
 * @param {string} action @param {Platform} platform @param {Settings} settings @param {import('./probe.js').Probed} [probed]
 * @returns {string | null} a key of texts
 */
export function cannot(action, platform, settings, probed = UNPROBED) {
  const { os } = platform
  if (os === 'ios' && BY_SHORTCUT.includes(action)) return settings.shortcuts[action] ? null : 'cannot.shortcut'
  if (['navigate', 'add_stop', 'search_nearby', 'stop_navigation'].includes(action)) return mapCannot(action, settings.map, platform)
  const told = PROBED[action]?.(probed)
  if (told === 'unsupported') return action === 'notify' && os === 'ios' && !platform.standalone ? 'cannot.notify_home' : `cannot.${action}`
  if (told === 'blocked') return `cannot.${action}_blocked`
  return NEVER[action] ?? (os === 'desktop' ? NO_PHONE[action] : undefined) ?? null
}

/**
 * Without a Shortcut. An app is not opened by its name: no link names one for
 * sure, and a link that merely might is worse than none.
 */
const NEVER = /** @type {Record<string, string>} */ ({
  alarm: 'cannot.alarm', timer: 'cannot.timer', media: 'cannot.media', automation_intent: 'cannot.automation_intent',
  open_app: 'cannot.open_app', settings_panel: 'cannot.settings_panel',
  alarm_set: 'cannot.alarm', timer_set: 'cannot.timer',
  calendars: 'cannot.calendar_read', calendar_list: 'cannot.calendar_read', calendar_update: 'cannot.calendar_change', calendar_delete: 'cannot.calendar_change',
})

/** Where the browser says whether it can be had. @type {Record<string, (probed: import('./probe.js').Probed) => import('./probe.js').Access>} */
const PROBED = {
  clipboard_read: (p) => p.clipboardRead, clipboard_write: (p) => p.clipboardWrite, contacts_search: (p) => p.contacts, location: (p) => p.location, notify: (p) => p.notifications,
}
const NO_PHONE = /** @type {Record<string, string>} */ ({ sms_draft: 'cannot.sms_draft', dial: 'cannot.dial' })
