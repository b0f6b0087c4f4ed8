// From a pairing link to a phone that counts. What comes after, the home screen
// and notifications, is pages/setup.js: by then the phone is at work already.

import { ApiError } from './api.js'
import { erase } from './db.js'
import { insideAnApp } from './install.js'
import { makeKeys, writeIdentity } from './keys.js'
import { forgetPaired } from './memory.js'
import { dropCode, takeCode } from './paircode.js'
import { ask, NoProof, pairId, readSecret, vouch, wait } from './pairing.js'
import * as pages from './pages/pair.js'
import { dropPending, writePending, writeSetup } from './setup.js'
import { t } from './text.js'

/** @typedef {import('./keys.js').Identity} Identity */
/** @typedef {import('./setup.js').Pending} Pending */
/** @typedef {import('./pages/pair.js').Problem} Problem */

const RETRY_MS = 2_000
/** nod answers at once, unless a phone that took the link still waits. */
const USED_MS = 3_000
/** A clock that is further off than this is told. */
const CLOCK_MS = 90_000

export class PairFlow {
  /** @type {string | null} */ #code = null
  /** @type {string | null} */ #name = null

  /**
   * @param {{
   *   page: HTMLElement, draw: (nodes: import('./router.js').Nodes) => void, platform: import('./platform.js').Platform,
   *   identity: Identity | undefined, pending: Pending | undefined, done: () => void, keep: () => void,
   * }} parts identity: who this phone is already; pending: a pairing that waits for another phone's yes; keep: leave all as it is
   */
  constructor(parts) {
    this.parts = parts
  }

