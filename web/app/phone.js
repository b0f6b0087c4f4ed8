// The life of one call on this phone, as a pure machine: (state, event, now) ->
// (state, effects). It reads no clock and does nothing; host.js carries out the
// effects, in order, and what must last is journaled before what follows it.
//
// The rules it keeps: one decision per call. Nothing is carried out without the
// gateway's go for exactly the offer that was confirmed, within ten seconds by
// both clocks. Nothing is started twice: armed is journaled before the launch,
// and armed without an end is unknown for ever. No evidence is never "failed"
// and never "opened".

/**
 * @typedef {{ mono: number, wall: number }} Now ms: a clock that never jumps, and the date
 *
 * @typedef {'waiting' | 'kept' | 'declining' | 'confirmed' | 'arming' | 'button' | 'launched' | 'asking' | 'ended' | 'closed'} Phase
 *   waiting    the card can be answered
 *   kept       the agent's connection dropped; the card keeps its place with Confirm off
 *   declining  the no is sent until it is acked
 *   confirmed  the yes is sent; go is due
 *   arming     go came; armed is being written
 *   button     armed; one button launches
 *   launched   launched; a sign of it is due
 *   asking     no sign came; the person is asked
 *   ended      the result is sent until it is acked
 *   closed     over; nothing is owed to anybody
 *
 * @typedef {{
 *   kind: 'opened' | 'failed' | 'unknown' | 'declined' | 'expired' | 'withdrawn' | 'answered' | 'handed',
 *   reason?: string, message?: string, started?: boolean, by?: string,
 * }} Ending what the card says at the end; reason: why, in one word; message: the same for the agent, in English
 *
 * @typedef {{
 *   call: string, digest: string, acts: boolean, phase: Phase, until: number | null,
 *   deadline: number, tapped: Now | null, choice?: 'confirm' | 'decline', go?: boolean,
 *   ending?: Ending, acked?: boolean,
 * }} State until: when the phase ends by itself (mono); null when it does not
 *
 * @typedef {{ do: 'journal', state: 'received' | 'decided' | 'armed' | 'disarmed' | 'acked' }
 *   | { do: 'send', kind: 'delivered' | 'shown' }
 *   | { do: 'decide', choice: 'confirm' | 'decline', reason?: string }
 *   | { do: 'resend', what: 'decision' | 'result' }
 *   | { do: 'prepare' }
 *   | { do: 'launch' }
 *   | { do: 'end', status: 'opened' | 'failed' | 'unknown', started: boolean, message?: string, beacon?: boolean }
 *   } Effect
 *   prepare: sign "opened" beforehand, then say `ready`. launch: at once, in the same turn.
 *   end: sign, journal ended, send.
 *
 * @typedef {{ type: 'shown' }
 *   | { type: 'renewed', leftMs: number }
 *   | { type: 'tap', choice: 'confirm' | 'decline', reason?: string }
 *   | { type: 'go', digest: string, mine: boolean }
 *   | { type: 'ready', active: boolean }
 *   | { type: 'press' } | { type: 'threw', message: string } | { type: 'hidden' }
 *   | { type: 'answer', yes: boolean }
 *   | { type: 'disarm', reason: string }
 *   | { type: 'withdraw', reason: string, keepMs?: number, by?: string }
 *   | { type: 'ack', of: string }
 *   | { type: 'connected', open: boolean }
 *   | { type: 'tick' }} Event
 *
 * @typedef {{ state: State, effects: Effect[] }} Step
 */

export const GO_MS = 10_000
export const BUTTON_MS = 60_000
export const SIGN_MS = 3_000
export const QUESTION_MS = 20_000

/**
 * A checked offer arrives.
 * @param {{ call: string, digest: string, acts: boolean, leftMs: number, cannot?: string }} offer
 *   cannot: why this phone cannot carry it out, in English, where that is known beforehand
 * @param {Now} now
 * @returns {Step}
 */
export function receive(offer, now) {
  const deadline = now.mono + offer.leftMs
  /** @type {State} */
  const state = { call: offer.call, digest: offer.digest, acts: offer.acts, phase: 'waiting', until: deadline, deadline, tapped: null }
  /** @type {Effect[]} */
  const effects = [{ do: 'journal', state: 'received' }, { do: 'send', kind: 'delivered' }]
  if (offer.cannot === undefined) return { state, effects }
  return end(state, { kind: 'failed', started: false, message: offer.cannot }, effects)
}

/**
 * What a restart makes of a call that the journal holds.
 * @param {{ call: string, digest: string, acts: boolean, state: string, choice?: 'confirm' | 'decline', leftMs: number, noGo: string }} row
 *   noGo: the sentence for a yes whose go never came
 * @param {Now} now
 * @returns {Step | null} null when nothing is owed
 */
export function restore(row, now) {
  /** @type {State} */
  const state = {
    call: row.call, digest: row.digest, acts: row.acts, phase: 'closed', until: null, deadline: now.mono + row.leftMs, tapped: null, choice: row.choice,
  }
  switch (row.state) {
    case 'decided':
      if (row.choice === 'decline') return row.leftMs > 0 ? still({ ...state, phase: 'declining', until: state.deadline }) : null
      return row.acts ? end(state, { kind: 'failed', started: false, reason: 'no_go', message: row.noGo }) : null
    case 'disarmed':
      return end(state, { kind: 'failed', started: false, reason: 'no_go', message: row.noGo })
    case 'armed':
      return end(state, { kind: 'unknown', started: true })
    case 'ended':
      return still({ ...state, phase: 'ended' })
  }
  return null
}

