// Whether this phone itself finds that a call needs no card. What it cannot
// check it does not do. Pure.

import { spec } from './spec.js'

/** @typedef {import('./offer.js').Offer} Offer */
/** @typedef {import('./capabilities.js').Capability} Capability */
/** @typedef {{ kind: string, confirm: string, private: boolean, capability: string, waits: number }} Tool */

const TOOLS = /** @type {Record<string, Tool>} */ (spec.tools)

/**
 * For the basis `spec`: the tool is never asked for, or a read that is not
 * private, or the system's own picker is where the person says yes.
 * @param {Offer} offer @param {unknown} record a grant or a mode that it rests on @param {Capability[]} own what this phone declares
 */
export function stands({ tool, verdict }, record, own) {
  if (verdict !== 'allow' || record || !Object.hasOwn(TOOLS, tool)) return false
  const { kind, confirm, private: secret, capability } = TOOLS[tool]
  if (confirm === 'never' || (kind === 'read' && !secret)) return true
  return own.some(({ id, state, picker }) => id === capability && picker === true && state === 'ready')
}

/** What the contract says of an offer's tool; waits: seconds that the person has once it was decided. @param {{ tool: string }} offer */
export function kind({ tool }) {
  const known = Object.hasOwn(TOOLS, tool) ? TOOLS[tool] : null
  return { read: known?.kind === 'read', waits: known?.waits ?? 0 }
}
