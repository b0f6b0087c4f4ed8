// The machine by rows: a state, an event, and what must follow. Times are ms.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { ACT_MS, BUTTON_MS, GO_MS, QUESTION_MS, receive, restore, SIGN_MS, step } from '../../app/phone.js'

const WALL = 1_800_000_000_000
const at = (ms, wall = ms) => ({ mono: ms, wall: WALL + wall })
const say = (key) => `says ${key}`
const OFFER = { call: 'call_a', digest: 'd1', acts: true, leftMs: 120_000 }
const RUN = { ...OFFER, way: 'run' } // a Shortcut
const ACT = { ...OFFER, way: 'act' } // the torch
const WAITS_MS = 90_000
const TOUCH = { ...OFFER, way: 'tap', waitsMs: WAITS_MS } // the clipboard, written
const PICK = { ...TOUCH, read: true, picks: true } // the contacts
const QUIET = { ...PICK, standing: true } // the photos
const LOOK = { ...OFFER, way: 'act', read: true, waitsMs: 145_000 } // the location
const NOW = { ...OFFER, way: 'act', read: true, standing: true, waitsMs: 0 } // the time

/** A call that went through the given events, each [event, ms, wall?]. */
function after(events, offer = OFFER) {
  let { state } = receive(offer, at(0))
  let effects = []
  for (const [event, ms, wall] of events) ({ state, effects } = step(state, event, at(ms, wall), say))
  return { state, effects }
}

const TAP = { type: 'tap', choice: 'confirm' }
const NO = { type: 'tap', choice: 'decline' }
const GO = { type: 'go', digest: 'd1', mine: true }
const READY = { type: 'ready', active: true }
const LATER = { type: 'ready', active: false }
/** @param {boolean} active @param {string} needs @param {string} [sight] */
const readyFor = (active, needs, sight = 'seen') => ({ type: 'ready', active, needs, sight })
const TICK = { type: 'tick' }
const ACK = { type: 'ack', of: 'result' }
const HIDDEN = { type: 'hidden' }
const VISIBLE = { type: 'visible' }
const called = (what) => ({ type: 'called', what })
const acted = (ok, started, reason) => ({ type: 'acted', ok, started, reason, message: `says ${reason}` })
const kinds = (effects) => effects.map((e) => [e.do, e.state ?? e.kind ?? e.status ?? e.choice ?? e.what, e.as && `as ${e.as}`, e.why].filter((x) => x !== undefined).join(' '))

const toConfirmed = [[TAP, 5_000]]
const toArming = [...toConfirmed, [GO, 6_000]]
const toButton = [...toArming, [LATER, 6_010]]
const toLaunched = [...toArming, [READY, 6_010]]
const toAsking = [...toLaunched, [TICK, 6_010 + SIGN_MS]]
const toEnded = [...toLaunched, [HIDDEN, 7_000]]
const toAway = [...toLaunched, [HIDDEN, 7_000]]
const toBack = [...toAway, [VISIBLE, 20_000]]
const toSaidNo = [...toBack, [TICK, 24_000], [{ type: 'answer', yes: false }, 25_000]]
const toActing = [...toArming, [READY, 6_010]]
const toPick = [...toArming, [readyFor(false, 'tap'), 6_010]]
const toPicking = [...toPick, [{ type: 'press' }, 20_000]]
const toQuiet = [[GO, 1_000]] // decided at once
const toQuietButton = [...toQuiet, [readyFor(true, 'tap'), 1_010]]
const toKept = [[{ type: 'withdraw', reason: 'gone', keepMs: 10_000 }, 20_000]]
const toDeclining = [[NO, 5_000]]

