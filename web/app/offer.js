// Whether an offer may be drawn: signed by the gateway this phone was paired
// with, written canonically, meant for this screen, and an action that the
// contract knows, word for word. What fails here is never drawn.

import { digest, encode64, open } from './wire.js'

/**
 * @typedef {{
 *   call: string, agent: string, agent_name: string, phone: string, screens: string[], tool: string, action: string,
 *   fields: Record<string, any>, summary: string, verdict: string, rule: string, risk: string, badges: string[],
 *   ttl_seconds: number, nonce: string, repeat?: { seconds_ago: number, outcome: string }, taint?: string[],
 * }} Offer
 * @typedef {{ offer: Offer, body: string, digest: string, refused: string | null }} Read
 *   refused: why this phone will not draw it, for the agent; null when it may be drawn
 */

/**
 * Reads an offer frame. Rejects when it is not the gateway's, or not for this phone.
 * @param {import('./wire.js').Signed} signed
 * @param {{ gateway: CryptoKey, me: string, recheck: (offer: Offer) => string | null }} phone recheck: the one of check.js
 * @returns {Promise<Read>}
 */
export async function readOffer(signed, { gateway, me, recheck }) {
  const offer = /** @type {Offer} */ (/** @type {unknown} */ (await open(gateway, 'offer', signed)))
  if (!shaped(offer)) throw new TypeError('the offer has not the shape of one')
  if (!offer.screens.includes(me)) throw new TypeError('the offer is for another screen')
  return { offer, body: signed.body, digest: encode64(await digest(signed.body)), refused: recheck(offer) }
}

/** @param {Offer} o */
function shaped(o) {
  const texts = [o.call, o.agent, o.agent_name, o.phone, o.tool, o.action, o.summary, o.verdict, o.rule, o.risk, o.nonce]
  return texts.every((x) => typeof x === 'string') && Array.isArray(o.screens) && Array.isArray(o.badges) &&
    Number.isInteger(o.ttl_seconds) && o.ttl_seconds > 0 && typeof o.fields === 'object' && o.fields !== null && !Array.isArray(o.fields)
}
