// The life of one call on this phone, as a pure machine: (state, event, now) ->
// (state, effects). It reads no clock and does nothing; host.js carries out the
// effects, in order, and what must last is journaled before what follows it.
//
// The rules it keeps: one decision per call. Nothing is carried out without the
// gateway's go for exactly the offer that was confirmed, within ten seconds by
// both clocks. Nothing is started twice: armed is journaled before the launch,
// and armed without an end is unknown for ever. No evidence is never "failed"
// and never "opened". After a launch only the browser itself, by the page that it
// opens instead, can say that nothing was started. A read does nothing but give
// something out, which its signed result does: without one nothing was read out,
// and it never ends unknown.

/**
 * @typedef {{ mono: number, wall: number }} Now ms: a clock that never jumps, and the date
 *
 * @typedef {'open' | 'run' | 'act' | 'tap'} Way how it is carried out: another app is opened, a Shortcut runs, this page does it,
 *   this page does it and the browser wants a tap for that
 * @typedef {'nothing' | 'sight' | 'tap'} Needs what the browser wants before this page may do it: that it is in front, or a tap of the moment
 * @typedef {'seen' | 'rings' | 'silent'} Sight whether nod is in front; behind, whether a notification can bring it there
 * @typedef {'confirm' | 'decline' | 'standing'} Choice standing: decided here without a card
 *
 * @typedef {'waiting' | 'kept' | 'declining' | 'confirmed' | 'arming' | 'button' | 'launched' | 'acting' | 'away' | 'asking' | 'ended' | 'closed'} Phase
 *   waiting    the card can be answered
 *   kept       the agent's connection dropped; the card keeps its place with Confirm off
 *   declining  the no is sent until it is acked
 *   confirmed  the yes is sent; go is due
 *   arming     go came; armed is being written, and what the launch needs is made ready
 *   button     armed; one button launches, or begins what this page does
 *   launched   launched; a sign of it is due
 *   acting     this page does it itself
 *   away       a Shortcut runs out of sight; the address that it calls at its end decides
 *   asking     no sign came; the person is asked
 *   ended      the result is sent until it is acked
 *   closed     over; nothing is owed to anybody
 *
 * @typedef {{
 *   kind: 'done' | 'opened' | 'failed' | 'unknown' | 'declined' | 'expired' | 'withdrawn' | 'answered' | 'handed',
 *   reason?: string, message?: string, why?: string, started?: boolean, by?: string, again?: boolean,
 * }} Ending what the card says at the end; reason: why, in one word; message: the same for the agent, in English; why: where the contract has a word for it;
 *   again: the person did it once more
 *
 * @typedef {{
 *   call: string, digest: string, acts: boolean, way: Way, phase: Phase, until: number | null,
 *   deadline: number, tapped: Now | null, choice?: Choice, said?: string, go?: boolean, read?: boolean, picks?: boolean, waitsMs?: number, limit?: number,
 *   ending?: Ending, acked?: boolean, restored?: boolean,
 * }} State until: when the phase ends by itself (mono); null when it does not; said: the reason of a no, in the person's words; read: nothing is done but to give something out;
 *   picks: the person chooses in a picker of the system's; waitsMs: how long they may take once it was decided; limit: when what this page does must be over (mono); restored: by a restart, which launches nothing
 *
 * @typedef {{ do: 'journal', state: 'received' | 'decided' | 'armed' | 'disarmed' | 'acked' }
 *   | { do: 'send', kind: 'delivered' | 'shown' }
 *   | { do: 'decide', choice: Choice, reason?: string }
 *   | { do: 'resend', what: 'decision' | 'result' }
 *   | { do: 'prepare' }
 *   | { do: 'launch' } | { do: 'act' } | { do: 'ask' } | { do: 'beckon' }
 *   | { do: 'end', status: 'done' | 'opened' | 'failed' | 'unknown', started: boolean, message?: string, why?: string, beacon?: boolean, as?: Prepared }
 *   } Effect
 *   prepare: sign, deposit and load beforehand, then say `ready`. launch: at once, in the same turn.
 *   act: do it here, begun in the same turn, then say `acted`. ask: what the Shortcut called, then say `called`.
 *   beckon: show a notification that brings the person here.
 *   end: sign, unless it was as one of those prepared; journal ended, send; by beacon too.
 *
 * @typedef {'opened' | 'ok' | 'cancel' | 'error'} Prepared results that are signed before the launch
 *
 * @typedef {{ type: 'shown' }
 *   | { type: 'renewed', leftMs: number }
 *   | { type: 'tap', choice: 'confirm' | 'decline', reason?: string }
 *   | { type: 'go', digest: string, mine: boolean }
 *   | { type: 'ready', active: boolean, needs?: Needs, sight?: Sight }
 *   | { type: 'press' } | { type: 'leave' } | { type: 'threw', message: string } | { type: 'hidden' } | { type: 'visible' }
 *   | { type: 'acted', ok: boolean, started: boolean, reason: string, message: string } | { type: 'left' }
 *   | { type: 'called', what: 'waiting' | 'ok' | 'cancel' | 'error' }
 *   | { type: 'answer', yes: boolean }
 *   | { type: 'disarm', reason: string }
 *   | { type: 'withdraw', reason: string, keepMs?: number, by?: string }
 *   | { type: 'ack', of: string }
 *   | { type: 'connected', open: boolean }
 *   | { type: 'tick' }} Event
 *
 * @typedef {{ state: State, effects: Effect[] }} Step
 *
 * @typedef {(key: 'no_go' | 'disarmed' | 'deposit' | 'unused' | 'not_opened' | 'not_run' | 'cancel' | 'error' | 'fallback' | 'nobody_answered' | 'background' | 'not_picked' | 'left' | 'cut_off') => string} Say
 *   the sentences an agent is told, in English
 */