const NOT_STARTED = ['failed', false]
const ROWS = [
  // name, events, phase, effects of the last, ending
  ['the tap', toConfirmed, 'confirmed', ['decide confirm']],
  ['a double tap decides once', [...toConfirmed, [TAP, 5_010]], 'confirmed', []],
  ['a no after a yes changes nothing', [...toConfirmed, [NO, 5_010]], 'confirmed', []],
  ['a tap at the deadline is too late', [[TAP, 120_000]], 'waiting', []],
  ['a tap after the deadline is too late', [[TICK, 120_000], [TAP, 120_001]], 'closed', [], { kind: 'expired' }],
  ['the no', toDeclining, 'declining', ['decide decline']],
  ['the no with a reason', [[{ ...NO, reason: 'busy' }, 5_000]], 'declining', ['decide decline']],
  ['and is passed on', [[{ ...NO, reason: 'busy' }, 5_000], [{ type: 'ack', of: 'decision' }, 6_000]], 'closed', ['journal acked'], { kind: 'declined', message: 'busy' }],
  ['the no is sent again on a new connection', [...toDeclining, [{ type: 'connected', open: true }, 6_000]], 'declining', ['resend decision']],
  ['the no is acked', [...toDeclining, [{ type: 'ack', of: 'decision' }, 6_000]], 'closed', ['journal acked'], { kind: 'declined' }],
  ['the no that never arrived', [...toDeclining, [TICK, 120_000]], 'closed', [], { kind: 'declined', reason: 'untold' }],
  ['the no and a withdrawal cross', [...toDeclining, [{ type: 'withdraw', reason: 'cancelled' }, 6_000]], 'closed', [], { kind: 'declined', reason: 'untold' }],
  ['the no comes after another screen answered', [...toDeclining, [{ type: 'withdraw', reason: 'answered', by: 'Tablet' }, 6_000]], 'closed', [], { kind: 'answered', by: 'Tablet' }],
  ['the no was the end of it', [...toDeclining, [{ type: 'withdraw', reason: 'over' }, 6_000]], 'closed', [], { kind: 'declined' }],

  ['go arms before anything', toArming, 'arming', ['journal armed', 'prepare']],
  ['a second go does nothing', [...toArming, [GO, 6_001]], 'arming', []],
  ['a second go after the launch does nothing', [...toLaunched, [GO, 6_100]], 'launched', []],
  ['a go after the end does nothing', [...toEnded, [GO, 7_100]], 'ended', []],
  ['a go before the tap does nothing', [[GO, 1_000]], 'waiting', []],
  ['a go after a no does nothing', [...toDeclining, [GO, 6_000]], 'declining', []],
  ['a go for another digest does nothing', [...toConfirmed, [{ ...GO, digest: 'd2' }, 6_000]], 'confirmed', []],
  ['a go with a decision that is not mine does nothing', [...toConfirmed, [{ ...GO, mine: false }, 6_000]], 'confirmed', []],
  ['a go on the last moment', [...toConfirmed, [GO, 5_000 + GO_MS]], 'arming', ['journal armed', 'prepare']],
  ['a go too late', [...toConfirmed, [GO, 5_001 + GO_MS]], 'ended', ['end failed'], NOT_STARTED],
  ['a go too late by the date: the phone slept', [...toConfirmed, [GO, 6_000, 6_000 + 60_000]], 'ended', ['end failed'], NOT_STARTED],
  ['a go while the date was set back', [...toConfirmed, [GO, 6_000, 6_000 - 3_600_000]], 'ended', ['end failed'], NOT_STARTED],
  ['no go at all', [...toConfirmed, [TICK, 5_000 + GO_MS]], 'ended', ['end failed'], NOT_STARTED],
  ['not yet', [...toConfirmed, [TICK, 4_999 + GO_MS]], 'confirmed', []],
  ['the yes is sent again within its time', [...toConfirmed, [{ type: 'connected', open: true }, 9_000]], 'confirmed', ['resend decision']],
  ['the yes is not sent again later', [...toConfirmed, [{ type: 'connected', open: true }, 5_001 + GO_MS]], 'confirmed', []],
  ['the yes came second: another phone answered', [...toConfirmed, [{ type: 'withdraw', reason: 'answered', by: 'Tablet' }, 6_000]], 'closed', [], { kind: 'answered', by: 'Tablet' }],

  ['launch at once while the tap counts', toLaunched, 'launched', ['launch']],
  ['else one button', toButton, 'button', []],
  ['the button launches', [...toButton, [{ type: 'press' }, 20_000]], 'launched', ['launch']],
  ['the button launches once', [...toButton, [{ type: 'press' }, 20_000], [{ type: 'press' }, 20_100]], 'launched', []],
  ['the button is good for a minute', [...toButton, [TICK, 6_010 + BUTTON_MS]], 'ended', ['journal disarmed', 'end failed'], NOT_STARTED],
  ['a press after its minute does not launch, also where no tick came', [...toButton, [{ type: 'press' }, 6_010 + BUTTON_MS]], 'ended', ['journal disarmed', 'end failed'], NOT_STARTED],
  ['disarm while the button waits', [...toButton, [{ type: 'disarm', reason: 'cancelled' }, 9_000]], 'ended', ['journal disarmed', 'end failed'], NOT_STARTED],
  ['what the launch needs could not be left with nod', [...toArming, [{ type: 'disarm', reason: 'deposit' }, 6_005]], 'ended', ['journal disarmed', 'end failed'], NOT_STARTED],
  ['disarm while it arms', [...toArming, [{ type: 'disarm', reason: 'paused' }, 6_005]], 'ended', ['journal disarmed', 'end failed'], NOT_STARTED],
  ['and then it does not launch', [...toArming, [{ type: 'disarm', reason: 'paused' }, 6_005], [READY, 6_010]], 'ended', []],
  ['disarm before go', [...toConfirmed, [{ type: 'disarm', reason: 'cancelled' }, 6_000]], 'ended', ['end failed'], NOT_STARTED],
  ['disarm after the launch comes too late', [...toLaunched, [{ type: 'disarm', reason: 'cancelled' }, 6_100]], 'launched', []],
  ['the browser throws in the same turn', [...toLaunched, [{ type: 'threw', message: 'no' }, 6_010]], 'ended', ['journal disarmed', 'end failed'], NOT_STARTED],

  ['hidden is the sign', toEnded, 'ended', ['end opened as opened'], ['opened', true]],
  ['hidden before the launch is none', [...toButton, [{ type: 'hidden' }, 9_000]], 'button', []],
  ['no sign: the person is asked', toAsking, 'asking', []],
  ['hidden after that is no sign', [...toAsking, [{ type: 'hidden' }, 12_000]], 'asking', []],
  ['yes, it opened', [...toAsking, [{ type: 'answer', yes: true }, 12_000]], 'ended', ['end opened as opened'], ['opened', true]],
  ['no, it did not', [...toAsking, [{ type: 'answer', yes: false }, 12_000]], 'ended', ['end failed'], ['failed', true]],
  ['no answer is unknown', [...toAsking, [TICK, 6_010 + SIGN_MS + QUESTION_MS]], 'ended', ['end unknown'], ['unknown', true]],
  ['an answer nobody asked for', [...toButton, [{ type: 'answer', yes: true }, 9_000]], 'button', []],

  ['a result is acked', [...toEnded, [ACK, 8_000]], 'ended', ['journal acked']],
  ['once', [...toEnded, [ACK, 8_000], [ACK, 8_100]], 'ended', []],
  ['a result is sent again until then', [...toEnded, [{ type: 'connected', open: false }, 8_000]], 'ended', ['resend result']],
  ['and not after', [...toEnded, [ACK, 8_000], [{ type: 'connected', open: false }, 9_000]], 'ended', []],
  ['a withdrawal after the launch changes nothing', [...toLaunched, [{ type: 'withdraw', reason: 'cancelled' }, 6_100]], 'launched', []],

  ['shown is told', [[{ type: 'shown' }, 100]], 'waiting', ['send shown']],
  ['shown after the tap is not', [...toConfirmed, [{ type: 'shown' }, 5_100]], 'confirmed', []],
  ['taken back', [[{ type: 'withdraw', reason: 'cancelled' }, 1_000]], 'closed', [], { kind: 'withdrawn', reason: 'cancelled' }],
  ['expired', [[{ type: 'withdraw', reason: 'expired' }, 1_000]], 'closed', [], { kind: 'expired' }],
  ['answered on another phone', [[{ type: 'withdraw', reason: 'answered', by: 'Tablet' }, 1_000]], 'closed', [], { kind: 'answered', by: 'Tablet' }],
  ['the connection dropped: the place is kept', toKept, 'kept', []],
  ['no answer counts meanwhile', [...toKept, [TAP, 21_000]], 'kept', []],
  ['the place is kept ten seconds', [...toKept, [TICK, 30_000]], 'closed', [], { kind: 'withdrawn', reason: 'gone' }],
  ['the same offer again brings it back', [...toKept, [{ type: 'renewed', leftMs: 60_000 }, 25_000]], 'waiting', ['send delivered']],
  ['a reconnect: still open', [[{ type: 'connected', open: true }, 1_000]], 'waiting', []],
  ['a reconnect: over meanwhile', [[{ type: 'connected', open: false }, 1_000]], 'closed', [], { kind: 'withdrawn', reason: 'over' }],

  ['a Shortcut is in front: nothing is claimed', toAway, 'away', [], undefined, RUN],
  ['and nothing for as long as it is', [...toAway, [TICK, 600_000]], 'away', [], undefined, RUN],
  ['back again: nod is asked what the Shortcut called', toBack, 'away', ['ask'], undefined, RUN],
  ['in front again before it answered', [...toBack, [HIDDEN, 21_000], [TICK, 90_000]], 'away', [], undefined, RUN],
  ['it called that it ran', [...toBack, [called('ok'), 20_100]], 'ended', ['end done as ok'], ['done', true], RUN],
  ['it called while it was in front', [...toAway, [called('ok'), 9_000]], 'ended', ['end done as ok'], ['done', true], RUN],
  ['it was stopped', [...toBack, [called('cancel'), 20_100]], 'ended', ['end failed as cancel'], ['failed', true], RUN],
  ['it ended with an error', [...toBack, [called('error'), 20_100]], 'ended', ['end failed as error'], ['failed', true], RUN],
  ['it has not called', [...toBack, [called('waiting'), 20_100]], 'away', [], undefined, RUN],
  ['then the person is asked, and nod once more', [...toBack, [TICK, 20_000 + SIGN_MS]], 'asking', ['ask'], undefined, RUN],
  ['it never came in front: the person is asked', [...toLaunched, [TICK, 6_010 + SIGN_MS]], 'asking', ['ask'], undefined, RUN],
  ['it comes in front after all', [...toLaunched, [TICK, 6_010 + SIGN_MS], [HIDDEN, 12_000]], 'away', [], undefined, RUN],
  ['yes, it ran: opened, and no more than that', [...toBack, [TICK, 24_000], [{ type: 'answer', yes: true }, 25_000]], 'ended', ['end opened as opened'], ['opened', true], RUN],
  ['no, it did not', [...toBack, [TICK, 24_000], [{ type: 'answer', yes: false }, 25_000]], 'ended', ['end failed'], ['failed', true], RUN],
  ['no answer', [...toBack, [TICK, 24_000], [TICK, 24_000 + QUESTION_MS]], 'ended', ['end unknown'], ['unknown', true], RUN],
  ['it calls after the person was asked', [...toBack, [TICK, 24_000], [called('ok'), 25_000]], 'ended', ['end done as ok'], ['done', true], RUN],
  ['it calls after the end', [...toBack, [TICK, 24_000], [{ type: 'answer', yes: false }, 25_000], [called('ok'), 26_000]], 'ended', [], ['failed', true], RUN],
  ['what the person said is acked: the Shortcut may have called before', [...toSaidNo, [ACK, 26_000]], 'ended', ['journal acked', 'ask'], ['failed', true], RUN],
  ['it had: the card says what the agent was told', [...toSaidNo, [ACK, 26_000], [called('ok'), 26_100]], 'ended', [], ['done', true], RUN],
  ['it had not', [...toSaidNo, [ACK, 26_000], [called('waiting'), 26_100]], 'ended', [], ['failed', true], RUN],
  ['what it called itself is not asked once more', [...toBack, [called('ok'), 20_100], [ACK, 21_000]], 'ended', ['journal acked'], ['done', true], RUN],
  ['nor what was not launched', [...toButton, [{ type: 'disarm', reason: 'x' }, 9_000], [ACK, 9_100]], 'ended', ['journal acked'], NOT_STARTED, RUN],
  ['an ack that nod did not ask for: the Shortcut called', [...toAway, [ACK, 9_000]], 'away', ['ask'], undefined, RUN],
  ['a new connection: it may have called meanwhile', [...toAway, [{ type: 'connected', open: true }, 9_000]], 'away', ['ask'], undefined, RUN],
  ['no call counts for what runs no Shortcut', [...toLaunched, [called('ok'), 6_100]], 'launched', []],
  ['or before it was launched', [...toButton, [called('ok'), 6_100]], 'button', [], undefined, RUN],

  ['the torch is switched at once, and by no button', toActing, 'acting', ['act'], undefined, ACT],
  ['also where the tap no longer counts', [...toArming, [LATER, 6_010]], 'acting', ['act'], undefined, ACT],
  ['its light is read back', [...toActing, [acted(true, true, 'torch_on'), 7_000]], 'ended', ['end done'], ['done', true], ACT],
  ['and off when nod is left: the card says so, the agent has heard it', [...toActing, [acted(true, true, 'torch_on'), 7_000], [{ type: 'left' }, 9_000]], 'ended', [], ['done', true], ACT],
  ['it is not allowed', [...toActing, [acted(false, false, 'torch_not_allowed'), 7_000]], 'ended', ['end failed'], NOT_STARTED, ACT],
  ['it did not light', [...toActing, [acted(false, true, 'torch_not_lit'), 7_000]], 'ended', ['end failed'], ['failed', true], ACT],
  ['hidden is no sign of a light', [...toActing, [HIDDEN, 7_000]], 'acting', [], undefined, ACT],
  ['it never says how it ended', [...toActing, [TICK, 6_010 + ACT_MS]], 'ended', ['end unknown'], ['unknown', true], ACT],
  ['it says so too late', [...toActing, [TICK, 6_010 + ACT_MS], [acted(true, true, 'torch_on'), 99_000]], 'ended', [], ['unknown', true], ACT],
  ['it is stopped too late', [...toActing, [{ type: 'disarm', reason: 'cancelled' }, 7_000]], 'acting', [], undefined, ACT],

  ['what wants a tap begins within the one that confirmed', [...toArming, [readyFor(true, 'tap'), 6_010]], 'acting', ['act'], undefined, TOUCH],
  ['where that counts no more: one button', toPick, 'button', [], undefined, TOUCH],
  ['which begins it in its own turn', toPicking, 'acting', ['act'], undefined, TOUCH],
  ['once', [...toPicking, [{ type: 'press' }, 20_010]], 'acting', [], undefined, TOUCH],
  ['the button is good for what the tool waits', [...toPick, [TICK, 6_009 + WAITS_MS]], 'button', [], undefined, TOUCH],
  ['and no longer: nobody answered, nothing began', [...toPick, [TICK, 6_010 + WAITS_MS]], 'ended', ['journal disarmed', 'end failed nobody_answered'], NOT_STARTED, TOUCH],
  ['a press after that begins nothing', [...toPick, [{ type: 'press' }, 6_010 + WAITS_MS]], 'ended', ['journal disarmed', 'end failed nobody_answered'], NOT_STARTED, TOUCH],
  ['hidden is no sign of anything while a picker is open', [...toPicking, [HIDDEN, 21_000], [VISIBLE, 30_000]], 'acting', [], undefined, TOUCH],
  ['it was done', [...toPicking, [acted(true, false, 'copied'), 21_000]], 'ended', ['end done'], ['done', true], TOUCH],
  ['it was not allowed', [...toPicking, [acted(false, false, 'not_allowed'), 21_000]], 'ended', ['end failed not_allowed'], NOT_STARTED, TOUCH],
  ['a reason that the contract has no word for', [...toPicking, [acted(false, false, 'not_written'), 21_000]], 'ended', ['end failed'], NOT_STARTED, TOUCH],
  ['an act that never says how it ended may have happened', [...toPicking, [TICK, 6_010 + WAITS_MS + ACT_MS]], 'ended', ['end unknown'], ['unknown', true], TOUCH],
  ['an act that began is not stopped', [...toPicking, [{ type: 'disarm', reason: 'cancelled' }, 21_000]], 'acting', [], undefined, TOUCH],

  ['a read was given out', [...toPicking, [acted(true, false, 'read'), 30_000]], 'ended', ['end done'], ['done', true], PICK],
  ['the picker was closed', [...toPicking, [acted(false, false, 'not_picked'), 30_000]], 'ended', ['end failed not_picked'], NOT_STARTED, PICK],
  ['a read that never ends gave nothing out', [...toPicking, [TICK, 6_010 + WAITS_MS + ACT_MS]], 'ended', ['end failed nobody_answered'], NOT_STARTED, PICK],
  ['what it then says stays here', [...toPicking, [TICK, 6_010 + WAITS_MS + ACT_MS], [acted(true, false, 'read'), 190_000]], 'ended', [], NOT_STARTED, PICK],
  ['a read is stopped while it works', [...toPicking, [{ type: 'disarm', reason: 'cancelled' }, 21_000]], 'ended', ['journal disarmed', 'end failed'], { kind: 'withdrawn', reason: 'cancelled' }, PICK],
  ['and what it then says stays here', [...toPicking, [{ type: 'disarm', reason: 'paused' }, 21_000], [acted(true, false, 'read'), 22_000]], 'ended', [], { kind: 'withdrawn', reason: 'paused' }, PICK],
  ['a read is taken back while it works', [...toPicking, [{ type: 'withdraw', reason: 'cancelled' }, 21_000]], 'ended', ['journal disarmed', 'end failed'], { kind: 'withdrawn', reason: 'cancelled' }, PICK],
  ['or while its button waits', [...toPick, [{ type: 'withdraw', reason: 'access_off' }, 21_000]], 'ended', ['journal disarmed', 'end failed'], { kind: 'withdrawn', reason: 'access_off' }, PICK],
  ['a read is stopped while its result is on its way: it is let go', [...toPicking, [acted(true, false, 'read'), 30_000], [{ type: 'disarm', reason: 'cancelled' }, 30_100]], 'ended', [], { kind: 'withdrawn', reason: 'cancelled' }, PICK],
  ['a read that nod has is given out', [...toPicking, [acted(true, false, 'read'), 30_000], [ACK, 30_050], [{ type: 'disarm', reason: 'cancelled' }, 30_100]], 'ended', [], ['done', true], PICK],
  ['what could not be made ready nobody took back', [...toArming, [{ type: 'disarm', reason: 'deposit' }, 6_005]], 'ended', ['journal disarmed', 'end failed'], NOT_STARTED, PICK],
  ['no, not now: said at once', [...toPick, [{ type: 'leave' }, 9_000]], 'ended', ['journal disarmed', 'end failed'], NOT_STARTED, TOUCH],
  ['not now, and nothing chosen', [...toPick, [{ type: 'leave' }, 9_000]], 'ended', ['journal disarmed', 'end failed not_picked'], NOT_STARTED, PICK],
  ['not now, too late', [...toPicking, [{ type: 'leave' }, 21_000]], 'acting', [], undefined, PICK],
  ['the button of another app has no such answer', [...toButton, [{ type: 'leave' }, 9_000]], 'button', []],
  ['that it was answered here takes nothing back', [...toPick, [{ type: 'withdraw', reason: 'answered' }, 21_000]], 'button', [], undefined, PICK],
  ['an act is not taken back after its go', [...toPicking, [{ type: 'withdraw', reason: 'cancelled' }, 21_000]], 'acting', [], undefined, TOUCH],

  ['what wants the page in front begins there', [...toArming, [readyFor(false, 'sight'), 6_010]], 'acting', ['act'], undefined, LOOK],
  ['behind, a notification brings the person to its button', [...toArming, [readyFor(false, 'sight', 'rings'), 6_010]], 'button', ['beckon'], undefined, LOOK],
  ['behind, and nothing can ring: said at once', [...toArming, [readyFor(true, 'sight', 'silent'), 6_010]], 'ended', ['journal disarmed', 'end failed background'], NOT_STARTED, LOOK],
  ['the same for a tap', [...toArming, [readyFor(true, 'tap', 'silent'), 6_010]], 'ended', ['journal disarmed', 'end failed background'], NOT_STARTED, PICK],
  ['a tap that is still fresh begins nothing behind', [...toArming, [readyFor(true, 'tap', 'rings'), 6_010]], 'button', ['beckon'], undefined, PICK],
  ['what needs nobody is done behind, too', [...toArming, [readyFor(false, 'nothing', 'silent'), 6_010]], 'acting', ['act'], undefined, TOUCH],

  ['decided without a card: go arms it', toQuiet, 'arming', ['journal armed', 'prepare'], undefined, QUIET],
  ['no tap answers what nobody asked', [[TAP, 500]], 'confirmed', [], undefined, QUIET],
  ['nor a no', [[NO, 500]], 'confirmed', [], undefined, QUIET],
  ['a tap meant for something else opens no picker: one button', toQuietButton, 'button', [], undefined, QUIET],
  ['the button opens it', [...toQuietButton, [{ type: 'press' }, 9_000]], 'acting', ['act'], undefined, QUIET],
  ['what needs nobody is done at once', [...toQuiet, [readyFor(false, 'nothing', 'silent'), 1_010]], 'acting', ['act'], undefined, NOW],
  ['no go for it', [[TICK, GO_MS]], 'ended', ['end failed'], NOT_STARTED, QUIET],
  ['its go too late by the date', [[GO, 1_000, 61_000]], 'ended', ['end failed'], NOT_STARTED, QUIET],
  ['it is decided again on a new connection, in its time', [[{ type: 'connected', open: true }, 2_000]], 'confirmed', ['resend decision'], undefined, QUIET],
  ['taken back before its go', [[{ type: 'withdraw', reason: 'cancelled' }, 500]], 'closed', [], { kind: 'withdrawn', reason: 'cancelled' }, QUIET],
]

