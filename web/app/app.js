// A paired phone at work: the link, the host of calls, the cards and the pages,
// tied together. What each does is in its own file.

import * as api from './api.js'
import { able, declare } from './capabilities.js'
import { Deck } from './deck.js'
import { Link } from './gateway.js'
import { Host } from './host.js'
import { fade, row, rows, write } from './journal.js'
import { readHead, writeHead } from './keys.js'
import { beacon, launch, mayLaunchAtOnce, watchHidden } from './launch.js'
import { homePage, retry, seen } from './pages/home.js'
import { phonesPage } from './pages/phones.js'
import { resumePage } from './pages/resume.js'
import { elsewherePage, revokedPage, versionPage, wrongGatewayPage } from './pages/state.js'
import { english, localeInUse, t } from './text.js'
import { plan } from './uris.js'
import { decode64, parse, parsePublic, sign, WireError } from './wire.js'

/**
 * @typedef {import('./keys.js').Identity} Identity
 * @typedef {import('./uris.js').Platform} Platform
 * @typedef {import('./dom.js').Child} Child
 * @typedef {{
 *   draw: (nodes: (Child | Child[])[]) => void, page: HTMLElement, sheet: HTMLElement,
 *   platform: Platform, identity: Identity, unpair: () => void,
 * }} Parts
 */

const PAIRING_EVERY_MS = 10_000

export class Phone {
  /** @type {api.Home | null} */ #home = null
  /** @type {api.Waiting[] | null} */ #waiting = null
  #paused = false
  /** @type {string | null} */ #problem = null
  /** @type {string | null} */ #said = null
  #showCannot = false
  #accepting = false
  #left = false
  #reload = false
  /** @type {any} */ #install = null
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #wake
  /** @type {Map<string, string>} */ #names = new Map()
  /** @type {Link} */ #link
  /** @type {Host} */ #host
  /** @type {Deck} */ #deck

  /** @param {Parts} parts */
  static async make(parts) {
    return new Phone(parts, await parsePublic(decode64(parts.identity.gatewayKey)))
  }