export const GO_MS = 10_000
export const BUTTON_MS = 60_000
export const SIGN_MS = 3_000
export const QUESTION_MS = 20_000
// Inside the 90 s that the gateway gives a browser beside what the tool itself
// waits; the person may be asked for the camera meanwhile.
export const ACT_MS = 85_000

/** The contract's words for what was in the way; other reasons are this phone's own. */
const WHYS = ['not_allowed', 'nobody_answered', 'background', 'not_picked', 'locked', 'no_such_time', 'two_such_times', 'not_found', 'more_than_one']

/**
 * A checked offer arrives.
 * @param {{ call: string, digest: string, acts: boolean, way?: Way, leftMs: number, cannot?: string, why?: string, standing?: boolean, read?: boolean, picks?: boolean, waitsMs?: number }} offer
 *   cannot: why this phone cannot carry it out, in English, where that is known beforehand; standing: it is decided here, without a card
 * @param {Now} now
 * @returns {Step}
 */
export function receive(offer, now) {
  const deadline = now.mono + offer.leftMs
  /** @type {State} */
  const state = {
    call: offer.call, digest: offer.digest, acts: offer.acts, way: offer.way ?? 'open', phase: 'waiting', until: deadline, deadline, tapped: null,
    read: offer.read, picks: offer.picks, waitsMs: offer.waitsMs,
  }
  /** @type {Effect[]} */
  const effects = [{ do: 'journal', state: 'received' }, { do: 'send', kind: 'delivered' }]
  if (offer.cannot !== undefined) return end(state, { kind: 'failed', started: false, message: offer.cannot, why: offer.why }, { before: effects })
  if (!offer.standing) return { state, effects }
  return still({ ...state, phase: 'confirmed', choice: 'standing', tapped: now, until: now.mono + GO_MS }, ...effects, { do: 'decide', choice: 'standing' })
}

/**
 * What a restart makes of a call that the journal holds.
 * @param {{
 *   call: string, digest: string, acts: boolean, state: string, choice?: Choice, leftMs: number, fellBack?: boolean, called?: boolean, read?: boolean,
 * }} row fellBack: the browser opened the page that stands for a failed launch of it; called: a Shortcut may have called its end
 * @param {Now} now
 * @param {Say} say
 * @returns {Step | null} null when nothing is owed
 */
export function restore(row, now, say) {
  /** @type {State} */
  const state = {
    call: row.call, digest: row.digest, acts: row.acts, way: row.called ? 'run' : 'open', phase: 'closed', until: null,
    deadline: now.mono + row.leftMs, tapped: null, choice: row.choice, read: row.read, restored: true,
  }
  switch (row.state) {
    case 'decided':
      if (row.choice === 'decline') return row.leftMs > 0 ? still({ ...state, phase: 'declining', until: state.deadline }) : null
      return row.acts ? end(state, failed('no_go', say)) : null
    case 'disarmed':
      return end(state, failed('no_go', say))
    case 'armed':
      if (row.read) return end(state, failed('cut_off', say))
      if (row.fellBack) return end(state, failed('fallback', say), { beacon: true })
      return row.called ? still({ ...state, phase: 'away' }) : end(state, { kind: 'unknown', started: true })
    case 'ended':
      return still({ ...state, phase: 'ended' })
  }
  return null
}

/**
 * @param {State} state
 * @param {Event} event
 * @param {Now} now
 * @param {Say} say
 * @returns {Step}
 */