for (const [name, events, phase, effects, ending, offer] of ROWS) {
  test(name, () => {
    const got = after(events, offer)
    assert.equal(got.state.phase, phase)
    assert.deepEqual(kinds(got.effects), effects)
    if (Array.isArray(ending)) assert.deepEqual([got.state.ending.kind, got.state.ending.started], ending)
    else if (ending) assert.deepEqual(JSON.parse(JSON.stringify(got.state.ending)), ending)
  })
}

test('an offer is journaled before it is said to be delivered', () => {
  assert.deepEqual(kinds(receive(OFFER, at(0)).effects), ['journal received', 'send delivered'])
})

test('what this phone cannot do fails without a card', () => {
  const { state, effects } = receive({ ...OFFER, cannot: 'There is no such date.' }, at(0))
  assert.equal(state.phase, 'ended')
  assert.deepEqual(effects.at(-1), { do: 'end', status: 'failed', started: false, message: 'There is no such date.' })
})

test('what is allowed without a card is decided where it came, and its hindrance has the contract’s word', () => {
  const { state, effects } = receive(QUIET, at(0))
  assert.deepEqual([state.phase, state.choice, kinds(effects)], ['confirmed', 'standing', ['journal received', 'send delivered', 'decide standing']])
  assert.deepEqual(kinds(receive({ ...QUIET, cannot: 'nod is behind', why: 'background' }, at(0)).effects), ['journal received', 'send delivered', 'end failed background'])
})

