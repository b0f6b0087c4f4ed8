// What needed no card: one polite line that says so while nod is open, and where
// the browser wants the person's tap all the same, a small sheet with who asks,
// what for, one button and a way out. It makes no sound, and covers no card.

import { gives } from './toolfields.js'
import { around, fieldBox, iso, quote, who } from './card-body.js'
import { endOf, pressFoot } from './card-foot.js'
import { el, patch } from './dom.js'
import { rows } from './fields.js'
import { REARM_MS } from './gate.js'
import { has, localeInUse, t } from './text.js'
import { left } from './words.js'

/**
 * @typedef {import('./card.js').Model} Model
 * @typedef {import('./card.js').Status} Status
 * @typedef {{ model: Model, status: Status }} Shown
 * @typedef {{ press: (call: string) => void, leave: (call: string) => void }} Acts
 */

/** How long the line stays; Home and the log keep what it said. */
const LINE_MS = 8_000

export class Quiet {
  /** The call in the sheet, and since when it is before the person. */ #call = ''
  #since = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #settled
  #line = ''
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #over
  /** Calls whose end was told. @type {Set<string>} */ #told = new Set()
  /** @type {Shown | null} */ #shown = null

  /** @param {Element} place @param {Acts} acts */
  constructor(place, acts) {
    this.place = place
    this.acts = acts
  }

  /** Brings the screen in step. @param {Shown[]} all those without a card that are not over, and those that are, the oldest first */
  refresh(all) {
    const shown = all.find(({ status: { phase } }) => phase === 'button') ?? all.find(({ model, status: { phase } }) => phase === 'acting' && model.call === this.#call) ?? null
    if ((shown?.model.call ?? '') !== this.#call) {
      this.#call = shown?.model.call ?? ''
      this.#settle()
    }
    const came = shown && !this.#shown
    const left = !shown && this.place.contains(document.activeElement)
    this.#shown = shown
    for (const call of this.#told) if (!all.some(({ model }) => model.call === call)) this.#told.delete(call)
    for (const { model, status } of all) {
      if (!status.ending || this.#told.has(model.call)) continue
      this.#told.add(model.call)
      this.#say(lineOf(model, status))
    }
    this.#draw()
    cover(shown !== null)
    if (came) this.#focus()
    if (left) /** @type {HTMLElement | null} */ (document.querySelector('#page h1'))?.focus({ preventScroll: true }) // never lost
  }

  /** No card lies over it any more: whoever closed that one has not seen the sheet yet. */
  uncovered() {
    if (!this.#shown) return
    this.#settle()
    this.#draw()
    this.#focus()
  }

  /** Takes it off this window. */
  stop() {
    clearTimeout(this.#over)
    clearTimeout(this.#settled)
    this.#shown = null
    this.#line = ''
    this.#draw()
    cover(false)
  }

  /** @param {string} line */
  #say(line) {
    this.#line = line
    clearTimeout(this.#over)
    this.#over = setTimeout(() => {
      this.#line = ''
      this.#draw()
    }, LINE_MS)
  }

  /** A touch meant for what stood there before presses nothing: as on a card, its buttons are off at first. */
  #settle() {
    this.#since = performance.now()
    clearTimeout(this.#settled)
    this.#settled = setTimeout(() => this.#draw(), REARM_MS + 10)
  }

  /** Never a button. */
  #focus() {
    this.place.querySelector('h2')?.focus({ preventScroll: true })
  }

  #draw() {
    const open = () => performance.now() - this.#since >= REARM_MS
    const act = (/** @type {(call: string) => void} */ does) => open() && does(this.#call)
    const box = quietBox(this.#shown, this.#line, { press: () => act(this.acts.press), leave: () => act(this.acts.leave) })
    const off = (/** @type {Element} */ b) => ['aria-disabled', ...(b.matches('.primary') ? [] : ['data-fresh'])].forEach((name) => b.setAttribute(name, 'true'))
    if (!open()) for (const part of box) part?.querySelectorAll('button').forEach(off)
    const held = this.place.contains(document.activeElement)
    patch(this.place, box)
    if (held && !this.place.contains(document.activeElement)) this.#focus() // a button that was pressed is gone
  }
}

/** What lies under the sheet waits for it. @param {boolean} on */
export function cover(on) {
  for (const id of ['page', 'bar']) document.getElementById(id)?.toggleAttribute('inert', on)
}

/** @param {Shown | null} shown @param {string} line @param {{ press: () => void, leave: () => void }} acts */
export function quietBox(shown, line, acts) {
  return [
    el('div', { role: 'status' }, line && el('p.heard', null, iso(line))),
    shown && sheet(shown, acts),
  ]
}

/** @param {Shown} shown @param {{ press: () => void, leave: () => void }} acts */
function sheet({ model: m, status: s }, acts) {
  const words = { t, locale: localeInUse(), now: m.now, zone: m.zone, picks: true }
  const fields = rows(m.action, m.fields, words)
  const given = gives(m.action, m.fields, words)
  const foot = pressFoot(m, s, { decide: () => {}, open: () => true, more: () => {}, say: (type) => (type === 'press' ? acts.press() : acts.leave()) })
  const time = s.until === null ? '' : t('card.button_time', { time: left(s.until - performance.now()) })
  for (const node of foot) for (const words of node?.querySelectorAll('.time-words') ?? []) words.textContent = time
  const about = [who(m.agentName, m.phoneName), fields.length > 0 && fieldBox(fields), hands(m, given)]
  about.forEach((part, i) => part && (part.id = `ask-${i}`))
  const [asks, box, does] = about
  return el('section.ask', { role: 'dialog', 'aria-modal': 'true', 'aria-labelledby': 'ask-title', 'aria-describedby': about.flatMap((part) => (part ? [part.id] : [])).join(' ') },
    asks,
    el('h2', { id: 'ask-title', tabindex: '-1' }, t(`card.title.${m.action}`)),
    box,
    does,
    quote(m.summary, m.action),
    foot)
}

/** What the agent is given, or what it does. @param {Model} m @param {string | null} given */
function hands(m, given) {
  if (given === null) return el('p.second', null, t(`card.hint.${m.action}`))
  return el('p', null, el('span.second', null, ...around('card.gives.title', 'agent', m.agentName)), ' ', el('strong', null, given))
}

/** What is said once it is over: what happened, and by whose leave. @param {Model} m @param {Status} s */
function lineOf(m, s) {
  const key = `quiet.did.${m.action}`
  if (s.ending?.kind === 'done' && (s.acked || s.online)) {
    return t('quiet.line', { what: t(has(key) ? key : 'quiet.did.other', { agent: m.agentName, what: t(`card.title.${m.action}`) }), reason: t('log.leave.never') })
  }
  return t('quiet.line', { what: `${m.agentName}: ${t(`card.title.${m.action}`)}`, reason: endOf(m, s) })
}
