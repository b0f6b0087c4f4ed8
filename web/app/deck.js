// Which card is on the screen. The oldest that waits comes first; a card under
// a thumb is never replaced; one that is over makes room for one that waits.

import { fill } from './dom.js'
import { can } from './host.js'
import { t } from './text.js'

/** @typedef {import('./host.js').Entry} Entry */
/**
 * @typedef {{
 *   sheet: HTMLElement, page: HTMLElement, host: import('./host.js').Host, zone: string, phoneName: (id: string) => string, card: () => import('./card.js').NodCard,
 *   online: () => boolean, pauseAll: () => void, release: () => void, folded: () => void, shown: (call: string) => void, title: () => string,
 * }} Parts page: what a card lies over; card: makes the one that is drawn in, whose code comes before the first offer; release: lets go of the torch; folded: the last card left the screen; shown: a card is before somebody's eyes; title: the window's, while no card waits
 */

/** How long an ending stays before a card that waits may take its place. */
const READ_MS = 4_000
/** How long the first card waits for the offers that the welcome promised. */
const OFFERS_MS = 1_000

export class Deck {
  /** @type {string | null} */ #current = null
  /** @type {import('./card.js').NodCard | null} */ #card = null
  /** Calls whose card was drawn, and when they ended (mono). @type {Map<string, number | null>} */ #drawn = new Map()
  /** @type {Set<string>} */ #shown = new Set()
  /** The number on the app's icon; -1 when a message may have put another there. */ #badge = -1
  #touched = false
  /** The card that a notification or an address named. @type {string | null} */ #wanted = null
  /** Whether nothing was on the screen when the link opened. */ #fresh = false
  /** Offers that are about to come. @type {Set<string>} */ #due = new Set()
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #patience
  /** What needs no card, loaded when there is some. @type {import('./quiet.js').Quiet | null} */ #quiet = null
  #over = new AbortController()
  /** @type {ReturnType<typeof setInterval>} */ #clock