test('only the sign by hiding goes by beacon', () => {
  assert.equal(after(toEnded).effects[0].beacon, true)
  assert.equal(after([...toAsking, [{ type: 'answer', yes: true }, 12_000]]).effects[0].beacon, undefined)
})

test('a screen that does not act never launches, and hands over on the ack', () => {
  const screen = { ...OFFER, acts: false }
  assert.equal(after([...toConfirmed, [GO, 6_000]], screen).state.phase, 'confirmed')
  const { state, effects } = after([...toConfirmed, [{ type: 'ack', of: 'decision' }, 6_000]], screen)
  assert.deepEqual([state.phase, state.ending.kind, effects], ['closed', 'handed', []])
  assert.deepEqual(after([...toConfirmed, [TICK, 5_000 + GO_MS]], screen).effects, [])
})

test('what a restart makes of the journal', () => {
  const row = { call: 'call_a', digest: 'd1', acts: true, leftMs: 60_000 }
  const of = (state, more) => restore({ ...row, state, ...more }, at(0), say)
  assert.equal(of('received'), null)
  assert.equal(of('acked'), null)
  assert.deepEqual(kinds(of('decided', { choice: 'confirm' }).effects), ['end failed'])
  assert.equal(of('decided', { choice: 'confirm' }).effects[0].started, false)
  assert.equal(of('decided', { choice: 'confirm', acts: false }), null)
  assert.equal(of('decided', { choice: 'decline' }).state.phase, 'declining')
  assert.equal(of('decided', { choice: 'decline', leftMs: 0 }), null)
  assert.deepEqual(of('armed').effects, [{ do: 'end', status: 'unknown', started: true, message: undefined }], 'armed without an end is never tried again')
  assert.deepEqual(of('armed', { read: true }).effects, [{ do: 'end', status: 'failed', started: false, message: 'says cut_off' }], 'a read that was cut off gave nothing out')
  assert.deepEqual(kinds(of('decided', { choice: 'standing' }).effects), ['end failed'])
  assert.deepEqual([of('disarmed').effects[0].status, of('disarmed').effects[0].started], ['failed', false])
  assert.equal(of('ended').state.phase, 'ended')
  assert.deepEqual(kinds(step(of('ended').state, { type: 'connected', open: false }, at(1), say).effects), ['resend result'])
})

