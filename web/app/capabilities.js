// What this browser can do here and now, each with the reason where it cannot:
// an agent hears the reason at once instead of asking in vain.

import { ACTIONS } from './contract.js'

/** @typedef {import('./uris.js').Platform} Platform */
/** @typedef {{ id: string, state: 'ready' | 'unsupported', reason?: string }} Capability */

const ANYWHERE = ['navigate', 'add_stop', 'search_nearby', 'email_draft', 'open_url', 'calendar_event']
const ON_A_PHONE = ['sms_draft', 'dial']

/**
 * @param {Platform} platform
 * @returns {{ action: string, id: string, reason: string | null }[]} reason is a key of texts, null when it can
 */
export function able(platform) {
  const can = platform.os === 'desktop' ? ANYWHERE : [...ANYWHERE, ...ON_A_PHONE]
  return ACTIONS.map((a) => ({ action: a.name, id: a.capability, reason: can.includes(a.name) ? null : `cannot.${a.name}` }))
}

/**
 * The same as the phone declares it on the link.
 * @param {Platform} platform
 * @param {(key: string) => string} say the reason's sentence, in English: an agent reads it
 * @returns {Capability[]}
 */
export function declare(platform, say) {
  return able(platform).map(({ id, reason }) => (reason ? { id, state: 'unsupported', reason: say(reason) } : { id, state: 'ready' }))
}