  /** @param {Parts} parts @param {CryptoKey} gateway */
  constructor(parts, gateway) {
    this.parts = parts
    const { identity, platform, page, sheet } = parts
    const me = identity.phone
    const signAs = (/** @type {string} */ kind, /** @type {unknown} */ body) => sign(identity.keys.privateKey, kind, body)
    this.#host = new Host({
      me, gateway, sign: signAs, journal: { rows, row, write },
      send: (frame) => void this.#link.send(frame), epoch: () => this.#link.epoch,
      plan: (action, fields) => plan(action, fields, platform),
      launch, active: () => mayLaunchAtOnce(platform.os), beacon, say: english,
      now: () => ({ mono: performance.now(), wall: Date.now() }), wake: (at) => this.#wakeAt(at),
      changed: () => this.#deck.refresh(), dropped: (why) => this.#dropped(why),
    })
    this.#link = new Link({
      url: `${location.origin.replace(/^http/, 'ws')}/link`, me, gatewayKey: identity.gatewayKey, gateway, sign: signAs,
      hello: () => ({ zone: platform.zone, locale: localeInUse(), capabilities: declare(platform, english) }),
      heads: { read: readHead, write: writeHead },
      visible: () => document.visibilityState === 'visible', now: () => performance.now(),
      changed: () => this.#linkChanged(), welcomed: (welcome) => this.#welcomed(welcome), frame: (frame) => this.#frame(frame),
    })
    this.#deck = new Deck({
      sheet, page, host: this.#host, zone: platform.zone, phoneName: (id) => (id === me ? identity.name : this.#names.get(id) ?? t('phone.another')),
      online: () => this.#link.state === 'open', pauseAll: () => this.#pauseAll(), folded: () => this.#folded(),
    })
  }

  /** Works until another window takes the link. @param {Promise<void>} stolen */
  async run(stolen) {
    const over = new AbortController()
    const { signal } = over
    addEventListener('online', () => this.#link.poke(), { signal })
    addEventListener('popstate', () => this.#paint(), { signal })
    addEventListener('beforeinstallprompt', (e) => {
      e.preventDefault()
      this.#install = e
      this.#paint()
    }, { signal })
    document.addEventListener('visibilitychange', () => this.#visible(), { signal })
    watchHidden(() => this.#host.all({ type: 'hidden' }), signal)
    const tick = setInterval(() => this.#tick(), 1_000)
    const look = setInterval(() => this.#lookForPhones(), PAIRING_EVERY_MS)
    this.#paint()
    await this.#host.restore()
    await fade(await rows(), Date.now())
    this.#link.start()
    await stolen
    over.abort()
    clearInterval(tick)
    clearInterval(look)
    clearTimeout(this.#wake)
    this.#deck.stop()
    this.#link.stop()
  }

  // The link

  /** @param {import('./gateway.js').Welcome} welcome */
  #welcomed(welcome) {
    this.#paused = welcome.paused ?? false
    for (const { body } of welcome.phones) {
      const record = /** @type {any} */ (parse(body))
      this.#names.set(record.phone, record.name)
    }
    this.#host.connected(welcome.open)
    this.#refresh()
  }

  /** @param {{ kind: string, [key: string]: any }} frame */
  #frame(frame) {
    switch (frame.kind) {
      case 'reload':
        this.#reload = true
        return this.#deck.busy ? undefined : location.reload()
      case 'records':
        return this.#refresh()
      case 'ack':
        if (frame.of === 'records') return this.#refresh()
    }
    this.#host.take(frame)
  }

  #linkChanged() {
    this.#deck?.refresh()
    this.#paint()
  }

  #visible() {
    const visible = document.visibilityState === 'visible'
    this.#link.send({ kind: 'presence', epoch: this.#link.epoch, visible })
    if (!visible) return
    this.#link.poke()
    this.#refresh()
  }

  /** @param {unknown} why */
  #dropped(why) {
    console.warn('nod:', why)
    this.#problem = why instanceof WireError || why instanceof TypeError ? t('state.forged') : t('home.failed', { reason: String(why) })
    this.#paint()
  }

  // Time

  /** @param {number} at (mono) */
  #wakeAt(at) {
    clearTimeout(this.#wake)
    this.#wake = setTimeout(() => this.#host.all({ type: 'tick' }), Math.max(0, at - performance.now()) + 1)
  }

  #tick() {
    const model = this.#model()
    for (const [name, words] of /** @type {const} */ ([['seen', seen], ['retry', retry]])) {
      const node = this.parts.page.querySelector(`[data-tick=${name}]`)
      if (node) node.textContent = words(model)
    }
  }

  // What the person does

  async #pauseAll() {
    await this.#try(async () => {
      await api.pause(this.#link.bearer)
      this.#paused = true
    })
  }

  /** @param {string} agent */
  #pause(agent) {
    return this.#try(() => api.pause(this.#link.bearer, agent))
  }

  /** Only a phone lets agents ask again, and signs that it does. @param {string} [agent] @param {import('./keys.js').Head} [setBack] */
  async #resume(agent, setBack) {
    await this.#try(async () => {
      await this.#record('resume', { id: `record_${crypto.randomUUID()}`, phone: this.parts.identity.phone, ...(agent && { agent }), ...(setBack && { set_back: setBack }) })
      if (!agent) this.#paused = false
    })
  }

  async #accept() {
    const back = this.#link.setBack
    if (!back) return
    this.#accepting = true
    this.#paint()
    await this.#resume(undefined, back.now)
    await this.#link.accept()
    this.#accepting = false
    this.#go('/')
  }

  /** @param {api.Waiting} w */
  async #allow(w) {
    const { identity } = this.parts
    await this.#try(async () => {
      await this.#record('phone', { phone: w.phone, person: identity.person, name: w.name, host: w.host, key: w.key, signer: identity.phone })
      this.#said = t('phones.allowed', { name: w.name })
    })
    await this.#lookForPhones()
  }

  /** @param {api.Waiting} w */
  async #reject(w) {
    await this.#try(async () => {
      await api.reject(this.#link.bearer, w.id)
      this.#said = t('phones.rejected', { name: w.name })
    })
    await this.#lookForPhones()
  }

  /** @param {string} kind @param {unknown} body */
  async #record(kind, body) {
    const record = await sign(this.parts.identity.keys.privateKey, kind, body)
    if (!this.#link.send({ kind: 'records', record })) throw new Error(t('home.disconnected'))
  }

  /** Does something, and says so where it did not work. @param {() => Promise<unknown>} work */
  async #try(work) {
    try {
      this.#problem = null
      await work()
    } catch (e) {
      this.#problem = t('home.failed', { reason: e instanceof Error ? e.message : String(e) })
    }
    await this.#refresh()
  }

  // Pages

  async #refresh() {
    if (this.#link.state === 'open') {
      try {
        this.#home = await api.home(this.#link.bearer)
        this.#paused = this.#home.paused
      } catch {
        // The link says whether there is a connection; the page keeps what it had.
      }
    }
    this.#paint()
  }

  async #lookForPhones() {
    if (this.#link.state !== 'open' || document.visibilityState !== 'visible') return
    try {
      this.#waiting = (await api.pairing(this.#link.bearer)).waiting
    } catch {
      return
    }
    this.#paint()
  }

  #folded() {
    if (this.#reload) location.reload()
    this.#refresh()
  }

  /** @param {string} path */
  #go(path) {
    if (location.pathname !== path) history.pushState(null, '', path)
    this.#said = null
    if (path === '/phones') this.#lookForPhones()
    this.#paint()
    this.parts.page.querySelector('h1')?.focus()
  }

  #paint() {
    const { draw, page } = this.parts
    const focused = document.activeElement instanceof HTMLElement && page.contains(document.activeElement) ? document.activeElement.id : ''
    draw(this.#page())
    if (focused) document.getElementById(focused)?.focus()
  }

  #page() {
    const { unpair } = this.parts
    switch (this.#link.state) {
      case 'revoked':
        return revokedPage(unpair)
      case 'wrong_gateway':
        return wrongGatewayPage(location.host, unpair)
      case 'version':
        return versionPage()
      case 'replaced':
        return elsewherePage(() => this.#link.start())
      case 'set_back':
        if (this.#link.setBack && (!this.#left || location.pathname === '/resume')) return this.#resumePage(this.#link.setBack)
    }
    if (location.pathname === '/phones') {
      return phonesPage(this.#waiting, this.#said, { allow: (w) => this.#allow(w), reject: (w) => this.#reject(w), back: () => this.#go('/') })
    }
    return homePage(this.#model(), {
      tryNow: () => this.#link.start(), pauseAll: () => this.#pauseAll(), resume: (agent) => this.#resume(agent), pause: (agent) => this.#pause(agent),
      showCannot: () => {
        this.#showCannot = !this.#showCannot
        this.#paint()
      },
      install: () => this.#installNow(), phones: () => this.#go('/phones'), setBack: () => {
        this.#left = false
        this.#go('/resume')
      },
    })
  }

  /** @param {import('./gateway.js').SetBack} back */
  #resumePage(back) {
    const leave = () => {
      this.#left = true
      this.#go('/')
    }
    return resumePage(back, Date.now(), { accept: () => this.#accept(), leave }, this.#accepting)
  }

  async #installNow() {
    await this.#install?.prompt()
    this.#install = null
    this.#paint()
  }

  /** @returns {import('./pages/home.js').Model} */
  #model() {
    const { platform } = this.parts
    const now = performance.now()
    return {
      link: this.#link.state, server: location.host, seenMs: now - this.#link.seen, retryMs: this.#link.retryAt - now,
      home: this.#home, paused: this.#paused, waiting: this.#waiting?.length ?? 0, problem: this.#problem,
      cannot: able(platform).flatMap(({ reason }) => (reason ? [t(reason)] : [])), showCannot: this.#showCannot,
      install: this.#install !== null, zone: platform.zone, now: Date.now(),
    }
  }
}