test('a restart finds that the browser opened the page of a failed launch', () => {
  const row = { call: 'call_a', digest: 'd1', acts: true, leftMs: 60_000, fellBack: true }
  const { state, effects } = restore({ ...row, state: 'armed' }, at(0), say)
  assert.deepEqual(effects, [{ do: 'end', status: 'failed', started: false, message: 'says fallback', beacon: true }])
  assert.equal(state.ending.reason, 'fallback')
  for (const other of ['received', 'acked', 'ended', 'disarmed']) {
    assert.notEqual(restore({ ...row, state: other }, at(0), say)?.state.ending?.reason, 'fallback', other)
  }
})

test('a restart while a Shortcut may run asks what it called before it says that nobody knows', () => {
  const { state, effects } = restore({ call: 'call_a', digest: 'd1', acts: true, leftMs: 60_000, state: 'armed', called: true }, at(0), say)
  assert.deepEqual([state.phase, effects], ['away', []])
  const asked = step(state, { type: 'connected', open: false }, at(100), say)
  assert.deepEqual(kinds(asked.effects), ['ask'])
  for (const [what, effect] of [['ok', 'end done as ok'], ['cancel', 'end failed as cancel'], ['error', 'end failed as error'], ['waiting', 'end unknown']]) {
    assert.deepEqual(kinds(step(asked.state, called(what), at(200), say).effects), [effect])
  }
  assert.deepEqual(step(state, VISIBLE, at(100), say).effects, [], 'there is no card to ask on')
})