export function step(state, event, now, say) {
  switch (event.type) {
    case 'shown':
      return state.phase === 'waiting' ? still(state, { do: 'send', kind: 'shown' }) : still(state)
    case 'renewed':
      return renewed(state, event.leftMs, now)
    case 'tap':
      return tap(state, event, now)
    case 'go':
      return go(state, event, now, say)
    case 'ready':
      return ready(state, event, now, say)
    case 'press':
      if (state.phase !== 'button') return still(state)
      return now.mono < Number(state.until) ? begin(state, now) : timeUp(state, now, say)
    case 'leave':
      return leave(state, say)
    case 'threw': // the call that launches failed in the same turn: nothing was started
      return state.phase === 'launched' ? disarm(state, 'threw', event.message) : still(state)
    case 'hidden':
      return hidden(state)
    case 'visible':
      return state.phase === 'away' && !state.restored ? still({ ...state, until: now.mono + SIGN_MS }, { do: 'ask' }) : still(state)
    case 'acted':
      return acted(state, event)
    case 'left':
      return left(state)
    case 'called':
      return called(state, event.what, say)
    case 'answer':
      return answer(state, event.yes, say)
    case 'disarm':
      return disarmed(state, event.reason, say)
    case 'withdraw':
      return withdraw(state, event, now, say)
    case 'ack':
      return ack(state, event.of)
    case 'connected':
      return connected(state, event.open, now)
    case 'tick':
      return state.until !== null && now.mono >= state.until ? timeUp(state, now, say) : still(state)
  }
}

/** @param {State} state @param {...Effect} effects @returns {Step} */
function still(state, ...effects) {
  return { state, effects }
}

/** @param {State} state @param {Ending} ending @returns {Step} */
function close(state, ending) {
  return still({ ...state, phase: 'closed', until: null, ending })
}

/** @param {State} state @param {Ending} ending @param {{ before?: Effect[], beacon?: boolean, as?: Prepared }} [more] @returns {Step} */
function end(state, ending, { before = [], ...more } = {}) {
  const { kind, started = false, message, why } = ending
  return {
    state: { ...state, phase: 'ended', until: null, ending },
    effects: [...before, { do: 'end', status: /** @type {'done' | 'opened' | 'failed' | 'unknown'} */ (kind), started, message, ...(why && { why }), ...more }],
  }
}

/**
 * @template {string} K
 * @param {K} reason @param {(key: K) => string} say @param {boolean} [started]
 * @returns {Ending}
 */
const failed = (reason, say, started = false) => ({ kind: 'failed', started, reason, message: say(reason), why: whyOf(reason) })

/** @param {string} reason */
const whyOf = (reason) => (WHYS.includes(reason) ? reason : undefined)

/** The same offer again, after a reconnect. @param {State} state @param {number} leftMs @param {Now} now @returns {Step} */
function renewed(state, leftMs, now) {
  const deadline = now.mono + leftMs
  if (state.phase === 'waiting' || state.phase === 'kept') {
    return still({ ...state, phase: 'waiting', deadline, until: deadline }, { do: 'send', kind: 'delivered' })
  }
  return still(state.phase === 'declining' ? { ...state, deadline, until: deadline } : state)
}

/** @param {State} state @param {{ choice: 'confirm' | 'decline', reason?: string }} tap @param {Now} now @returns {Step} */
function tap(state, { choice, reason }, now) {
  if (state.phase !== 'waiting' || now.mono >= state.deadline) return still(state)
  const phase = choice === 'confirm' ? 'confirmed' : 'declining'
  const until = choice === 'confirm' ? now.mono + GO_MS : state.deadline
  return still(
    { ...state, phase, choice, tapped: now, until, ...(reason && { said: reason }) },
    { do: 'decide', choice, ...(reason && { reason }) },
  )
}

/** @param {State} state @param {{ digest: string, mine: boolean }} go @param {Now} now @param {Say} say @returns {Step} */
function go(state, { digest, mine }, now, say) {
  if (state.phase !== 'confirmed' || !state.acts || digest !== state.digest || !mine) return still(state)
  if (late(state, now)) return end(state, failed('no_go', say))
  return still({ ...state, phase: 'arming', until: null, go: true }, { do: 'journal', state: 'armed' }, { do: 'prepare' })
}

/**
 * More than ten seconds since the tap by either clock: a clock that stood still
 * while the phone slept, and one that was set, are both caught.
 * @param {State} state @param {Now} now
 */
function late(state, now) {
  const { tapped } = state
  return !tapped || now.mono - tapped.mono > GO_MS || Math.abs(now.wall - tapped.wall) > GO_MS
}

