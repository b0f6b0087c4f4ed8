// A paired phone at work: the hub that ties its parts together, each a few lines
// here and a file of its own.
//
//   what the gateway sends      #frame, #welcomed      gateway.js (link), host.js (calls)
//   what can be done here       host.plan, redeclare   uris.js, capabilities.js, probe.js
//   how it is launched          host.launch            launch.js
//   what the page does itself   host.ready             device/device.js, a file for each tool
//   what needs no card          host.stands            standing.js
//   cards                       deck                   deck.js, card.js
//   what is known now           state                  state.js
//   pages and their paths       router                 router.js, pages/*.js (one line in PAGES)
//   what the person does there  acts.js
//   what moves with time        #tick, a view's ticks
//   network, screen, install    run: listeners, all ended by one signal; network.js
//   being woken                 push, #bring: worker.js (sw.js), push.js
//   another version             #reload: reload.js

import * as api from './api.js'
import { Deck } from './deck.js'
import { deposits } from './deposit.js'
import { Link } from './gateway.js'
import { Host } from './host.js'
import { fade, readRoute, row, rows, write, writeRoute } from './journal.js'
import { readHead, writeHead } from './keys.js'
import { beacon, failedLaunch, launch, mayLaunchAtOnce, sight, watchSight } from './launch.js'
import { watchNetwork } from './network.js'
import { elsewherePage, revokedPage, versionPage, wrongGatewayPage } from './pages/state.js'
import { Router } from './router.js'
import { readSettings } from './settings.js'
import { makeState } from './state.js'
import { english, localeInUse, t } from './text.js'
import { decode64, parse, parsePublic, sign, WireError } from './wire.js'
import { dismiss, fetchFiles, hearWorker } from './worker.js'

/**
 * @typedef {import('./keys.js').Identity} Identity
 * @typedef {import('./uris.js').Platform} Platform
 * @typedef {import('./settings.js').Settings} Settings
 * @typedef {{
 *   shell: HTMLElement, page: HTMLElement, bar: HTMLElement, sheet: HTMLElement,
 *   platform: Platform, identity: Identity,
 * }} Parts shell: page and bar, what a card lies over
 */

/** How long a browser may take to say what it has: it is asked for what it knows, not the person. */
const PROBE_MS = 1_000

export class Phone {
  /** @type {import('./reload.js').Reload | undefined} */ #reload
  #warm = false
  /** Records whose ack is waited for. @type {Map<string, (kept: boolean) => void>} */ #kept = new Map()
  /** Whether the person was shown that nod was set back. */ #told = false
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #wake
  /** @type {typeof import('./push.js') | undefined} */ #waking
  /** The person's phones by id. @type {Map<string, { name: string, key: string }>} */ #phones = new Map()
  /** Here before anything is taken up. @type {typeof import('./work.js')} */ #work = /** @type {any} */ (null)
  /** The last one that was started here. @type {import('./uris.js').Route | null} */ #route = null

  /** @param {Parts} parts */
  static async make(parts) {
    return new Phone(parts, await parsePublic(decode64(parts.identity.gatewayKey)), await readSettings())
  }