/** A source of numbers that is the same for the same seed. */
function numbers(seed) {
  return (n) => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % n
  }
}

const EVENTS = [TAP, NO, GO, { ...GO, digest: 'd2' }, { ...GO, mine: false }, READY, LATER, TICK, { type: 'press' }, { type: 'leave' }, HIDDEN, VISIBLE, { type: 'shown' }, { type: 'left' },
  { type: 'answer', yes: true }, { type: 'answer', yes: false }, { type: 'disarm', reason: 'x' }, { type: 'disarm', reason: 'deposit' },
  { type: 'threw', message: 'm' }, { type: 'withdraw', reason: 'gone', keepMs: 10_000 }, { type: 'withdraw', reason: 'cancelled' },
  readyFor(true, 'tap'), readyFor(false, 'tap'), readyFor(false, 'sight', 'rings'), readyFor(false, 'sight', 'silent'), acted(false, false, 'not_picked'), { type: 'withdraw', reason: 'access_off' },
  called('waiting'), called('ok'), called('cancel'), called('error'), acted(true, true, 'torch_on'), acted(false, true, 'torch_not_lit'), acted(false, false, 'torch_no_light'),
  ACK, { type: 'ack', of: 'decision' }, { type: 'connected', open: true }, { type: 'connected', open: false }, { type: 'renewed', leftMs: 9_000 }]
