// The steps of pairing, from a link to a phone that counts.

import { ApiError } from './api.js'
import { erase } from './db.js'
import { makeKeys, writeIdentity } from './keys.js'
import { ask, NoProof, vouch, wait } from './pairing.js'
import { pairEndPage, pairPage, waitingPage } from './pages/pair.js'
import { t } from './text.js'

/** @typedef {Uint8Array<ArrayBuffer>} Secret */
/** @typedef {import('./dom.js').Child} Child */

const RETRY_MS = 2_000

export class PairFlow {
  /** @type {string | null} */ #problem = null

  /**
   * @param {{ draw: (nodes: (Child | Child[])[]) => void, os: string, secret: Secret | null, paired: boolean, done: () => void }} parts
   *   secret: from the link this page was opened by
   */
  constructor(parts) {
    this.parts = parts
  }

  start() {
    const { draw, os, secret, paired } = this.parts
    // The secret is in the address only until it was read.
    if (secret) history.replaceState(null, '', '/pair')
    draw(pairPage({ os, secret, paired, problem: this.#problem, pair: (s, name) => this.#pair(s, name) }))
  }

  /** @param {Secret} secret @param {string} name */
  async #pair(secret, name) {
    try {
      const { keys, publicKey } = await makeKeys()
      const { said, reply, digits } = await ask(secret, publicKey, name)
      if (reply.first) await vouch(keys, said, reply)
      else {
        this.parts.draw(waitingPage(digits, name))
        const how = await this.#approved(said.id)
        if (how !== 'approved') return this.parts.draw(pairEndPage(how, () => this.#again(null)))
      }
      // A new key knows nothing of what the old one did.
      await erase()
      await writeIdentity({
        phone: reply.phone, name, person: reply.person, personName: reply.person_name, gatewayKey: reply.gateway_key, publicKey, keys,
      })
      await navigator.storage?.persist?.()
      this.parts.done()
    } catch (e) {
      this.#again(problemOf(e))
    }
  }

  /** @param {string | null} problem */
  #again(problem) {
    this.#problem = problem
    // A link is good once: what it was used for is over.
    this.parts = { ...this.parts, secret: null }
    this.start()
  }

  /** Waits for another phone's yes, through a network that comes and goes. @param {string} id @returns {Promise<'approved' | 'rejected' | 'expired'>} */
  async #approved(id) {
    for (;;) {
      try {
        const { state } = await wait(id, AbortSignal.timeout(60_000))
        if (state !== 'waiting') return state
      } catch (e) {
        if (e instanceof ApiError) throw e
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
  }
}

/** @param {unknown} e */
function problemOf(e) {
  if (e instanceof NoProof) return t('pair.no_proof')
  if (e instanceof ApiError && (e.code === 'forbidden' || e.code === 'not_found')) return `${t('pair.expired')}. ${t('pair.expired_why')}`
  if (e instanceof TypeError) return t('pair.offline', { server: location.host })
  return t('home.failed', { reason: e instanceof Error ? e.message : String(e) })
}
