// Checks the receipt of a call on this phone, trusting nobody's word: the head
// under the key this phone was paired with, each entry under the head, what was
// kept of it under the entry, and the answer under the key of the phone that
// gave it, over the bytes that were offered. The twin of internal/log's Receipt.Check.

import { holdsEntry } from './tree.js'
import { WireError, decode64, digest, encode64, open, parse, parseCanonical, parsePublic, utf8 } from './wire.js'

/**
 * @typedef {import('./wire.js').Signed} Signed
 * @typedef {{ seq: number, leaf: string, proof: string[], salt?: string, payload?: string }} ReceiptEntry
 * @typedef {{ entries: ReceiptEntry[], head: Signed, offer?: string, decision?: Signed | null, result?: Signed | null }} Receipt
 * @typedef {{ seq: number, at: number, kind: string, facts: Record<string, string> }} Step an entry that is proven to be in the log
 * @typedef {'head' | 'older' | 'entry' | 'payload' | 'offer' | 'decision' | 'result' | 'outcome'} Flaw
 * @typedef {{
 *   flaw: Flaw | null, steps: Step[], head: { size: number, root: string, at: number } | null,
 *   offer: any, answer: { phone: string, choice: string, basis?: string } | null, status: string | null, app: string | null,
 * }} Checked flaw: the first thing that does not hold; the rest is what does; app: what opened, as the phone calls it
 */

/**
 * @param {Receipt} receipt
 * @param {{ call: string, outcome?: string, gateway: CryptoKey, key: (phone: string) => string | undefined, seen?: { size: number, root: string } }} known
 *   outcome: how the call is said to have ended; key: a phone's public key; seen: the newest head this phone saw
 * @returns {Promise<Checked>}
 */
export async function check(receipt, { call, outcome, gateway, key, seen }) {
  /** @type {Checked} */
  const checked = { flaw: null, steps: [], head: null, offer: null, answer: null, status: null, app: null }
  /** @type {[Flaw, () => Promise<unknown>][]} */
  const work = [
    ['head', async () => { checked.head = /** @type {any} */ (await open(gateway, 'head', receipt.head)) }],
    ['older', async () => must(!seen || seen.size !== checked.head?.size || seen.root === checked.head.root)],
    ['entry', async () => { for (const e of receipt.entries) checked.steps.push(await entry(e, call, /** @type {any} */ (checked.head))) }],
    ['payload', async () => { for (const e of receipt.entries) await payload(e) }],
    ['offer', async () => { checked.offer = offerOf(receipt, call) }],
    ['decision', async () => { checked.answer = receipt.decision ? await answer('decision', receipt.decision, receipt, call, key) : null }],
    ['result', async () => {
      if (!receipt.result) return
      const said = await answer('result', receipt.result, receipt, call, key)
      must(said.phone === checked.offer.phone)
      checked.status = said.status
      checked.app = said.app ?? null
    }],
    ['outcome', async () => must(agrees(outcome, checked))],
  ]
  for (const [flaw, prove] of work) {
    try {
      await prove()
    } catch {
      return { ...checked, flaw }
    }
  }
  return checked
}

/** @param {boolean} holds */
function must(holds) {
  if (!holds) throw new WireError('value', 'does not hold')
}

/** @param {ReceiptEntry} e @param {string} call @param {{ size: number, root: string, person: string }} head @returns {Promise<Step>} */
async function entry({ seq, leaf, proof }, call, head) {
  const public_ = /** @type {any} */ (parseCanonical(leaf))
  must(public_.call === call && public_.person === head.person && public_.seq === seq)
  must(await holdsEntry(proof.map(decode64), utf8(leaf), seq, { size: head.size, root: decode64(head.root) }))
  return { seq, at: public_.at, kind: public_.kind, facts: public_.facts ?? {} }
}

/** What was kept of an entry fits the hash in it; what was erased is gone, and the hash stays. @param {ReceiptEntry} e */
async function payload({ leaf, salt = '', payload: kept = '' }) {
  const want = /** @type {any} */ (parse(leaf)).payload_hash
  if (!salt && !kept) return
  must(want !== undefined && want === encode64(await digest(Uint8Array.from([...decode64(salt), ...utf8(kept)]))))
}

/** @param {Receipt} receipt @param {string} call */
function offerOf({ offer, decision, result }, call) {
  if (!offer) {
    must(!decision && !result)
    return null
  }
  const read = /** @type {any} */ (parseCanonical(offer))
  must(read.call === call)
  return read
}

/** @param {'decision' | 'result'} kind @param {Signed} signed @param {Receipt} receipt @param {string} call @param {(phone: string) => string | undefined} key */
async function answer(kind, signed, { offer = '' }, call, key) {
  const claimed = key(/** @type {any} */ (parse(signed.body)).phone)
  must(claimed !== undefined)
  const body = /** @type {any} */ (await open(await parsePublic(decode64(String(claimed))), kind, signed))
  must(body.call === call && body.digest === encode64(await digest(offer)))
  return body
}

/** Ends of a call that nobody said yes to. */
const UNANSWERED = ['expired', 'unseen', 'unavailable', 'refused']

/**
 * Whether what the log says of the end can follow from what was signed: nothing
 * is carried out without a yes, a no is a no, and the end is the one that the
 * phone told, unless it was unknown by then.
 * @param {string | undefined} outcome @param {Pick<Checked, 'steps' | 'answer' | 'status'>} checked
 */
export function agrees(outcome, { steps, answer: given, status }) {
  const { outcome: ended, why } = steps.findLast((s) => s.facts.outcome !== undefined)?.facts ?? {}
  if (ended !== undefined && outcome && ended !== outcome) return false
  const dropped = outcome === 'failed' && why === 'nothing_read'
  if (status && outcome && outcome !== 'unknown' && status !== outcome && !dropped) return false
  const yes = given?.choice === 'confirm' || given?.choice === 'standing'
  if (outcome === 'done' || outcome === 'opened') return yes && status === outcome
  if (outcome === 'declined' || given?.choice === 'decline') return outcome === 'declined' && given?.choice === 'decline'
  return !yes || !UNANSWERED.includes(String(outcome))
}