  /** @param {Parts} parts @param {CryptoKey} gateway @param {Settings} settings */
  constructor(parts, gateway, settings) {
    this.parts = parts
    this.gateway = gateway
    const { identity, platform, page, bar, shell, sheet } = parts
    const me = identity.phone
    const signAs = (/** @type {string} */ kind, /** @type {unknown} */ body) => sign(identity.keys.privateKey, kind, body)
    this.state = makeState(settings, () => this.router.changed())
    this.router = new Router(this, page, bar)
    const deposit = deposits((method, path, body) => this.ask(method, path, body))
    this.host = new Host({
      me, gateway, sign: signAs, journal: { rows, row, write },
      send: (frame) => void this.link.send(frame), epoch: () => this.link.epoch,
      recheck: (offer) => this.#work.recheck(offer), plan: (action, fields) => this.#plan(action, fields),
      stands: (offer, record) => this.#work.stands(offer, record, this.#capabilities()), kind: (offer) => this.#work.kind(offer),
      launch: (plan, made) => launch(plan, made, platform.os), active: () => mayLaunchAtOnce(platform.os), beacon, say: english,
      sight: () => sight(), beckon: async (offer) => (await import('./device/notify.js')).beckon(offer),
      ready: async (plan, about) => (await import('./device/device.js')).ready(plan, { ...about, platform, left: () => this.host.all({ type: 'left' }) }),
      deposit, called: deposit.called, routed: (route) => this.#routed(route),
      now: () => ({ mono: performance.now(), wall: Date.now() }), wake: (at) => this.#wakeAt(at),
      changed: (entry) => this.#changed(entry), dropped: (why) => this.#dropped(why),
    })
    /** @type {Link} */
    this.link = new Link({
      url: `${location.origin.replace(/^http/, 'ws')}/link`, me, gatewayKey: identity.gatewayKey, gateway, sign: signAs,
      hello: () => ({ zone: platform.zone, locale: localeInUse(), capabilities: this.#capabilities() }),
      heads: { read: readHead, write: writeHead },
      visible: () => document.visibilityState === 'visible', offline: () => !navigator.onLine, now: () => performance.now(), wall: Date.now,
      changed: () => this.#linkChanged(), welcomed: (welcome) => this.#welcomed(welcome), frame: (frame) => this.#frame(frame),
    })
    this.deck = new Deck({
      sheet, page: shell, host: this.host, zone: platform.zone, phoneName: (id) => this.phoneName(id), title: () => this.router.title(), card: () => new this.#work.NodCard(),
      online: () => this.link.state === 'open', release: () => import('./torch.js').then((m) => m.off()), pauseAll: () => this.try(async () => (await import('./acts.js')).pause(this)), folded: () => this.#folded(),
      shown: (call) => void dismiss(call).catch(() => {}),
    })
  }

  /** Works until another window takes the link. @param {Promise<void>} stolen */
  async run(stolen) {
    const over = new AbortController()
    const { signal } = over
    watchNetwork(this.link, signal)
    hearWorker({ open: (path) => this.#bring(path), subscription: () => this.push() }, signal)
    addEventListener('beforeinstallprompt', (e) => {
      e.preventDefault()
      this.state.set({ install: e })
    }, { signal })
    addEventListener('appinstalled', () => this.state.set({ install: null }), { signal })
    document.addEventListener('visibilitychange', () => this.#visible(), { signal })
    watchSight((sign) => this.host.all(sign), signal)
    const tick = setInterval(() => this.#tick(), 1_000)
    if (location.pathname.startsWith('/card/')) {
      this.#bring(location.pathname)
      history.replaceState(null, '', '/')
    }
    this.#route = (await readRoute()) ?? null
    await this.#restore(signal)
    await fade(await rows(), Date.now()).catch((e) => this.#dropped(e))
    await this.#probe(signal)
    this.link.start()
    await stolen
    over.abort()
    clearInterval(tick)
    clearTimeout(this.#wake)
    this.host.stop()
    this.deck.stop()
    this.link.stop()
  }

  /** What a phone of this person is called. @param {string} id */
  phoneName(id) {
    const { identity } = this.parts
    return id === identity.phone ? identity.name : this.#phones.get(id)?.name ?? t('phone.another')
  }

  /** The key that a phone of this person signs with. @param {string} id */
  phoneKey(id) {
    const { identity } = this.parts
    return id === identity.phone ? identity.publicKey : this.#phones.get(id)?.key
  }

  /** What this phone asks the gateway. @param {string} method @param {string} path @param {unknown} [body] @param {AbortSignal} [signal] */
  ask(method, path, body, signal) {
    return api.call(method, path, { bearer: this.link.bearer, body, signal })
  }

  /** Does something, and says so where it did not work. @param {() => Promise<unknown>} work */
  async try(work) {
    try {
      this.state.set({ problem: null })
      await work()
    } catch (e) {
      this.#failed(e)
    }
    await this.refresh()
  }

  /** @param {unknown} e */
  #failed(e) {
    this.state.set({ problem: t('home.failed', { reason: e instanceof Error ? e.message : String(e) }) })
  }

  /** Asks again what Home shows. */
  async refresh() {
    if (this.link.state !== 'open') return this.router.paint()
    try {
      const home = await api.home(this.link.bearer)
      this.state.set({ home, paused: home.paused })
    } catch {
      this.router.paint() // the link says whether there is a connection; the page keeps what it had
    }
  }

  /** The state that takes the whole page, where the link is in one. @returns {import('./router.js').Nodes | null} */
  whole() {
    switch (this.link.state) {
      case 'revoked':
        return revokedPage(() => this.#pairAgain())
      case 'wrong_gateway':
        return wrongGatewayPage(location.host, () => this.#pairAgain())
      case 'version':
        return versionPage()
      case 'replaced':
        return elsewherePage(() => this.link.start())
    }
    return this.link.state === 'open' ? null : this.state.get().moved?.() ?? null
  }

  /** The settings, or what was probed, are others now, and with them what can be done here. @param {Partial<import('./state.js').Known>} change */
  redeclare(change) {
    this.state.set(change)
    if (this.link.state === 'open') this.link.send({ kind: 'capabilities', capabilities: this.#capabilities() })
  }

  /** What the browser says of the device is known before the link opens, and told whenever it changes. @param {AbortSignal} signal */
  async #probe(signal) {
    const look = () => this.#work.probe(navigator, () => signal.aborted || look()).then((probed) => this.redeclare({ probed }))
    await Promise.race([look(), new Promise((resolve) => setTimeout(resolve, PROBE_MS))])
  }

  /** @param {string} action @param {Record<string, any>} fields */
  #plan(action, fields) {
    const { settings, probed } = this.state.get()
    return this.#work.plan(action, fields, this.parts.platform, settings, this.#route, Date.now(), probed)
  }

  #capabilities() {
    const { settings, probed } = this.state.get()
    return this.#work.declare(this.parts.platform, settings, probed, english)
  }

  /** Removes this phone, at the gateway and here, and says what was done. */
  async unpair() {
    try {
      await (await import('./unpair.js')).unpair(this)
    } catch (e) {
      this.#failed(e)
    }
  }

  /** Forgets the pairing that is over, and begins anew. */
  async #pairAgain() {
    await import('./unpair.js').then(({ eraseAll }) => eraseAll()).catch(() => {}) // what stays is written over
    location.replace('/pair')
  }

  // The link

  /** @param {import('./gateway.js').Welcome} welcome */
  #welcomed(welcome) {
    for (const { body } of welcome.phones) {
      const record = /** @type {any} */ (parse(body))
      this.#phones.set(record.phone, record)
    }
    if (!this.deck.expect(welcome.open)) this.state.set({ said: t('home.card_over') })
    this.host.connected(welcome.open)
    this.state.set({ paused: welcome.paused ?? false })
    this.refresh()
    this.push()
    this.#lookForPhones()
    if (!this.#warm) this.router.warm()
    this.#warm = true
  }

  #lookForPhones() {
    return import('./acts.js').then((acts) => acts.lookForPhones(this)).catch(() => {})
  }

  /** @param {{ kind: string, [key: string]: any }} frame */
  #frame(frame) {
    switch (frame.kind) {
      case 'reload':
        return this.#otherVersion()
      case 'records':
        return frame.reason === 'pairing' ? this.#lookForPhones() : this.refresh()
      case 'ack':
        if (frame.of === 'records') this.#kept.get(frame.call)?.(!frame.reason)
        if (frame.of !== 'decision') this.refresh() // Home shows how it ended
    }
    this.host.take(frame)
  }

  #linkChanged() {
    this.deck?.refresh()
    if (this.link?.state === 'version') this.#otherVersion()
    if (this.link?.state === 'waiting') import('./moved.js').then(({ look }) => look(this)).catch(() => {})
    if (this.link?.state === 'revoked') import('./push.js').then(({ forgetPush }) => forgetPush()).catch(() => {}) // nobody may wake it any more
    if (this.link?.state !== 'set_back') this.#told = false
    else if (!this.#told) {
      this.#told = true
      if (location.pathname !== '/resume') this.router.go('/resume')
    }
    this.router.changed()
  }

  /** Whether nod says in time that it has a record of this phone's. @param {string} id @param {number} ms @returns {Promise<boolean>} */
  hears(id, ms) {
    return new Promise((/** @type {(kept: boolean) => void} */ resolve) => {
      this.#kept.set(id, resolve)
      setTimeout(resolve, ms, false)
    }).finally(() => this.#kept.delete(id))
  }

  #visible() {
    const visible = document.visibilityState === 'visible'
    this.link.send({ kind: 'presence', epoch: this.link.epoch, visible })
    if (!visible) return
    this.link.poke()
    this.refresh()
    this.push()
  }

  /** @param {unknown} why */
  #dropped(why) {
    console.warn('nod:', why)
    const full = why instanceof DOMException && why.name === 'QuotaExceededError'
    const forged = why instanceof WireError || why instanceof TypeError
    this.state.set({ problem: full ? t('state.full') : forged ? t('state.forged') : t('home.failed', { reason: String(why) }) })
  }

  /** A notification, or an address, leads here. @param {string} path */
  #bring(path) {
    const call = /^\/card\/([^/]+)$/.exec(path)?.[1]
    if (!call) return void this.router.go(path)
    if (this.link.state !== 'open' || this.host.entries.has(call)) this.deck.want(call)
    else this.state.set({ said: t('home.card_over') })
  }

  /** How this phone can be woken, told to the gateway and kept in the state. @param {boolean} [turnOn] the person's tap says so */
  async push(turnOn = false) {
    if (this.link.state !== 'open' && !turnOn) return
    try {
      this.#waking ??= await import('./push.js')
      if (turnOn) this.state.set({ problem: null })
      this.state.set({ push: await (turnOn ? this.#waking.turnOn(this) : this.#waking.readPush(this)) })
    } catch (e) {
      if (turnOn) this.#failed(e) // else the next connection asks again
    }
  }

  /** The gateway serves another version of this app: it is loaded when nothing hangs on this page. */
  async #otherVersion() {
    const { reload } = await import('./reload.js')
    this.#reload ??= reload(this, fetchFiles)
    this.#reload.want()
  }

  /** @param {import('./host.js').Entry} entry */
  #changed({ state }) {
    if (state.ending) dismiss(state.call).catch(() => {}) // one that came late, too
    this.deck.refresh()
    this.#reload?.settle()
  }

  /** Takes up what is owed, and first of all what the address says of a launch that failed. @param {AbortSignal} signal */
  async #restore(signal) {
    const token = failedLaunch(location.pathname)
    if (token !== null) history.replaceState(null, '', '/')
    await this.router.start(signal)
    this.#work = await import('./work.js')
    const failed = await this.host.restore(token)
    if (failed) this.deck.open(failed)
    else if (token !== null) this.state.set({ said: t('home.no_launch') })
  }

  /** @param {import('./uris.js').Route} route */
  #routed(route) {
    this.#route = route
    writeRoute(route).catch((e) => this.#dropped(e))
  }

  #folded() {
    this.#reload?.settle()
    this.router.focus()
    this.refresh()
  }

  // Time

  /** @param {number} at (mono) */
  #wakeAt(at) {
    clearTimeout(this.#wake)
    this.#wake = setTimeout(() => this.host.all({ type: 'tick' }), Math.max(0, at - performance.now()) + 1)
  }

  #tick() {
    this.link.check()
    this.router.tick()
  }
}
