// What this browser can do here and now, each with the reason where it cannot:
// an agent hears the reason at once instead of asking in vain.

import { ACTIONS } from './contract.js'
import { cannot } from './uris.js'

/** @typedef {import('./uris.js').Platform} Platform */
/** @typedef {import('./settings.js').Settings} Settings */
/** @typedef {import('./probe.js').Probed} Probed */
/** @typedef {'ready' | 'needs_permission' | 'unsupported'} State */
/** @typedef {{ action: string, id: string, state: State, reason: string | null }} Able reason: a key of texts, null when ready */
/** @typedef {{ id: string, state: State, reason?: string }} Capability */

const TORCH = /** @type {Record<Probed['torch'], [State, string | null]>} */ ({
  ready: ['ready', null],
  needs_permission: ['needs_permission', 'cannot.torch_permission'],
  blocked: ['unsupported', 'cannot.torch_blocked'],
  unsupported: ['unsupported', 'cannot.torch'],
})

/**
 * @param {Platform} platform @param {Settings} settings @param {Probed} probed
 * @returns {Able[]} one for each action
 */
export function able(platform, settings, probed) {
  return ACTIONS.map(({ name: action, capability: id }) => {
    const never = cannot(action, platform, settings)
    const [state, reason] = action === 'torch' && platform.os !== 'ios' ? TORCH[probed.torch] : [never ? 'unsupported' : 'ready', never]
    return { action, id, state: /** @type {State} */ (state), reason }
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
  return able(platform, settings, probed).map(({ id, state, reason }) => ({ id, state, ...(reason && { reason: say(reason) }) }))
}