  start() {
    const { pending } = this.parts
    this.#code = takeCode()
    if (pending && !this.#code) return this.#wait(pending)
    if (this.parts.identity && !this.#code) return this.parts.keep()
    this.#first()
  }

  /** The page that comes first here. @param {boolean} [moved] @returns {void} */
  #first(moved = false) {
    const { os, standalone } = this.parts.platform
    const code = this.#code
    if (insideAnApp(navigator.userAgent)) return this.#show(pages.insidePage(code), moved)
    if (os === 'ios' && !standalone) return this.#show(pages.homeScreenPage(code), moved)
    if (code) return this.#show(this.#namePage(null), moved)
    this.#show(pages.codePage(os, (pasted) => {
      this.#code = pasted
      this.#show(this.#namePage(null))
    }), moved)
  }

  /** @param {string | null} notice @returns {import('./router.js').Nodes} */
  #namePage(notice) {
    const { platform: { os, model }, identity, keep } = this.parts
    return pages.namePage({
      os, name: this.#name ?? (model || t(`pair.name_${os}`)), notice, paired: identity?.name ?? null,
      pair: (name) => this.#pair(name), keep: () => { dropCode(); keep() },
    })
  }

  /** @param {string} name @returns {Promise<void>} */
  async #pair(name) {
    this.#name = name
    const secret = readSecret(this.#code ?? '')
    if (!secret) return this.#first(true)
    try {
      const { keys, publicKey } = await makeKeys()
      const { said, reply, digits, clock } = await ask(secret, publicKey, name)
      const off = clock === null ? 0 : Date.now() - clock
      dropCode()
      this.#code = null
      const pending = { id: said.id, name, digits, reply, publicKey, keys, off: Math.abs(off) > CLOCK_MS ? off : 0 }
      if (!reply.first) {
        // A phone that is put away while it waits finds its place again.
        await writePending(pending)
        return this.#wait(pending)
      }
      await vouch(keys, said, reply)
      await this.#count(pending)
    } catch (e) {
      await this.#failed(e, name)
    }
  }

  /** Waits for another phone's yes. @param {Pending} pending */
  async #wait(pending) {
    const { platform: { os }, identity, keep } = this.parts
    const left = new AbortController()
    const leave = async () => {
      left.abort()
      await dropPending()
      if (identity) return keep()
      this.#first(true)
    }
    this.#show(pages.waitingPage({ digits: pending.digits, name: pending.name, os, paired: identity !== undefined, leave }))
    try {
      const how = await this.#answered(pending.id, left.signal)
      if (how === null) return
      if (how === 'approved') return await this.#count(pending)
      await dropPending()
      this.#end({ how })
    } catch (e) {
      await this.#failed(e, pending.name)
    }
  }

  /** From here on this is the person's phone. @param {Pending} pending */
  async #count({ reply, name, publicKey, keys, off }) {
    // A new key knows nothing of what the old one did.
    await erase()
    forgetPaired()
    await writeIdentity({
      phone: reply.phone, name, person: reply.person, personName: reply.person_name, gatewayKey: reply.gateway_key, publicKey, keys,
    })
    await writeSetup({ step: 'install', off })
    await navigator.storage?.persist?.()
    this.parts.done()
  }

  /** @param {unknown} e @param {string} name */
  async #failed(e, name) {
    if (e instanceof ApiError && e.code === 'conflict') {
      this.#name = next(name)
      return this.#show(this.#namePage(t('pair.name_taken', { name })))
    }
    this.#end(await problemOf(e, this.#code))
  }

  /** @param {Problem} problem */
  #end(problem) {
    const again = problem.how === 'offline' || problem.how === 'busy'
    if (!again) {
      dropCode()
      this.#code = null
    }
    this.#show(pages.endPage(problem, this.parts.platform.os, again, () => this.#first(true)))
  }

  /** @param {import('./router.js').Nodes} nodes @param {boolean} [moved] whether the person came from another page of this flow */
  #show(nodes, moved = true) {
    const { draw, page } = this.parts
    draw(nodes)
    const heading = page.querySelector('h1')
    document.title = t('title.page', { name: heading?.textContent ?? '' })
    scrollTo(0, 0)
    if (moved) heading?.focus({ preventScroll: true })
  }

  /** Asks for another phone's answer, through a network that comes and goes. @param {string} id @param {AbortSignal} left @returns {Promise<'approved' | 'rejected' | 'expired' | null>} null: nobody wants it any more */
  async #answered(id, left) {
    for (;;) {
      try {
        const { state } = await wait(id, AbortSignal.timeout(60_000))
        if (left.aborted) return null
        if (state !== 'waiting') return state
      } catch (e) {
        if (left.aborted) return null
        if (e instanceof ApiError && e.code !== 'too_many') throw e
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
  }
}

/** Another name that is like this one: "Pixel 2", then "Pixel 3". @param {string} name */
export function next(name) {
  const [, stem, n] = /^(.*?)(?: (\d{1,3}))?$/u.exec(name) ?? []
  const tail = ` ${Number(n ?? 1) + 1}`
  return [...stem].slice(0, 60 - tail.length).join('').trimEnd() + tail
}

/** @param {unknown} e @param {string | null} code @returns {Promise<Problem>} */
async function problemOf(e, code) {
  if (e instanceof NoProof) return { how: 'no_proof' }
  if (e instanceof TypeError) return { how: 'offline', server: location.host }
  if (!(e instanceof ApiError)) return { how: 'failed', reason: e instanceof Error ? e.message : String(e) }
  if (e.code === 'too_many') return { how: 'busy' }
  if (e.code !== 'forbidden' && e.code !== 'not_found') return { how: 'failed', reason: e.message }
  return { how: (await isUsed(code)) ? 'used' : 'expired' }
}

/** nod refuses every bad link with one sentence; whether a phone took this one, it says to who has the link. @param {string | null} code */
async function isUsed(code) {
  const secret = readSecret(code ?? '')
  if (!secret) return false
  try {
    return (await wait(await pairId(secret), AbortSignal.timeout(USED_MS))).state !== 'expired'
  } catch (e) {
    return e instanceof DOMException && e.name === 'TimeoutError'
  }
}
