// <nod-card>: the sheet on which a person decides. It draws an offer, gates
// Confirm, and then tells what became of it. It knows nothing of the link:
// what the person does leaves as events.

import { badgeBoxes, fieldBox, givesBox, opensRow, quote, warningBox, who } from './card-body.js'
import { buttons, drawFoot } from './card-foot.js'
import { el, fill } from './dom.js'
import { rows, warnings } from './fields.js'
import { REARM_MS, shut } from './gate.js'
import { has, localeInUse, t } from './text.js'
import { gives } from './toolfields.js'
import { left } from './words.js'

/** Below the last line of a card there is at least so much of nothing, which nobody has to scroll to. */
const BLANK = 16

/**
 * @typedef {{
 *   call: string, agentName: string, phoneName: string, tool: string, action: string, fields: Record<string, any>,
 *   summary: string, rule: string, risk: string, badges: string[], repeat?: { seconds_ago: number, outcome: string },
 *   ttlMs: number, zone: string, now: number, app?: string, note?: string, warning?: { key: string, values: Record<string, string> },
 *   way?: import('./phone.js').Way, web?: string, taint?: string[], found?: import('./rows.js').Words['found'],
 * }} Model what the offer says; found: what this phone looked up for it; app, note and warning are this phone's, where it carries it out (keys of texts); web: the address that a browser opens for it too
 * @typedef {{
 *   phase: import('./phone.js').Phase, deadline: number, until: number | null, ending?: import('./phone.js').Ending,
 *   others: number, online: boolean, gave?: number, acked?: boolean,
 * }} Status where it stands; times on the clock of performance.now(); gave: how many of what was read the agent is given
 *
 * Events, all of type CustomEvent: decide {choice, reason}, press, leave, answer {yes},
 * again {url}, release, pause, dismiss, drawn.
 */

const SECOND = 1_000
/** The note that says what happens instead of what usually does. */
const SHOWN = 'note.map_place'
const FRESH_MS = 300

/** Asks the browser, where it can, whether anything lies over the card. */
const COVER = /** @type {IntersectionObserverInit} */ ({ trackVisibility: true, delay: 100 })

export class NodCard extends HTMLElement {
  /** @type {Model | null} */ model = null
  /** @type {Status | null} */ status = null
  #scroll = el('div.card-scroll', { tabindex: '0', role: 'region' })
  #foot = el('div.foot')
  /** Where a screen reader hears what becomes of it: a place that stays, while the foot is drawn anew. */
  #told = el('p.unseen', { role: 'status' })
  #since = 0
  #focused = false
  /** Whether something in the browser lies over the card, where it can tell. */
  #covered = false
  /** @type {ReturnType<typeof setInterval> | undefined} */ #clock
  /** @type {AbortController | null} */ #listening = null

