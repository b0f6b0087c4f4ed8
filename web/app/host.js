// The phone side of every call: takes frames, runs the machine of phone.js, and
// carries out its effects in order. What must last is in the journal before
// what follows it leaves.

import { Overtaken } from './journal.js'
import { receive, restore, step } from './phone.js'
import { readOffer } from './offer.js'
import { encode64, open, parse } from './wire.js'

/**
 * @typedef {import('./phone.js').State} State
 * @typedef {import('./phone.js').Event} Event
 * @typedef {import('./phone.js').Effect} Effect
 * @typedef {import('./phone.js').Now} Now
 * @typedef {import('./wire.js').Signed} Signed
 * @typedef {import('./journal.js').Row} Row
 * @typedef {import('./uris.js').Plan} Plan
 * @typedef {Exclude<Plan, import('./uris.js').Reason>} Feasible
 * @typedef {import('./offer.js').Offer} Offer
 * @typedef {{
 *   state: State, row: Row, kept: Row['state'] | undefined, offer: Offer | null, plan: Plan | null, order: number,
 *   prepared?: Partial<Record<import('./phone.js').Prepared, Signed>>, path?: string, takes?: string, done: Promise<void>,
 *   doing?: Doing, upload?: string, did?: Did,
 * }} Entry
 *   kept: the state that is on disk, undefined for none; offer: null for a call that was restored from the journal and has no card; prepared: results signed before the launch;
 *   path: of the file that was deposited; takes: the call whose place on the screen it has; done: when its effects so far are carried out;
 *   doing: what this page does, made ready; upload: the go's token for files; did: what came of it
 * @typedef {{ ok: Signed, cancel: Signed, error: Signed }} Endings of a Shortcut
 * @typedef {{
 *   ok: boolean, started: boolean, reason: string, message?: string,
 *   data?: { hash: string, bytes: number }, text?: string, salt?: string, blobs?: Blob[], gave?: number,
 * }} Did what came of it; reason: one word, for the card; message: for the agent, in English; data names what was read, text and salt are it and stay beside the signed result, until that is acked; gave: how many things, or letters
 * @typedef {{ hash: string, bytes: number, mime: string, name: string, width: number, height: number }} Blob a file that was sent beforehand
 * @typedef {{ needs: import('./phone.js').Needs, start: () => Promise<Did> }} Doing start: begins in the same turn, and never rejects once it began
 *
 * @typedef {{
 *   me: string, gateway: CryptoKey,
 *   sign: (kind: string, body: unknown) => Promise<Signed>,
 *   journal: { rows(): Promise<Row[]>, row(call: string): Promise<Row | undefined>, write(row: Row, was: Row['state'] | undefined): Promise<unknown> },
 *   send: (frame: Record<string, unknown>) => void, epoch: () => number,
 *   recheck: (offer: Offer) => string | null, plan: (action: string, fields: Record<string, any>) => Plan,
 *   stands: (offer: Offer, record: unknown) => boolean, kind: (offer: Offer) => { read: boolean, waits: number },
 *   launch: (plan: Feasible, made: { token?: string, callback?: string, path?: string }) => void, active: () => boolean, beacon: (result: Signed) => void,
 *   sight: () => import('./phone.js').Sight, beckon: (offer: Offer) => Promise<unknown>,
 *   ready: (plan: Here, about: { call: string, agentName: string, upload: string, live: () => boolean }) => Promise<Doing>,
 *   deposit: { callback(call: string, results: Endings): Promise<string>, file(file: import('./uris.js').FileOpen): Promise<string> },
 *   called: (callback: string) => Promise<'waiting' | 'ok' | 'cancel' | 'error'>,
 *   routed: (route: import('./uris.js').Route) => void,
 *   say: (key: string, values?: Record<string, string>) => string,
 *   now: () => Now, wake: (at: number) => void,
 *   changed: (entry: Entry) => void, dropped: (why: unknown) => void,
 * }} Parts everything a host stands on. stands: whether this phone itself finds it allowed without a card; kind: what the contract says of its tool, waits in seconds;
 *   say: sentences in English, for agents; sight: whether somebody can see this page; beckon: brings the person here; ready: makes ready what is done here;
 *   called: what a Shortcut said at its end; routed: a route was started
 */

/** @typedef {import('./uris.js').Torch | import('./uris.js').Device} Here what this page does itself */

/** @param {Plan | null} plan @returns {import('./phone.js').Way | undefined} */
const wayOf = (plan) => (!can(plan) ? undefined : here(plan) ? (plan.do === 'device' && plan.taps ? 'tap' : 'act') : plan.do === 'shortcut' ? 'run' : undefined)