const HERE = [ACT, TOUCH, PICK, QUIET]
/** What brings a call on, so that runs get far. */
const USUAL = [[TAP], [GO], [READY, LATER, readyFor(true, 'tap')], [{ type: 'press' }, HIDDEN, TICK], [HIDDEN, VISIBLE, TICK], [VISIBLE, TICK]]

/**
 * One random run: its effects in order, each with the event that led to it and
 * the phase before. Where it restarts, the journal alone goes on.
 */
function run(random, offer) {
  const did = []
  const disk = { state: null, called: false }
  let [now, i] = [0, 0]
  const take = ({ state, effects }, event, before) => {
    for (const e of effects) {
      if (e.do === 'journal') disk.state = e.state
      if (e.do === 'decide') Object.assign(disk, { state: 'decided', choice: e.choice })
      if (e.do === 'prepare') disk.called = offer.way === 'run'
      if (e.do === 'end') disk.state = 'ended'
      did.push({ e, event, before })
    }
    return state
  }
  let state = take(receive(offer, at(0)), null, null)
  for (; i < 18; i++) {
    now += random(4) === 0 ? random(30_000) : random(900)
    if (random(40) === 0) { // the page is closed and opened again, here or as the page of a failed launch
      const fellBack = random(2) === 0
      const made = restore({ ...offer, ...disk, state: disk.state, called: disk.called, fellBack: fellBack && offer.way === undefined, leftMs: 60_000 }, at(now), say)
      if (!made) return did
      state = take(made, { type: 'restart', fellBack }, 'restart')
      continue
    }
    const list = i < USUAL.length && random(5) ? USUAL[i] : EVENTS
    const event = list[random(list.length)]
    const before = state.phase
    state = take(step(state, event, at(now), say), event, before)
  }
  return did
}

