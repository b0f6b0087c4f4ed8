// What this browser can do here and now, each with the reason where it cannot:
// an agent hears the reason at once instead of asking in vain.

import { ACTIONS, TOOLS } from './contract.js'
import { cannot } from './uris.js'

/** @typedef {import('./uris.js').Platform} Platform */
/** @typedef {import('./settings.js').Settings} Settings */
/** @typedef {import('./probe.js').Probed} Probed */
/** @typedef {import('./probe.js').Access} Access */
/** @typedef {'ready' | 'needs_permission' | 'unsupported'} State */
/** @typedef {{ action: string, id: string, state: State, reason: string | null, picker?: boolean }} Able action: or the tool; reason: a key of texts, null when ready */
/** @typedef {{ id: string, state: State, reason?: string, picker?: boolean }} Capability picker: the system's own picker is where the person says yes */

/**
 * What hangs on the person's word to the browser: where that was a no the torch
 * is not there. A tool is, for the no can be taken back: its calls end at once.
 * @type {Record<string, [keyof Probed, string]>}
 */
const BY_PERMISSION = {
  torch: ['torch', 'cannot.torch'],
  location: ['location', 'cannot.location'],
  clipboard_read: ['clipboardRead', 'cannot.clipboard_read'],
  notify: ['notifications', 'cannot.notify'],
}

/** @param {string} action @param {Access} access @param {string} key @returns {[State, string | null]} */
function permitted(action, access, key) {
  switch (access) {
    case 'ready':
      return ['ready', null]
    case 'needs_permission':
      return ['needs_permission', `${key}_permission`]
    case 'blocked':
      return [action === 'torch' ? 'unsupported' : 'needs_permission', `${key}_blocked`]
  }
  return ['unsupported', key]
}

/**
 * @param {Platform} platform @param {Settings} settings @param {Probed} probed
 * @returns {Able[]} one for each action, and for each tool of its own
 */
export function able(platform, settings, probed) {
  return [...ACTIONS, ...TOOLS].map(({ name: action, capability: id }) => {
    const never = cannot(action, platform, settings, probed)
    const by = (action === 'torch' && platform.os === 'ios') || (never && !never.endsWith('_blocked')) ? undefined : BY_PERMISSION[action]
    const [state, reason] = by ? permitted(action, probed[by[0]], by[1]) : [/** @type {State} */ (never ? 'unsupported' : 'ready'), never]
    return { action, id, state, reason, ...(action === 'contacts_search' && state === 'ready' && { picker: true }) }
  })
}

/**
 * The same as the phone declares it, in hello and, when the settings or what was
 * probed have changed, in a frame `capabilities`.
 * @param {Platform} platform @param {Settings} settings @param {Probed} probed
 * @param {(key: string) => string} say the reason's sentence, in English: an agent reads it
 * @returns {Capability[]}
 */
export function declare(platform, settings, probed, say) {
  /** @type {Map<string, Capability>} */
  const said = new Map() // two tools may go by one capability
  for (const { id, state, reason, picker } of able(platform, settings, probed)) said.set(id, { id, state, ...(reason && { reason: say(reason) }), ...(picker && { picker }) })
  return [...said.values()]
}