/**
 * @param {State} state
 * @param {Event} event
 * @param {Now} now
 * @param {(key: 'no_go' | 'disarmed' | 'unused' | 'not_opened') => string} say the sentences an agent is told, in English
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
      return ready(state, event.active, now)
    case 'press':
      if (state.phase !== 'button') return still(state)
      return now.mono < Number(state.until) ? launch(state, now) : timeUp(state, now, say)
    case 'threw': // the call that launches failed in the same turn: nothing was started
      return state.phase === 'launched' ? disarm(state, 'threw', event.message) : still(state)
    case 'hidden':
      return state.phase === 'launched' ? end(state, { kind: 'opened', started: true }, [], true) : still(state)
    case 'answer':
      return answer(state, event.yes, say)
    case 'disarm':
      return disarmed(state, say)
    case 'withdraw':
      return withdraw(state, event, now)
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

/** @param {State} state @param {Ending} ending @param {Effect[]} [before] @param {boolean} [beacon] @returns {Step} */
function end(state, ending, before = [], beacon = false) {
  const { kind, started = false, message } = ending
  return {
    state: { ...state, phase: 'ended', until: null, ending },
    effects: [...before, { do: 'end', status: /** @type {'opened' | 'failed' | 'unknown'} */ (kind), started, message, ...(beacon && { beacon }) }],
  }
}

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
    { ...state, phase, choice, tapped: now, until },
    { do: 'decide', choice, ...(reason && { reason }) },
  )
}

/** @param {State} state @param {{ digest: string, mine: boolean }} go @param {Now} now @param {(key: 'no_go') => string} say @returns {Step} */
function go(state, { digest, mine }, now, say) {
  if (state.phase !== 'confirmed' || !state.acts || digest !== state.digest || !mine) return still(state)
  if (late(state, now)) return end(state, { kind: 'failed', started: false, reason: 'no_go', message: say('no_go') })
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

/** @param {State} state @param {boolean} active @param {Now} now @returns {Step} */
function ready(state, active, now) {
  if (state.phase !== 'arming') return still(state)
  return active ? launch(state, now) : still({ ...state, phase: 'button', until: now.mono + BUTTON_MS })
}

/** @param {State} state @param {Now} now @returns {Step} */
function launch(state, now) {
  return still({ ...state, phase: 'launched', until: now.mono + SIGN_MS }, { do: 'launch' })
}

/** @param {State} state @param {boolean} yes @param {(key: 'not_opened') => string} say @returns {Step} */
function answer(state, yes, say) {
  if (state.phase !== 'asking') return still(state)
  return yes ? end(state, { kind: 'opened', started: true }) : end(state, { kind: 'failed', started: true, reason: 'not_opened', message: say('not_opened') })
}

/** Provably never launched. @param {State} state @param {string} reason @param {string} message @returns {Step} */
function disarm(state, reason, message) {
  return end(state, { kind: 'failed', started: false, reason, message }, [{ do: 'journal', state: 'disarmed' }])
}

/** @param {State} state @param {(key: 'disarmed') => string} say @returns {Step} */
function disarmed(state, say) {
  if (state.phase === 'arming' || state.phase === 'button') return disarm(state, 'disarmed', say('disarmed'))
  if (state.phase === 'confirmed') return end(state, { kind: 'failed', started: false, reason: 'disarmed', message: say('disarmed') })
  return still(state)
}

/** @param {State} state @param {{ reason: string, keepMs?: number, by?: string }} event @param {Now} now @returns {Step} */
function withdraw(state, { reason, keepMs = 0, by }, now) {
  switch (state.phase) {
    case 'waiting':
      if (keepMs > 0) return still({ ...state, phase: 'kept', until: now.mono + keepMs })
      return close(state, endingOf(reason, by))
    case 'kept':
    case 'confirmed': // the tap lost the race: no go will come
      return close(state, endingOf(reason, by))
    case 'declining':
      return close(state, { kind: 'declined' })
  }
  return still(state)
}

/** @param {string} reason @param {string} [by] @returns {Ending} */
function endingOf(reason, by) {
  if (reason === 'answered') return { kind: 'answered', by }
  if (reason === 'expired') return { kind: 'expired' }
  return { kind: 'withdrawn', reason }
}

/** @param {State} state @param {string} of @returns {Step} */
function ack(state, of) {
  if (of === 'result' && state.phase === 'ended' && !state.acked) return still({ ...state, acked: true }, { do: 'journal', state: 'acked' })
  if (of !== 'decision') return still(state)
  if (state.phase === 'declining') return still({ ...state, phase: 'closed', until: null, ending: { kind: 'declined' } }, { do: 'journal', state: 'acked' })
  if (state.phase === 'confirmed' && !state.acts) return close(state, { kind: 'handed' })
  return still(state)
}

/** A new connection. @param {State} state @param {boolean} open whether the gateway still has the call open @param {Now} now @returns {Step} */
function connected(state, open, now) {
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

/** @param {State} state @param {Now} now @param {(key: 'no_go' | 'unused') => string} say @returns {Step} */
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
      return end(state, { kind: 'failed', started: false, reason: 'no_go', message: say('no_go') })
    case 'button':
      return disarm(state, 'unused', say('unused'))
    case 'launched':
      return still({ ...state, phase: 'asking', until: now.mono + QUESTION_MS })
    case 'asking':
      return end(state, { kind: 'unknown', started: true })
  }
  return still(state)
}