  connectedCallback() {
    this.setAttribute('role', 'dialog')
    this.setAttribute('aria-modal', 'true')
    this.append(this.#scroll, this.#foot, this.#told)
    this.#listening = new AbortController()
    this.#covered = false
    const { signal } = this.#listening
    this.#foot.addEventListener('click', (e) => /** @type {Element} */ (e.target).closest('[data-fresh]') && e.stopPropagation(), { signal, capture: true })
    const uncovered = new IntersectionObserver((seen) => this.#seen(seen.at(-1)), COVER)
    uncovered.observe(this)
    signal.addEventListener('abort', () => uncovered.disconnect())
    this.#scroll.addEventListener('scroll', () => this.#look(), { signal, passive: true })
    for (const type of ['focus', 'blur', 'resize']) addEventListener(type, () => this.#look(), { signal })
    document.addEventListener('visibilitychange', () => this.#look(), { signal })
    this.#clock = setInterval(() => this.#look(), SECOND / 4)
  }

  disconnectedCallback() {
    clearInterval(this.#clock)
    this.#listening?.abort()
  }

  /**
   * Draws an offer. Confirm is off again from here on, also where the card
   * takes the place of one that was withdrawn.
   * @param {Model} model @param {Status} status
   */
  show(model, status) {
    this.model = model
    this.#body(model, status)
    this.#scroll.scrollTop = 0
    this.#foot.style.minBlockSize = ''
    this.#settle()
    this.status = null // the foot of another card is not this one's
    this.update(status)
    requestAnimationFrame(() => requestAnimationFrame(() => this.#say('drawn')))
  }

  /** Says where the call stands now. @param {Status} status */
  update(status) {
    const model = /** @type {Model} */ (this.model)
    const before = this.status
    this.status = status
    if (before && before.others !== status.others) {
      this.#scroll.querySelector('.who')?.replaceWith(who(model.agentName, model.phoneName, status.others))
      this.#describe()
    }
    const next = before && before.others > 0 !== status.others > 0 // what "Close" is called
    if (!before || before.phase !== status.phase || before.online !== status.online || before.acked !== status.acked || before.ending !== status.ending || (next && status.ending)) {
      if (before?.phase === 'kept') this.#settle()
      const held = this.#foot.contains(document.activeElement)
      drawFoot(this.#foot, model, status, {
        decide: (choice, reason) => this.#decide(choice, reason),
        say: (type, detail) => this.#say(type, detail),
        open: () => this.#shut() === null,
        more: () => this.#more(),
      })
      this.#freshen()
      const said = [...this.#foot.querySelectorAll('.state h2, .state h2 ~ p')].map((n) => n.textContent).join('. ')
      if (this.#told.textContent !== said) this.#told.textContent = said
      if (held) this.#scroll.focus({ preventScroll: true }) // never lost, never on another button
    }
    this.#look()
  }

  /** Puts the focus on what is asked, for keyboards and screen readers; never on a button. @override */
  focus() {
    this.querySelector('h1')?.focus()
  }

  /** @param {Model} m @param {Status} status */
  #body(m, status) {
    const heading = el('h1', { id: `what-${m.call}`, tabindex: '-1' }, t(`card.title.${m.action}`))
    this.setAttribute('aria-labelledby', heading.id)
    this.#scroll.setAttribute('aria-labelledby', heading.id)
    const words = { t, locale: localeInUse(), now: m.now, zone: m.zone, app: m.app, found: m.found, picks: m.way === 'tap' }
    const given = gives(m.action, m.fields, words)
    const fields = [...rows(m.action, m.fields, words), ...(m.app ? [opensRow(m.app)] : [])]
    fill(this.#scroll,
      who(m.agentName, m.phoneName, status.others),
      heading,
      fields.length > 0 && fieldBox(fields),
      given && givesBox(m.agentName, given),
      badgeBoxes([...m.badges, ...warnings(m.action, m.fields)], m.repeat, localeInUse(), m.taint),
      m.warning && warningBox(m.warning),
      m.note && el('p.second.hint', null, t(m.note)),
      m.note !== SHOWN && el('p.second.hint', null, t(hintOf(m, given !== null))),
      quote(m.summary, m.action),
      el('div.second.why', null, el('p', null, t(`card.rule.${m.rule}`)),
        el('button.link', { type: 'button', click: () => this.#say('pause') }, t('card.pause_all')),
        this.#reasonForm()))
    this.#describe()
  }

  /** Who asks, and with what: read out with the title when the card comes. */
  #describe() {
    const parts = [...this.#scroll.querySelectorAll('.who-words, .fields, .gives')]
    parts.forEach((part, i) => { part.id = `about-${i}` })
    this.setAttribute('aria-describedby', parts.map(({ id }) => id).join(' '))
  }

  /** A no with a reason, for those who want to give one. */
  #reasonForm() {
    const input = /** @type {HTMLTextAreaElement} */ (el('textarea', { id: 'reason', rows: '2', maxlength: '500' }))
    return el('details.reason', null,
      el('summary', null, t('card.decline_why')),
      el('label.second', { for: 'reason' }, t('card.reason_label')), input,
      el('button.plain', { type: 'button', click: () => this.#decide('decline', input.value.trim()) }, t('card.decline_send')))
  }

  /** @param {'confirm' | 'decline'} choice @param {string} [reason] */
  #decide(choice, reason) {
    if (this.status?.phase !== 'waiting') return
    if (choice === 'confirm' && this.#shut() !== null) return
    this.#foot.style.minBlockSize = `${this.#foot.getBoundingClientRect().height}px` // nothing moves under the thumb
    this.#say('decide', { choice, ...(reason && { reason }) })
  }

  /** @param {string} type @param {unknown} [detail] */
  #say(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true }))
  }

  /**
   * A second tap meant for what stood there before presses nothing new: buttons
   * that come up count a moment later. Confirm has a gate of its own.
   */
  #freshen() {
    const names = ['data-fresh', 'aria-disabled']
    for (const b of this.#foot.querySelectorAll('button:not(.confirm)')) {
      for (const name of names) b.setAttribute(name, 'true')
      setTimeout(() => names.forEach((name) => b.removeAttribute(name)), FRESH_MS)
    }
  }

  /** @param {IntersectionObserverEntry | undefined} seen isVisible: false under anything else of the browser's */
  #seen(seen) {
    const covered = /** @type {any} */ (seen)?.isVisible === false
    if (this.#covered && !covered) this.#settle()
    this.#covered = covered
    this.#look()
  }

  /** Confirm before the end of the scroll reads on, and is off anew. */
  #more() {
    if (this.#shut() !== 'scroll') return
    this.#settle()
    const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth'
    this.#scroll.scrollBy({ top: this.#scroll.clientHeight * 0.8, behavior })
  }

  #settle() {
    this.#since = performance.now()
    setTimeout(() => this.#look(), REARM_MS + 10)
  }

  #shut() {
    const { scrollHeight, clientHeight, scrollTop } = this.#scroll
    const atEnd = scrollHeight - clientHeight - scrollTop <= BLANK
    return shut({
      phase: this.status?.phase ?? 'kept', since: this.#since, now: performance.now(), focused: this.#focused, covered: this.#covered,
      atEnd, online: this.status?.online ?? false,
    })
  }

  /** Looks at everything that moves by itself: focus, scroll, time. */
  #look() {
    const focused = document.hasFocus() && document.visibilityState === 'visible'
    if (focused && !this.#focused) this.#settle()
    this.#focused = focused
    const { status, model } = this
    if (!status || !model) return
    this.setAttribute('data-phase', status.phase)
    const end = status.phase === 'button' || status.phase === 'kept' ? status.until : status.deadline
    const rest = Math.max(0, (end ?? 0) - performance.now())
    const time = this.#foot.querySelector('.time-words')
    const words = time?.getAttribute('data-text')
    if (time && words) time.textContent = t(words, { time: left(rest) })
    const bar = /** @type {HTMLElement | null} */ (this.#foot.querySelector('.time-left'))
    if (bar) bar.style.inlineSize = `${Math.min(100, (rest / model.ttlMs) * 100).toFixed(1)}%`
    const why = this.#shut()
    this.toggleAttribute('data-open', why === null)
    this.toggleAttribute('data-more', why === 'scroll')
    buttons(this.#foot, why)
  }
}

/** What it does, in a sentence: it may be done at once, or opened for the person to do. @param {Model} m @param {boolean} reads */
function hintOf(m, reads) {
  if (m.action === 'contacts_search' && m.way === 'tap') return 'card.hint.contacts_chosen'
  const own = `card.hint.${m.action}`
  if (m.app && has(`${own}_opens`)) return `${own}_opens`
  return reads && !has(own) ? 'card.hint.reads' : own
}

customElements.define('nod-card', NodCard)

