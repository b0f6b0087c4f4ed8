// The machine by rows: a state, an event, and what must follow. Times are ms.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { BUTTON_MS, GO_MS, QUESTION_MS, receive, restore, SIGN_MS, step } from '../../app/phone.js'

const WALL = 1_800_000_000_000
const at = (ms, wall = ms) => ({ mono: ms, wall: WALL + wall })
const say = (key) => `says ${key}`
const OFFER = { call: 'call_a', digest: 'd1', acts: true, leftMs: 120_000 }

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
const TICK = { type: 'tick' }
const ACK = { type: 'ack', of: 'result' }
const kinds = (effects) => effects.map((e) => [e.do, e.state ?? e.kind ?? e.status ?? e.choice ?? e.what].filter((x) => x !== undefined).join(' '))

const toConfirmed = [[TAP, 5_000]]
const toArming = [...toConfirmed, [GO, 6_000]]
const toButton = [...toArming, [LATER, 6_010]]
const toLaunched = [...toArming, [READY, 6_010]]
const toAsking = [...toLaunched, [TICK, 6_010 + SIGN_MS]]
const toEnded = [...toLaunched, [{ type: 'hidden' }, 7_000]]
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
  ['the no is sent again on a new connection', [...toDeclining, [{ type: 'connected', open: true }, 6_000]], 'declining', ['resend decision']],
  ['the no is acked', [...toDeclining, [{ type: 'ack', of: 'decision' }, 6_000]], 'closed', ['journal acked'], { kind: 'declined' }],
  ['the no that never arrived', [...toDeclining, [TICK, 120_000]], 'closed', [], { kind: 'declined', reason: 'untold' }],
  ['the no and a withdrawal cross', [...toDeclining, [{ type: 'withdraw', reason: 'cancelled' }, 6_000]], 'closed', [], { kind: 'declined' }],

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
  ['disarm while it arms', [...toArming, [{ type: 'disarm', reason: 'paused' }, 6_005]], 'ended', ['journal disarmed', 'end failed'], NOT_STARTED],
  ['and then it does not launch', [...toArming, [{ type: 'disarm', reason: 'paused' }, 6_005], [READY, 6_010]], 'ended', []],
  ['disarm before go', [...toConfirmed, [{ type: 'disarm', reason: 'cancelled' }, 6_000]], 'ended', ['end failed'], NOT_STARTED],
  ['disarm after the launch comes too late', [...toLaunched, [{ type: 'disarm', reason: 'cancelled' }, 6_100]], 'launched', []],
  ['the browser throws in the same turn', [...toLaunched, [{ type: 'threw', message: 'no' }, 6_010]], 'ended', ['journal disarmed', 'end failed'], NOT_STARTED],

  ['hidden is the sign', toEnded, 'ended', ['end opened'], ['opened', true]],
  ['hidden before the launch is none', [...toButton, [{ type: 'hidden' }, 9_000]], 'button', []],
  ['no sign: the person is asked', toAsking, 'asking', []],
  ['hidden after that is no sign', [...toAsking, [{ type: 'hidden' }, 12_000]], 'asking', []],
  ['yes, it opened', [...toAsking, [{ type: 'answer', yes: true }, 12_000]], 'ended', ['end opened'], ['opened', true]],
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
]

for (const [name, events, phase, effects, ending] of ROWS) {
  test(name, () => {
    const got = after(events)
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
  const row = { call: 'call_a', digest: 'd1', acts: true, leftMs: 60_000, noGo: 'too late' }
  const of = (state, more) => restore({ ...row, state, ...more }, at(0))
  assert.equal(of('received'), null)
  assert.equal(of('acked'), null)
  assert.deepEqual(kinds(of('decided', { choice: 'confirm' }).effects), ['end failed'])
  assert.equal(of('decided', { choice: 'confirm' }).effects[0].started, false)
  assert.equal(of('decided', { choice: 'confirm', acts: false }), null)
  assert.equal(of('decided', { choice: 'decline' }).state.phase, 'declining')
  assert.equal(of('decided', { choice: 'decline', leftMs: 0 }), null)
  assert.deepEqual(of('armed').effects, [{ do: 'end', status: 'unknown', started: true, message: undefined }], 'armed without an end is never tried again')
  assert.deepEqual([of('disarmed').effects[0].status, of('disarmed').effects[0].started], ['failed', false])
  assert.equal(of('ended').state.phase, 'ended')
  assert.deepEqual(kinds(step(of('ended').state, { type: 'connected', open: false }, at(1), say).effects), ['resend result'])
})

test('no run of events launches twice, or without a go for this offer', () => {
  const events = [TAP, NO, GO, { ...GO, digest: 'd2' }, { ...GO, mine: false }, READY, LATER, TICK, { type: 'press' }, { type: 'hidden' }, { type: 'shown' },
    { type: 'answer', yes: true }, { type: 'answer', yes: false }, { type: 'disarm', reason: 'x' }, { type: 'withdraw', reason: 'gone', keepMs: 10_000 },
    { type: 'withdraw', reason: 'cancelled' }, ACK, { type: 'ack', of: 'decision' }, { type: 'connected', open: true }, { type: 'connected', open: false }, { type: 'renewed', leftMs: 9_000 }]
  let seed = 42
  const random = (n) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % n
  for (let run = 0; run < 20_000; run++) {
    let { state } = receive(OFFER, at(0))
    let [now, launches, goes, decisions, ends] = [0, 0, 0, 0, 0]
    for (let i = 0; i < 14; i++) {
      now += random(4) === 0 ? random(30_000) : random(900)
      const event = events[random(events.length)]
      const result = step(state, event, at(now), say)
      state = result.state
      for (const e of result.effects) {
        if (e.do === 'prepare') goes++
        if (e.do === 'decide') decisions++
        if (e.do === 'launch') launches++
        if (e.do === 'end') {
          ends++
          if (launches) assert.notDeepEqual([e.status, e.started, event.type], ['failed', false, 'tick'])
          else assert.equal(e.status, 'failed', 'opened or unknown without a launch')
        }
      }
    }
    assert.ok(launches <= goes && goes <= decisions && decisions <= 1 && ends <= 1, `run ${run}: ${launches} ${goes} ${decisions} ${ends}`)
  }
})
