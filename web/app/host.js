// The phone side of every call: takes frames, runs the machine of phone.js, and
// carries out its effects in order. What must last is in the journal before
// what follows it leaves.

import { receive, restore, step } from './phone.js'
import { readOffer } from './offer.js'
import { open } from './wire.js'

/**
 * @typedef {import('./phone.js').State} State
 * @typedef {import('./phone.js').Event} Event
 * @typedef {import('./phone.js').Effect} Effect
 * @typedef {import('./phone.js').Now} Now
 * @typedef {import('./wire.js').Signed} Signed
 * @typedef {import('./journal.js').Row} Row
 * @typedef {import('./uris.js').Plan} Plan
 * @typedef {{
 *   state: State, row: Row, offer: import('./offer.js').Offer | null, plan: Plan | null, order: number,
 *   prepared?: Signed, done: Promise<void>,
 * }} Entry offer: null for a call that was restored from the journal; done: when its effects so far are carried out
 *
 * @typedef {{
 *   me: string, gateway: CryptoKey,
 *   sign: (kind: string, body: unknown) => Promise<Signed>,
 *   journal: { rows(): Promise<Row[]>, row(call: string): Promise<Row | undefined>, write(row: Row): Promise<unknown> },
 *   send: (frame: Record<string, unknown>) => void, epoch: () => number,
 *   plan: (action: string, fields: Record<string, any>) => Plan,
 *   launch: (launch: import('./uris.js').Launch) => void, active: () => boolean, beacon: (result: Signed) => void,
 *   say: (key: string, values?: Record<string, string>) => string,
 *   now: () => Now, wake: (at: number) => void,
 *   changed: (entry: Entry) => void, dropped: (why: unknown) => void,
 * }} Parts everything a host stands on; say: sentences in English, for agents
 */

export class Host {
  /** @type {Map<string, Entry>} */ entries = new Map()
  #order = 0
  /** Frames are taken one after the other, in the order they came. */
  #inbox = Promise.resolve()

  /** @param {Parts} parts */
  constructor(parts) {
    this.parts = parts
  }

  /** Takes up what the journal says is owed. */
  async restore() {
    const { journal, now, say } = this.parts
    for (const row of await journal.rows()) {
      const { call, digest, acts, state, choice } = row
      const leftMs = row.deadline - now().wall
      const made = restore({ call, digest, acts, state, choice, leftMs, noGo: say('result.no_go') }, now())
      if (made) this.#add({ state: made.state, row, offer: null, plan: null, order: this.#order++, done: Promise.resolve() }, made.effects)
    }
  }

  /** @param {{ kind: string, [key: string]: any }} frame @returns {Promise<void>} */
  take(frame) {
    this.#inbox = this.#inbox.then(() => this.#take(frame)).catch((e) => this.parts.dropped(e))
    return this.#inbox
  }