/** Whether a plan can be carried out. @param {Plan | null} plan @returns {plan is Feasible} */
export const can = (plan) => plan !== null && !('reason' in plan)

/** @param {Feasible} plan @returns {plan is Here} */
const here = (plan) => plan.do === 'torch' || plan.do === 'device'

export class Host {
  /** @type {Map<string, Entry>} */ entries = new Map()
  #order = 0
  /** Frames are taken one after the other, in the order they came. */
  #inbox = Promise.resolve()

  /** @param {Parts} parts */
  constructor(parts) {
    this.parts = parts
  }

  /**
   * Takes up what the journal says is owed.
   * @param {string | null} [token] of the launch that failed, where the browser opened its page
   * @returns {Promise<string | null>} the call whose launch that was, for its card
   */
  async restore(token = null) {
    let failed = null
    for (const row of await this.parts.journal.rows()) if (this.#takeUp(row, token)) failed = row.call
    return failed
  }

  /** @param {Row} row @param {string | null} token @returns {boolean} whether the launch of it failed */
  #takeUp(row, token) {
    const { now, plan, say } = this.parts
    const fellBack = token !== null && row.state === 'armed' && row.token === token
    const made = restore({ ...row, leftMs: row.deadline - now().wall, fellBack, called: row.callback !== undefined }, now(), (key) => say(`result.${key}`))
    if (!made) return false
    const offer = fellBack ? /** @type {Offer} */ (/** @type {unknown} */ (parse(row.body))) : null
    this.#add({
      state: made.state, row, kept: row.state, offer, plan: offer && plan(offer.action, offer.fields), prepared: row.prepared, order: this.#order++, done: Promise.resolve(),
    }, made.effects)
    return fellBack
  }

  /** Another window has the link: what is under way here is its business. */
  stop() {
    this.entries.clear()
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
    const standing = offer.verdict === 'allow'
    if (standing && !acts) throw new TypeError('what needs no card is for the phone that acts')
    const plan = acts && refused === null ? parts.plan(offer.action, offer.fields) : null
    const { read, waits } = parts.kind(offer)
    const now = parts.now()
    const way = wayOf(plan)
    const { state, effects } = receive({
      call: offer.call, digest, acts, way, leftMs, standing, read, waitsMs: waits * 1000, picks: can(plan) && plan.do === 'device' && plan.picks, ...this.#hindrance(offer, plan, refused, frame.standing),
    }, now)
    /** @type {Row} */
    const row = { call: offer.call, state: 'received', digest, acts, body, at: now.wall, deadline: now.wall + leftMs, ...(read && { read }) }
    const place = frame.takes ? this.#place(frame.takes) : undefined
    this.#add({ state, row, kept: before?.state, offer, plan, order: place ?? this.#order++, takes: frame.takes, done: Promise.resolve() }, effects)
  }

  /**
   * What is known to be in the way before anything begins.
   * @param {Offer} offer @param {Plan | null} plan @param {string | null} refused @param {unknown} record
   * @returns {{ cannot?: string, why?: string }}
   */
  #hindrance(offer, plan, refused, record) {
    const { say, stands, sight } = this.parts
    if (refused !== null) return { cannot: say('result.refused', { reason: refused }) }
    if (plan && 'reason' in plan) return { cannot: say(plan.reason, plan.values), why: plan.why }
    if (offer.verdict !== 'allow') return {}
    if (!stands(offer, record)) return { cannot: say('result.not_standing') }
    return wayOf(plan) === 'tap' && sight() === 'silent' ? { cannot: say('result.background'), why: 'background' } : {}
  }

  /** The place on the screen of a card that was kept for the same act. @param {string} call */
  #place(call) {
    const kept = this.entries.get(call)
    if (kept?.state.phase !== 'kept') return undefined
    this.entries.delete(call)
    return kept.order
  }

  /** @param {{ call: string, digest: string, decision: Signed, upload?: string }} go */
  #go({ call, digest, decision, upload }) {
    const entry = this.entries.get(call)
    const mine = entry?.row.decision
    if (entry) entry.upload ??= upload
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
      else if (effect.do === 'act') this.#act(entry)
      else if (effect.do === 'beckon') this.parts.beckon(/** @type {Offer} */ (entry.offer)).catch(this.parts.dropped)
      else if (effect.do === 'ask') this.#ask(entry)
      else {
        const prepared = effect.do === 'end' && effect.beacon && effect.as && entry.prepared?.[effect.as]
        if (prepared) this.parts.beacon(prepared)
        entry.done = entry.done.then(() => this.#perform(entry, effect)).catch((e) => this.#failed(entry, effect, e))
      }
    }
  }

  /** @param {Entry} entry */
  #launch({ plan, row, path, state }) {
    if (!can(plan)) return
    try {
      this.parts.launch(plan, { token: row.token, callback: row.callback, path })
    } catch {
      queueMicrotask(() => this.dispatch(state.call, { type: 'threw', message: this.parts.say('result.threw') }))
    }
  }

  /** Begins what this page does, in the turn of the tap that allows it. @param {Entry} entry */
  #act(entry) {
    const { call } = entry.state
    const { parts } = this
    /** @param {Did} did */
    const over = (did) => {
      entry.did = did
      this.dispatch(call, { type: 'acted', ok: did.ok, started: did.started, reason: did.reason, message: did.message ?? '' })
    }
    const doing = /** @type {Doing} */ (entry.doing)
    doing.start().then(over, (e) => {
      parts.dropped(e)
      over({ ok: false, started: false, reason: 'deposit', message: parts.say('result.deposit') })
    })
  }

  /** What a Shortcut called; unheard, the person is asked. @param {Entry} entry */
  async #ask({ row: { call, callback } }) {
    if (callback === undefined) return
    const what = await this.parts.called(callback).catch(() => null)
    if (what) this.dispatch(call, { type: 'called', what })
  }

  /** Signs what a launch cannot wait for, and deposits what it needs. @param {Entry} entry */
  async #prepare(entry) {
    const { deposit, say } = this.parts
    const { plan, offer, upload = '', state: { call } } = entry
    if (!can(plan)) return
    if (here(plan)) {
      entry.doing = await this.parts.ready(plan, { call, agentName: String(offer?.agent_name), upload, live: () => this.entries.get(call) === entry && entry.state.phase === 'acting' })
      return
    }
    entry.prepared = { opened: await this.#result(entry, { status: 'opened', started: true }) }
    if (plan.do === 'file') entry.path = await deposit.file(plan)
    if (plan.do !== 'shortcut') return
    const ended = (/** @type {string} */ status, /** @type {string} */ key) => this.#result(entry, { status, started: true, message: key && say(key) })
    const [ok, cancel, error] = await Promise.all([ended('done', ''), ended('failed', 'result.cancel'), ended('failed', 'result.error')])
    const prepared = { ok, cancel, error }
    await this.#write(entry, { callback: await deposit.callback(call, prepared), prepared })
    Object.assign(entry.prepared, prepared)
  }

  /** @param {Entry} entry @param {Effect} effect */
  async #perform(entry, effect) {
    const { parts } = this
    const { call, digest } = entry.state
    if (this.entries.get(call) !== entry) return
    switch (effect.do) {
      case 'journal':
        if (effect.state === 'acked') {
          entry.did &&= { ...entry.did, text: undefined, salt: undefined }
          return this.#write(entry, { state: 'acked', payload: undefined })
        }
        return this.#write(entry, { state: effect.state, ...(effect.state === 'armed' && entry.plan && 'intent' in entry.plan && { token: token() }) })
      case 'send':
        return parts.send({ kind: effect.kind, call, epoch: parts.epoch() })
      case 'decide': {
        const { choice, reason } = effect
        const basis = choice === 'standing' && { basis: 'spec' }
        const decision = await parts.sign('decision', { call, digest, phone: parts.me, choice, ...basis, assurance: 'web', ...(reason && { reason }) })
        await this.#write(entry, { state: 'decided', choice, decision })
        return parts.send({ ...decision, epoch: parts.epoch() })
      }
      case 'resend':
        if (effect.what === 'result') return entry.row.result && parts.send({ ...entry.row.result, ...entry.row.payload })
        return entry.row.decision && parts.send({ ...entry.row.decision, epoch: parts.epoch() })
      case 'prepare':
        await this.#prepare(entry)
        return this.dispatch(call, { type: 'ready', active: parts.active(), needs: entry.doing?.needs, sight: parts.sight() })
      case 'end': {
        const prepared = effect.as && entry.prepared?.[effect.as]
        const result = prepared ?? (await this.#result(entry, effect))
        const { text, salt } = entry.did ?? {}
        const payload = effect.status === 'done' && text !== undefined && salt !== undefined ? { text, salt } : undefined
        // A result that the disk refuses is told all the same: it is true.
        await this.#write(entry, { state: 'ended', result, ...(payload && { payload }) }).catch((e) => {
          if (e instanceof Overtaken) throw e
          parts.dropped(e)
        })
        if (effect.beacon && !prepared) parts.beacon(result)
        if (effect.status === 'opened') this.#routed(entry)
        return parts.send({ ...result, ...payload })
      }
    }
  }

  /** @param {Entry} entry @param {{ status: string, started: boolean, message?: string, why?: string }} end */
  #result(entry, { status, started, message, why }) {
    const { call, digest } = entry.state
    const { data, blobs } = (status === 'done' && entry.did) || {}
    const opened = status === 'opened' && can(entry.plan) ? entry.plan : undefined
    const note = opened?.note && this.parts.say(opened.note)
    const app = opened?.app && this.parts.say(opened.app)
    const said = message ?? note
    return this.parts.sign('result', {
      call, digest, phone: this.parts.me, status, started, ...(said && { message: said }), ...(app && { app }), ...(why && { why }), ...(data && { data }), ...(blobs && { blobs }),
    })
  }

  /** @param {Entry} entry */
  #routed({ offer, plan }) {
    const to = offer?.fields.destination
    if (to && can(plan) && plan.app) this.parts.routed({ app: plan.app, destination: to.name ?? to.query ?? `${to.lat},${to.lon}`, at: this.parts.now().wall })
  }

  /** @param {Entry} entry @param {Partial<Row>} change */
  async #write(entry, change) {
    const row = { ...entry.row, ...change }
    await this.parts.journal.write(row, entry.kept)
    entry.row = row
    entry.kept = row.state
  }

  /**
   * The person does it once more, after it failed or nobody knows: their own act,
   * in the journal, and nothing an agent hears of.
   * @param {string} call @param {string} [url] another way to open it
   */
  again(call, url) {
    const entry = this.entries.get(call)
    const { plan, row } = entry ?? { plan: null }
    const ending = entry?.state.ending
    if (!entry || !can(plan) || plan.do === 'device' || (ending?.kind !== 'failed' && ending?.kind !== 'unknown')) return
    const { ready, deposit, launch, now, changed, dropped } = this.parts
    const at = now().wall
    entry.done = entry.done.then(() => this.#write(entry, { again: [...(entry.row.again ?? []), at] })).catch(dropped)
    /** @param {Partial<import('./phone.js').Ending>} [more] */
    const did = (more = { again: true }) => {
      entry.state = { ...entry.state, ending: { ...ending, ...more } }
      changed(entry)
    }
    if (plan.do === 'torch') {
      return void ready(plan, { call, agentName: '', upload: '', live: () => true }).then(({ start }) => start()).then(({ ok, reason }) => did(ok ? undefined : { reason })).catch(dropped)
    }
    if (plan.do === 'file') return void deposit.file(plan).then((path) => {
      launch(plan, { path })
      did()
    }).catch(dropped)
    launch(url ? { do: 'open', url, how: 'window', app: plan.app } : plan, url ? {} : { token: row?.token })
    did()
  }

  /** Forgets a call that is over here and owes nothing. @param {string} call */
  forget(call) {
    const state = this.entries.get(call)?.state
    if (state && (state.phase === 'closed' || state.acked)) this.entries.delete(call)
  }

  /**
   * The disk refused, or the key: what was to follow does not. An offer that
   * could not be journaled is not taken; a call that was about to be armed, or
   * whose launch could not be made ready, was not started, and says so.
   * @param {Entry} entry @param {Effect} effect @param {unknown} error
   */
  #failed(entry, effect, error) {
    if (error instanceof Overtaken) return this.#overtaken(entry)
    if (effect.do === 'prepare') return this.dispatch(entry.state.call, { type: 'disarm', reason: 'deposit' })
    this.parts.dropped(error)
    if (effect.do === 'journal' && effect.state === 'received') this.entries.delete(entry.state.call)
    if (effect.do === 'journal' && effect.state === 'armed') this.dispatch(entry.state.call, { type: 'disarm', reason: 'journal' })
  }

  /** What the other window made of the call counts; what it left undone when this one took over is taken up. @param {Entry} entry */
  async #overtaken(entry) {
    const { call, restored } = entry.state
    this.entries.delete(call)
    const row = restored && (await this.parts.journal.row(call))
    if (row) this.#takeUp(row, null)
    this.parts.changed(entry)
  }
}

/** @param {{ kind: string, [key: string]: any }} frame @returns {Signed} */
const signedOf = ({ kind, body, sig }) => ({ kind, body, sig })

/** One that nobody guesses. */
const token = () => encode64(crypto.getRandomValues(new Uint8Array(16)))
