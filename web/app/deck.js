// Which card is on the screen. The oldest that waits comes first; a card under
// a thumb is never replaced; one that is over makes room for one that waits.

import { NodCard } from './card.js'
import { fill } from './dom.js'
import { t } from './text.js'

/** @typedef {import('./host.js').Entry} Entry */
/**
 * @typedef {{
 *   sheet: HTMLElement, page: HTMLElement, host: import('./host.js').Host, zone: string, phoneName: (id: string) => string,
 *   online: () => boolean, pauseAll: () => void, folded: () => void, title: () => string,
 * }} Parts page: what a card lies over; folded: the last card left the screen; title: the window's, while no card waits
 */

/** How long an ending stays before a card that waits may take its place. */
const READ_MS = 4_000

export class Deck {
  /** @type {string | null} */ #current = null
  #card = new NodCard()
  /** Calls whose card was drawn, and when they ended (mono). @type {Map<string, number | null>} */ #drawn = new Map()
  /** @type {Set<string>} */ #shown = new Set()
  #touched = false
  #over = new AbortController()
  /** @type {ReturnType<typeof setInterval>} */ #clock

  /** @param {Parts} parts */
  constructor(parts) {
    this.parts = parts
    const card = this.#card
    const { host } = parts
    /** @param {string} type @param {(call: string, detail: any) => void} act */
    const on = (type, act) => card.addEventListener(type, (e) => this.#current && act(this.#current, /** @type {CustomEvent} */ (e).detail))
    on('decide', (call, { choice, reason }) => host.dispatch(call, { type: 'tap', choice, reason }))
    on('press', (call) => host.dispatch(call, { type: 'press' }))
    on('answer', (call, { yes }) => host.dispatch(call, { type: 'answer', yes }))
    on('again', (call) => host.again(call))
    on('pause', () => parts.pauseAll())
    on('dismiss', () => this.#next())
    on('drawn', () => this.#seen())
    const { signal } = this.#over
    document.addEventListener('visibilitychange', () => this.#seen(), { signal })
    card.addEventListener('pointerdown', () => { this.#touched = true })
    for (const type of ['pointerup', 'pointercancel']) addEventListener(type, () => { this.#touched = false }, { signal })
    this.#clock = setInterval(() => this.refresh(), 1_000)
  }

  /** Takes the cards off this window. */
  stop() {
    clearInterval(this.#clock)
    this.#over.abort()
    fill(this.parts.sheet)
    this.parts.page.inert = false
  }

  /** Whether a card is on the screen. */
  get busy() {
    return this.#current !== null
  }

  /** Brings the screen in step with the host. */
  refresh() {
    const { host } = this.parts
    const now = performance.now()
    for (const [call, entry] of host.entries) {
      if (over(entry) && this.#drawn.get(call) === null) this.#drawn.set(call, now)
      if (over(entry) && !this.#drawn.has(call)) host.forget(call)
    }
    const waiting = this.#waiting()
    const entry = this.#current === null ? undefined : host.entries.get(this.#current)
    const ended = this.#current === null ? null : this.#drawn.get(this.#current)
    const next = waiting.find((w) => w.state.call !== this.#current)
    if (!entry || (next && typeof ended === 'number' && now - ended > READ_MS && !this.#touched)) this.#next()
    else this.#card.update(this.#status(entry))
    document.title = waiting.length ? t('title.waiting', { count: String(waiting.length) }) : this.parts.title()
    badge(waiting.length)
  }

  /** @returns {Entry[]} those that can be answered, the oldest first */
  #waiting() {
    return [...this.parts.host.entries.values()]
      .filter((e) => e.offer && (e.state.phase === 'waiting' || e.state.phase === 'kept'))
      .sort((a, b) => a.order - b.order)
  }

  /** Puts the next card on the screen, or none. */
  #next() {
    const before = this.#current
    if (before !== null) {
      this.#drawn.delete(before)
      this.#shown.delete(before)
      this.parts.host.forget(before)
    }
    const entry = this.#waiting()[0]
    this.#current = entry?.state.call ?? null
    const { sheet, page } = this.parts
    page.inert = entry !== undefined
    if (!entry) {
      if (before === null && !sheet.firstChild) return
      fill(sheet)
      this.parts.folded()
      return
    }
    this.#drawn.set(entry.state.call, null)
    if (!this.#card.isConnected) fill(sheet, this.#card)
    this.#card.show(this.#model(entry), this.#status(entry))
    this.#card.focus()
  }

  /** Tells that the card is on a screen somebody can look at. */
  #seen() {
    const call = this.#current
    if (call === null || this.#shown.has(call) || document.visibilityState !== 'visible') return
    this.#shown.add(call)
    this.parts.host.dispatch(call, { type: 'shown' })
  }

  /** @param {Entry} entry @returns {import('./card.js').Model} */
  #model({ offer, plan, state }) {
    const o = /** @type {import('./offer.js').Offer} */ (offer)
    const launch = plan && !('reason' in plan) ? plan : null
    return {
      call: o.call, agentName: o.agent_name, phoneName: this.parts.phoneName(o.phone), tool: o.tool, action: o.action, fields: o.fields,
      summary: o.summary, rule: o.rule, risk: o.risk, badges: o.badges, repeat: o.repeat, ttlMs: o.ttl_seconds * 1000,
      zone: this.parts.zone, now: Date.now(), ...(launch && { app: launch.app, note: launch.note }), ...(!state.acts && { app: undefined }),
    }
  }

  /** @param {Entry} entry @returns {import('./card.js').Status} */
  #status({ state }) {
    const others = this.#waiting().filter((e) => e.state.call !== state.call).length
    return { phase: state.phase, deadline: state.deadline, until: state.until, ending: state.ending, others, online: this.parts.online() }
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