  /** @param {Parts} parts */
  constructor(parts) {
    this.parts = parts
    const { signal } = this.#over
    document.addEventListener('visibilitychange', () => {
      this.#badge = -1
      this.#seen()
    }, { signal })
    for (const type of ['pointerup', 'pointercancel']) addEventListener(type, () => { this.#touched = false }, { signal })
    this.#clock = setInterval(() => this.refresh(), 1_000)
  }

  /** The card, made when it is first needed. */
  #made() {
    if (this.#card) return this.#card
    const { host, pauseAll, release } = this.parts
    const card = this.parts.card()
    /** @param {string} type @param {(call: string, detail: any) => void} act */
    const on = (type, act) => card.addEventListener(type, (e) => this.#current && act(this.#current, /** @type {CustomEvent} */ (e).detail))
    on('decide', (call, { choice, reason }) => host.dispatch(call, { type: 'tap', choice, reason }))
    on('press', (call) => host.dispatch(call, { type: 'press' }))
    on('leave', (call) => host.dispatch(call, { type: 'leave' }))
    on('answer', (call, { yes }) => host.dispatch(call, { type: 'answer', yes }))
    on('again', (call, detail) => host.again(call, detail?.url))
    on('release', () => release())
    on('pause', () => pauseAll())
    on('dismiss', () => this.#next())
    on('drawn', () => this.#seen())
    card.addEventListener('pointerdown', () => { this.#touched = true })
    return (this.#card = card)
  }

  /** Takes the cards off this window. */
  stop() {
    clearInterval(this.#clock)
    clearTimeout(this.#patience)
    this.#over.abort()
    this.refresh = () => {}
    this.#quiet?.stop()
    fill(this.parts.sheet)
    this.parts.page.inert = false
  }

  /** Whether a card is on the screen. */
  get busy() {
    return this.#current !== null
  }

  /** The person asks for one card: it comes first, but never in another one's place. @param {string} call */
  want(call) {
    if (call !== this.#current) this.#wanted = call
    this.refresh()
  }

  /**
   * The link is open. With nothing on the screen the newest card comes first:
   * the one that rang, for whoever opens nod without its notification.
   * @param {string[]} open the calls whose offers follow
   * @returns {boolean} false when the card that the person asked for is over
   */
  expect(open) {
    this.#fresh = this.#current === null
    this.#due = new Set(open)
    clearTimeout(this.#patience)
    this.#patience = setTimeout(() => {
      this.#due.clear()
      this.refresh()
    }, OFFERS_MS)
    const decided = this.#wanted !== null && this.parts.host.entries.get(this.#wanted)?.state.go // it waits for a tap, not for an answer
    const known = this.#wanted === null || decided || open.includes(this.#wanted)
    if (!known) this.#wanted = null
    return known
  }

  /** Brings the screen in step with the host. */
  refresh() {
    const { host } = this.parts
    const now = performance.now()
    this.#refreshQuiet()
    for (const [call, entry] of host.entries) {
      this.#due.delete(call)
      if (!over(entry)) continue
      if (call === this.#wanted) this.#wanted = null
      if (this.#drawn.get(call) === null) this.#drawn.set(call, now)
      if (!this.#drawn.has(call) && (entry.state.choice !== 'standing' || this.#quiet)) host.forget(call)
    }
    const waiting = this.#waiting()
    const entry = this.#current === null ? undefined : host.entries.get(this.#current)
    const ended = this.#current === null ? null : this.#drawn.get(this.#current)
    const next = waiting.find((w) => w.state.call !== this.#current)
    const heir = waiting.find((w) => w.takes !== undefined && w.takes === this.#current)
    if (!entry || (next && typeof ended === 'number' && now - ended > READ_MS && !this.#touched)) this.#next(entry ? undefined : heir)
    else this.#made().update(this.#status(entry))
    document.title = waiting.length ? t('title.waiting', { count: String(waiting.length) }) : this.parts.title()
    if (waiting.length !== this.#badge) badge((this.#badge = waiting.length))
  }

  /** What is carried out without a card has a line, and where a tap is wanted a small sheet. */
  #refreshQuiet() {
    const quiet = [...this.parts.host.entries.values()].filter(({ offer, state }) => offer && state.choice === 'standing')
    if (this.#quiet) return this.#quiet.refresh(quiet.map((entry) => ({ model: this.#model(entry), status: this.#status(entry) })))
    const place = this.parts.page.querySelector('#quiet')
    if (!quiet.length || !place) return
    const { host } = this.parts
    import('./quiet.js').then(({ Quiet }) => {
      if (this.#over.signal.aborted) return
      this.#quiet ??= new Quiet(place, { press: (call) => host.dispatch(call, { type: 'press' }), leave: (call) => host.dispatch(call, { type: 'leave' }) })
      this.refresh()
    }).catch(() => {}) // Home says it all the same
  }

  /** @returns {Entry[]} those that can be answered, the oldest first */
  #waiting() {
    return [...this.parts.host.entries.values()]
      .filter((e) => e.offer && (e.state.phase === 'waiting' || e.state.phase === 'kept'))
      .sort((a, b) => a.order - b.order)
  }

  /** Puts the card of a call on the screen that no card came before: one that ended while nod was away. @param {string} call */
  open(call) {
    this.#next(this.parts.host.entries.get(call))
  }

  /** @returns {Entry | undefined} what comes on the screen when there is nothing on it */
  #first() {
    const waiting = this.#waiting()
    const wanted = waiting.find((e) => e.state.call === this.#wanted)
    if (!wanted && this.#fresh && this.#due.size) return undefined
    const first = wanted ?? waiting.at(this.#fresh ? -1 : 0)
    if (first) this.#fresh = false
    if (wanted) this.#wanted = null
    return first
  }

  /** Puts the next card on the screen, or none. @param {Entry | undefined} [entry] */
  #next(entry = this.#first()) {
    const before = this.#current
    if (before !== null) {
      this.#drawn.delete(before)
      this.#shown.delete(before)
      this.parts.host.forget(before)
    }
    this.#current = entry?.state.call ?? null
    const { sheet, page } = this.parts
    page.inert = entry !== undefined
    if (!entry) {
      if (before === null && !sheet.firstChild) return
      fill(sheet)
      this.parts.folded()
      this.#quiet?.uncovered()
      return
    }
    this.#drawn.set(entry.state.call, null)
    const card = this.#made()
    if (!card.isConnected) fill(sheet, card)
    card.show(this.#model(entry), this.#status(entry))
    card.focus()
  }

  /** Tells that the card is on a screen somebody can look at. */
  #seen() {
    const call = this.#current
    if (call === null || this.#shown.has(call) || document.visibilityState !== 'visible') return
    this.#shown.add(call)
    this.parts.host.dispatch(call, { type: 'shown' })
    this.parts.shown(call)
  }

  /** @param {Entry} entry @returns {import('./card.js').Model} */
  #model({ offer, plan, state }) {
    const o = /** @type {import('./offer.js').Offer} */ (offer)
    const mine = state.acts && can(plan) ? plan : null
    const now = mine && this.parts.host.parts.plan(o.action, o.fields) // it may stand otherwise than when the offer came
    const web = mine && 'intent' in mine && mine.intent.scheme === 'https' ? `https:${mine.intent.data}` : undefined
    return {
      call: o.call, agentName: o.agent_name, phoneName: this.parts.phoneName(o.phone), tool: o.tool, action: o.action, fields: o.fields,
      summary: o.summary, rule: o.rule, risk: o.risk, badges: o.badges, repeat: o.repeat, ttlMs: o.ttl_seconds * 1000,
      zone: this.parts.zone, now: Date.now(), taint: o.taint, ...(mine && { app: mine.app, note: mine.note, warning: now && 'warning' in now ? now.warning : undefined, way: state.way, web }),
    }
  }

  /** @param {Entry} entry @returns {import('./card.js').Status} */
  #status({ state, did }) {
    const others = this.#waiting().filter((e) => e.state.call !== state.call).length
    return { phase: state.phase, deadline: state.deadline, until: state.until, ending: state.ending, others, online: this.parts.online(), acked: state.acked ?? false, gave: did?.gave }
  }
}

/** @param {Entry} entry */
const over = (entry) => entry.state.phase === 'ended' || entry.state.phase === 'closed'

/** The number on the app's icon, where there is one. @param {number} count */
function badge(count) {
  const nav = /** @type {any} */ (navigator)
  if (count) nav.setAppBadge?.(count).catch(() => {})
  else nav.clearAppBadge?.().catch(() => {})
}