/** @param {State} state @param {{ active: boolean, needs?: Needs, sight?: Sight }} event @param {Now} now @param {Say} say @returns {Step} */
function ready(state, { active, needs = 'nothing', sight = 'seen' }, now, say) {
  if (state.phase !== 'arming') return still(state)
  const { waitsMs = 0 } = state
  if (!here(state)) return active ? begin(state, now) : still({ ...state, phase: 'button', until: now.mono + BUTTON_MS })
  const armed = { ...state, limit: now.mono + waitsMs + ACT_MS }
  // A tap meant for something else on the page opens no picker.
  const tapped = active && state.choice === 'confirm'
  if (needs === 'nothing' || (sight === 'seen' && (needs === 'sight' || tapped))) return begin(armed, now)
  if (sight === 'silent') return disarm(armed, 'background', say('background'))
  return still({ ...armed, phase: 'button', until: now.mono + (waitsMs || BUTTON_MS) }, ...(sight === 'rings' ? [/** @type {Effect} */ ({ do: 'beckon' })] : []))
}

/** Whether this page does it itself. @param {State} state */
const here = ({ way }) => way === 'act' || way === 'tap'

/** Launches, or begins what this page does. @param {State} state @param {Now} now @returns {Step} */
function begin(state, now) {
  if (here(state)) return still({ ...state, phase: 'acting', until: state.limit ?? null }, { do: 'act' })
  return still({ ...state, phase: 'launched', until: now.mono + SIGN_MS }, { do: 'launch' })
}

/** The person would rather not, which is told at once. @param {State} state @param {Say} say @returns {Step} */
function leave(state, say) {
  if (state.phase !== 'button' || !here(state)) return still(state)
  const reason = state.picks ? 'not_picked' : 'left'
  return disarm(state, reason, say(reason))
}

/** Another app is in front. For a Shortcut that is no end yet. @param {State} state @returns {Step} */
function hidden(state) {
  if (state.way === 'run') return running(state) ? still({ ...state, phase: 'away', until: null }) : still(state)
  return state.phase === 'launched' ? end(state, { kind: 'opened', started: true }, { beacon: true, as: 'opened' }) : still(state)
}

/** Whether a Shortcut was launched and its end is not known. @param {State} state */
const running = ({ way, phase }) => way === 'run' && (phase === 'launched' || phase === 'away' || phase === 'asking')

/** Whether somebody else than the Shortcut told its end: what it called before is what counts. @param {State} state */
const told = ({ way, ending, restored }) => way === 'run' && ending?.started === true && !restored && !['ran', 'cancel', 'error'].includes(String(ending.reason))

/** @param {State} state @param {{ ok: boolean, started: boolean, reason: string, message: string }} event @returns {Step} */
function acted(state, { ok, started, reason, message }) {
  if (state.phase !== 'acting') return still(state)
  return end(state, { kind: ok ? 'done' : 'failed', started: ok || (started && !state.read), reason, message, ...(!ok && { why: whyOf(reason) }) })
}

/** What was done here lasted as long as nod was in front. @param {State} state @returns {Step} */
function left(state) {
  return state.phase === 'ended' && state.ending?.reason === 'torch_on' ? still({ ...state, ending: { ...state.ending, reason: 'torch_left' } }) : still(state)
}

/** @param {State} state @param {'waiting' | 'ok' | 'cancel' | 'error'} what @param {Say} say @returns {Step} */
function called(state, what, say) {
  const late = state.phase === 'ended' && state.acked && told(state)
  if (!late && !running(state)) return still(state)
  if (what === 'waiting') return state.restored ? end(state, { kind: 'unknown', started: true }) : still(state)
  /** @type {Ending} */
  const ending = what === 'ok' ? { kind: 'done', started: true, reason: 'ran' } : failed(what, say, true)
  return late ? still({ ...state, ending }) : end(state, ending, { as: what })
}

/** @param {State} state @param {boolean} yes @param {Say} say @returns {Step} */
function answer(state, yes, say) {
  if (state.phase !== 'asking') return still(state)
  return yes ? end(state, { kind: 'opened', started: true }, { as: 'opened' }) : end(state, failed(state.way === 'run' ? 'not_run' : 'not_opened', say, true))
}

/** Provably never launched. @param {State} state @param {string} reason @param {string} message @returns {Step} */
function disarm(state, reason, message) {
  return end(state, { kind: 'failed', started: false, reason, message, why: whyOf(reason) }, { before: [{ do: 'journal', state: 'disarmed' }] })
}

/** What this phone says to itself where it could not make ready. */
const OWN = ['deposit', 'journal']