  /** @param {{ kind: string, [key: string]: any }} frame */
  async #take(frame) {
    switch (frame.kind) {
      case 'offer':
        return this.#offer(frame)
      case 'go':
        return this.#go(await this.#open(frame))
      case 'disarm': {
        const { call, reason } = await this.#open(frame)
        return this.dispatch(call, { type: 'disarm', reason })
      }
      case 'withdraw': {
        const { call, reason, keep_ms: keepMs, by } = await this.#open(frame)
        return this.dispatch(call, { type: 'withdraw', reason, keepMs, by })
      }
      case 'ack':
        return this.dispatch(frame.call, { type: 'ack', of: frame.of })
    }
  }

  /** @param {{ kind: string, [key: string]: any }} frame @returns {Promise<any>} */
  #open(frame) {
    return open(this.parts.gateway, frame.kind, signedOf(frame))
  }

  /** @param {{ kind: string, [key: string]: any }} frame */
  async #offer(frame) {
    const { parts } = this
    if (frame.epoch !== parts.epoch()) return
    const { offer, body, digest, refused } = await readOffer(signedOf(frame), parts)
    const leftMs = Math.max(0, frame.left_ms ?? 0)
    const known = this.entries.get(offer.call)
    if (known) {
      if (known.state.digest === digest) this.dispatch(offer.call, { type: 'renewed', leftMs })
      return
    }
    const before = await parts.journal.row(offer.call)
    if (before && before.state !== 'received') return // dealt with; what is owed is re-sent

    const acts = offer.phone === parts.me
    const plan = acts && refused === null ? parts.plan(offer.action, offer.fields) : null
    const cannot = refused !== null ? parts.say('result.refused', { reason: refused }) : plan && 'reason' in plan ? parts.say(plan.reason, plan.values) : undefined
    const now = parts.now()
    const { state, effects } = receive({ call: offer.call, digest, acts, leftMs, cannot }, now)
    /** @type {Row} */
    const row = { call: offer.call, state: 'received', digest, acts, body, at: now.wall, deadline: now.wall + leftMs }
    const place = frame.takes ? this.#place(frame.takes) : undefined
    this.#add({ state, row, offer, plan, order: place ?? this.#order++, done: Promise.resolve() }, effects)
  }

  /** The place on the screen of a card that was kept for the same act. @param {string} call */
  #place(call) {
    const kept = this.entries.get(call)
    if (kept?.state.phase !== 'kept') return undefined
    this.entries.delete(call)
    return kept.order
  }

  /** @param {{ call: string, digest: string, decision: Signed }} go */
  #go({ call, digest, decision }) {
    const mine = this.entries.get(call)?.row.decision
    this.dispatch(call, { type: 'go', digest, mine: !!mine && mine.body === decision.body && mine.sig === decision.sig })
  }

  /** A new connection: what is owed is sent again. @param {string[]} open the calls that the gateway has open */
  connected(open) {
    for (const call of [...this.entries.keys()]) this.dispatch(call, { type: 'connected', open: open.includes(call) })
  }

  /** Something happens to every call: time passed, the page was hidden. @param {Event} event */
  all(event) {
    for (const call of [...this.entries.keys()]) this.dispatch(call, event)
  }

  /**
   * Something happens to one call. What the machine wants launched is launched
   * before this returns: the tap's permission does not outlive the turn.
   * @param {string} call @param {Event} event
   */
  dispatch(call, event) {
    const entry = this.entries.get(call)
    if (!entry) return
    const { say, now, changed } = this.parts
    const before = entry.state
    const { state, effects } = step(before, event, now(), (key) => say(`result.${key}`))
    entry.state = state
    this.#run(entry, effects)
    if (state !== before) changed(entry)
    this.#wake()
  }

  /** @param {Entry} entry @param {Effect[]} effects */
  #add(entry, effects) {
    this.entries.set(entry.state.call, entry)
    this.#run(entry, effects)
    this.parts.changed(entry)
    this.#wake()
  }

  #wake() {
    const times = [...this.entries.values()].map((e) => e.state.until).filter((t) => t !== null)
    if (times.length) this.parts.wake(Math.min(...times))
  }

  /** @param {Entry} entry @param {Effect[]} effects */
  #run(entry, effects) {
    for (const effect of effects) {
      if (effect.do === 'launch') this.#launch(entry)
      else {
        if (effect.do === 'end' && effect.beacon && entry.prepared) this.parts.beacon(entry.prepared)
        entry.done = entry.done.then(() => this.#perform(entry, effect)).catch((e) => this.#failed(entry, effect, e))
      }
    }
  }

  /** @param {Entry} entry */
  #launch(entry) {
    if (!entry.plan || !('url' in entry.plan)) return
    try {
      this.parts.launch(entry.plan)
    } catch {
      queueMicrotask(() => this.dispatch(entry.state.call, { type: 'threw', message: this.parts.say('result.threw') }))
    }
  }

  /** @param {Entry} entry @param {Effect} effect */
  async #perform(entry, effect) {
    const { parts } = this
    const { call, digest } = entry.state
    if (this.entries.get(call) !== entry) return
    switch (effect.do) {
      case 'journal':
        return this.#write(entry, { state: effect.state })
      case 'send':
        return parts.send({ kind: effect.kind, call, epoch: parts.epoch() })
      case 'decide': {
        const { choice, reason } = effect
        const decision = await parts.sign('decision', { call, digest, phone: parts.me, choice, assurance: 'web', ...(reason && { reason }) })
        await this.#write(entry, { state: 'decided', choice, decision })
        return parts.send({ ...decision, epoch: parts.epoch() })
      }
      case 'resend':
        if (effect.what === 'result') return entry.row.result && parts.send(entry.row.result)
        return entry.row.decision && parts.send({ ...entry.row.decision, epoch: parts.epoch() })
      case 'prepare':
        entry.prepared = await this.#result(entry, { status: 'opened', started: true })
        return this.dispatch(call, { type: 'ready', active: parts.active() })
      case 'end': {
        const result = effect.status === 'opened' && entry.prepared ? entry.prepared : await this.#result(entry, effect)
        // A result that the disk refuses is told all the same: it is true.
        await this.#write(entry, { state: 'ended', result }).catch((e) => parts.dropped(e))
        return parts.send(result)
      }
    }
  }

  /** @param {Entry} entry @param {{ status: string, started: boolean, message?: string }} end */
  #result(entry, { status, started, message }) {
    const { call, digest } = entry.state
    const note = status === 'opened' && entry.plan && 'note' in entry.plan && entry.plan.note ? this.parts.say(entry.plan.note) : undefined
    const app = status === 'opened' && entry.plan && 'app' in entry.plan ? this.parts.say(entry.plan.app) : undefined
    const said = message ?? note
    return this.parts.sign('result', { call, digest, phone: this.parts.me, status, started, ...(said && { message: said }), ...(app && { app }) })
  }

  /** @param {Entry} entry @param {Partial<Row>} change */
  async #write(entry, change) {
    const row = { ...entry.row, ...change }
    await this.parts.journal.write(row)
    entry.row = row
  }

  /** The person opens it once more, after it failed or nobody knows: their own act, in the journal, and nothing an agent hears of. @param {string} call */
  again(call) {
    const entry = this.entries.get(call)
    const kind = entry?.state.ending?.kind
    if (!entry?.plan || !('url' in entry.plan) || (kind !== 'failed' && kind !== 'unknown')) return
    const at = [...(entry.row.again ?? []), this.parts.now().wall]
    entry.done = entry.done.then(() => this.#write(entry, { again: at })).catch((e) => this.parts.dropped(e))
    this.parts.launch(entry.plan)
  }

  /** Forgets a call that is over here and owes nothing. @param {string} call */
  forget(call) {
    const state = this.entries.get(call)?.state
    if (state && (state.phase === 'closed' || state.acked)) this.entries.delete(call)
  }

  /**
   * The disk refused, or the key: what was to follow does not. An offer that
   * could not be journaled is not taken; a call that was about to be armed was
   * not started, and says so.
   * @param {Entry} entry @param {Effect} effect @param {unknown} error
   */
  #failed(entry, effect, error) {
    this.parts.dropped(error)
    if (effect.do === 'journal' && effect.state === 'received') this.entries.delete(entry.state.call)
    if (effect.do === 'prepare' || (effect.do === 'journal' && effect.state === 'armed')) this.dispatch(entry.state.call, { type: 'disarm', reason: 'journal' })
  }
}

/** @param {{ kind: string, [key: string]: any }} frame @returns {Signed} */
const signedOf = ({ kind, body, sig }) => ({ kind, body, sig })