test('no order of events launches twice, claims what nobody saw, or denies what may have happened', () => {
  const random = numbers(42)
  const seen = new Set()
  for (let n = 0; n < 40_000; n++) {
    const offer = [OFFER, RUN, ACT, TOUCH, PICK, QUIET][n % 6]
    const did = run(random, offer)
    const count = (what) => did.filter(({ e }) => e.do === what).length
    const story = () => `run ${n}, ${offer.way ?? 'open'}: ${JSON.stringify(did)}`
    const launches = count('launch') + count('act')
    assert.ok(launches <= count('prepare') && count('prepare') <= count('decide') && count('decide') <= 1, story())
    if (offer === QUIET) assert.ok(did.every(({ e, event, before }) => e.do !== 'act' || (before === 'button' ? event.type === 'press' : event.needs === undefined)), story())
    assert.ok(count('end') <= 1, story())
    const last = did.find(({ e }) => e.do === 'end')
    if (!last) continue
    const { e: { status, started, as }, event, before } = last
    seen.add(`${offer.way ?? 'open'} ${status} ${started} ${event.type}`)
    if (status === 'opened') assert.ok(launches && (event.type === 'hidden' && before === 'launched' && offer === OFFER || event.type === 'answer' && event.yes), story())
    // What a Shortcut called proves that it was launched, also where a restart has forgotten that.
    if (status === 'done') assert.ok(event.type === 'called' ? event.what === 'ok' && as === 'ok' && offer === RUN : launches && event.type === 'acted' && event.ok && HERE.includes(offer), story())
    if (status === 'unknown') assert.ok(did.some(({ e }) => e.do === 'journal' && e.state === 'armed'), story())
    if (offer.read) assert.ok(status === 'done' || (status === 'failed' && !started), story())
    if (!started && launches && !offer.read) assert.ok(event.fellBack || event.type === 'threw' || (event.type === 'acted' && HERE.includes(offer)), story())
  }
  // The runs got where they were to get.
  for (const end of ['open opened true hidden', 'open failed false restart', 'open unknown true restart', 'run done true called', 'run opened true answer', 'run unknown true called', 'act done true acted', 'act unknown true tick', 'tap done true acted', 'tap failed false disarm', 'tap unknown true restart']) {
    assert.ok(seen.has(end), `${end} among ${[...seen].sort().join(', ')}`)
  }
})