/**
 * What was read meanwhile stays here: a read that is stopped was taken back, and
 * so was one whose result was on its way.
 * @param {State} state @param {string} why @param {Say} say @returns {Step}
 */
function disarmed(state, why, say) {
  const reason = why === 'deposit' ? why : 'disarmed'
  const stopped = state.read && !OWN.includes(why) ? endingOf(why) : undefined
  if (stopped && state.phase === 'ended' && !state.acked && state.ending?.kind === 'done') return still({ ...state, ending: stopped })
  if (state.phase === 'arming' || state.phase === 'button' || (state.read && state.phase === 'acting')) {
    const { state: over, effects } = disarm(state, reason, say(reason))
    return { state: { ...over, ending: stopped ?? over.ending }, effects }
  }
  return state.phase === 'confirmed' ? end(state, failed('disarmed', say)) : still(state)
}

/** @param {State} state @param {{ reason: string, keepMs?: number, by?: string }} event @param {Now} now @param {Say} say @returns {Step} */
function withdraw(state, { reason, keepMs = 0, by }, now, say) {
  if (state.read && state.go && reason !== 'answered') return disarmed(state, reason, say)
  switch (state.phase) {
    case 'waiting':
      if (keepMs > 0) return still({ ...state, phase: 'kept', until: now.mono + keepMs })
      return close(state, endingOf(reason, by))
    case 'kept':
    case 'confirmed': // the tap lost the race: no go will come
      return close(state, endingOf(reason, by))
    case 'declining': // over: this no was the end of it
      if (reason === 'answered') return close(state, endingOf(reason, by))
      return close(state, reason === 'over' ? no(state) : { kind: 'declined', reason: 'untold' })
  }
  return still(state)
}

/** A no that was passed on, with its reason. @param {State} state @returns {Ending} */
const no = ({ said }) => ({ kind: 'declined', ...(said && { message: said }) })

/** @param {string} reason @param {string} [by] @returns {Ending} */
function endingOf(reason, by) {
  if (reason === 'answered') return { kind: 'answered', by }
  if (reason === 'expired') return { kind: 'expired' }
  return { kind: 'withdrawn', reason }
}

/** @param {State} state @param {string} of @returns {Step} */
function ack(state, of) {
  if (of === 'result' && running(state)) return still(state, { do: 'ask' }) // the Shortcut called
  if (of === 'result' && state.phase === 'ended' && !state.acked) {
    return still({ ...state, acked: true }, { do: 'journal', state: 'acked' }, ...(told(state) ? [/** @type {Effect} */ ({ do: 'ask' })] : []))
  }
  if (of !== 'decision') return still(state)
  if (state.phase === 'declining') return still({ ...state, phase: 'closed', until: null, ending: no(state) }, { do: 'journal', state: 'acked' })
  if (state.phase === 'confirmed' && !state.acts) return close(state, { kind: 'handed' })
  return still(state)
}

/** A new connection. @param {State} state @param {boolean} open whether the gateway still has the call open @param {Now} now @returns {Step} */
function connected(state, open, now) {
  if (running(state)) return still(state, { do: 'ask' })
  switch (state.phase) {
    case 'waiting':
      return open ? still(state) : close(state, { kind: 'withdrawn', reason: 'over' })
    case 'declining':
      return still(state, { do: 'resend', what: 'decision' })
    case 'confirmed':
      return late(state, now) ? still(state) : still(state, { do: 'resend', what: 'decision' })
    case 'ended':
      return state.acked ? still(state) : still(state, { do: 'resend', what: 'result' })
  }
  return still(state)
}

/** @param {State} state @param {Now} now @param {Say} say @returns {Step} */
function timeUp(state, now, say) {
  switch (state.phase) {
    case 'waiting':
      return close(state, { kind: 'expired' })
    case 'kept':
      return close(state, { kind: 'withdrawn', reason: 'gone' })
    case 'declining':
      return close(state, { kind: 'declined', reason: 'untold' })
    case 'confirmed':
      if (!state.acts) return close(state, { kind: 'handed' })
      return end(state, failed('no_go', say))
    case 'button':
      return here(state) ? disarm(state, 'nobody_answered', say('nobody_answered')) : disarm(state, 'unused', say('unused'))
    case 'launched':
    case 'away':
      return still({ ...state, phase: 'asking', until: now.mono + QUESTION_MS }, ...(state.way === 'run' ? [/** @type {Effect} */ ({ do: 'ask' })] : []))
    case 'acting':
    case 'asking':
      return end(state, state.read ? failed('nobody_answered', say) : { kind: 'unknown', started: true })
  }
  return still(state)
}
