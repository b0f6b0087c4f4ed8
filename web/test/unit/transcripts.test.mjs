// The phone's side of every transcript in spec/transcripts: given the gateway's
// frames and the person's taps, the machine answers as the transcript says,
// launches at most once and never without a go. Of an action a browser can say
// opened, failed and unknown; where a transcript's phone says done, this one says
// opened. A tool goes by its own way; one that no browser has ends at once.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

import { receive, restore, step } from '../../app/phone.js'
import { kind, stands } from '../../app/standing.js'
import { android, planned } from './here.mjs'

const FOLDER = new URL('../../../spec/transcripts/', import.meta.url)
const WALL = 1_800_000_000_000
const say = (key) => `says ${key}`
const READY = { torch: 'ready', notifications: 'ready', location: 'ready', clipboardRead: 'ready', clipboardWrite: 'ready', contacts: 'ready' }
const PICKER = [{ id: 'contacts.search', state: 'ready', picker: true }]

/** How this phone takes a transcript's offer. @param {any} offer */
function taken(offer) {
  if (offer.tool === 'phone_action') return {}
  const made = planned(offer.action, offer.fields, { ...android, zone: 'Europe/Lisbon' }, {}, null, READY)
  const { read, waits } = kind(offer)
  const standing = offer.verdict === 'allow'
  if (standing) assert.ok(stands(offer, undefined, PICKER), 'it finds itself that this needs no card')
  return { standing, read, waitsMs: waits * 1000, cannot: made.reason && say(made.reason), way: made.do !== 'device' ? undefined : made.taps ? 'tap' : 'act', picks: made.picks }
}

/** The sections of a txtar archive, by name. */
function sections(text) {
  const parts = text.split(/^-- (.+) --$/m)
  const found = {}
  for (let i = 1; i < parts.length; i += 2) found[parts[i]] = parts[i + 1].trim()
  return found
}

/** One transcript under way on a phone. */
class Play {
  constructor(offer) {
    this.offer = offer
    this.taken = taken(offer)
    this.leftMs = offer.ttl_seconds * 1000
    this.ms = 0
    this.calls = 0
    this.launched = 0
    this.gone = false
    this.state = null
    this.effects = []
  }

  get now() {
    return { mono: this.ms, wall: WALL + this.ms }
  }

  take({ state, effects }) {
    this.state = state
    this.effects = effects
    this.launched += effects.filter((e) => e.do === 'launch' || e.do === 'act').length
  }

  happens(event) {
    this.take(step(this.state, event, this.now, say))
  }

  /** Whether the last thing that happened led to this. */
  did(what, detail) {
    return this.effects.some((e) => e.do === what && [e.kind, e.choice, e.status, e.state].includes(detail))
  }

  gateway(kind, reason) {
    switch (kind) {
      case 'offer': {
        const open = this.state !== null && ['waiting', 'declining', 'confirmed'].includes(this.state.phase)
        if (open) return this.happens({ type: 'renewed', leftMs: this.leftMs })
        return this.take(receive({ call: `call_${++this.calls}`, digest: `d${this.calls}`, acts: true, leftMs: this.leftMs, ...this.taken }, this.now))
      }
      case 'go':
        this.gone = true
        this.happens({ type: 'go', digest: this.state.digest, mine: true })
        if (this.taken.way) this.happens({ type: 'ready', active: true, needs: this.taken.way === 'tap' ? 'tap' : 'sight', sight: 'seen' })
        if (this.state.phase === 'button') this.happens({ type: 'press' })
        return
      case 'withdraw':
        return this.happens({ type: 'withdraw', reason, keepMs: reason === 'gone' ? 10_000 : 0 })
      case 'disarm':
        return this.happens({ type: 'disarm', reason })
      case 'ack':
        return this.happens({ type: 'ack', of: reason })
    }
  }

  person(choice, reason) {
    const open = this.state.phase === 'waiting'
    this.happens({ type: 'tap', choice, reason: reason || undefined })
    assert.equal(this.did('decide', choice), open, `a tap on a card that is open: ${open}`)
  }

  phone(word, rest) {
    switch (word) {
      case 'standing':
        return // with the delivered before it
      case 'delivered':
        if (this.offer.verdict === 'allow') assert.ok(this.did('decide', 'standing'))
        return assert.ok(this.did('send', 'delivered'))
      case 'shown':
        this.happens({ type: 'shown' })
        return assert.ok(this.did('send', 'shown'))
      case 'disconnects':
        return
      case 'connects':
        return this.happens({ type: 'connected', open: true })
      case 'unknown': {
        const { call, digest, acts } = this.state
        this.take(restore({ call, digest, acts, state: 'armed', leftMs: 0, noGo: say('no_go') }, this.now))
        return assert.ok(this.did('end', 'unknown'))
      }
    }
    if (this.state.phase === 'acting') {
      const ok = word === 'done'
      this.happens({ type: 'acted', ok, started: word === 'failed-started', reason: ok ? 'read' : rest, message: '' })
      assert.ok(this.did('end', ok ? 'done' : 'failed'))
      if (!ok) assert.equal(this.effects.at(-1).why, rest || undefined)
      return
    }
    if (this.state.phase !== 'arming') return // disarmed, or it gave up: the result is said already
    this.happens({ type: 'ready', active: true })
    this.happens({ type: 'hidden' })
    assert.ok(this.did('end', 'opened'))
  }

  run(script) {
    if (this.taken.cannot) {
      this.gateway('offer')
      return assert.ok(this.did('end', 'failed') && this.state.ending.started === false, 'no card, and said at once')
    }
    for (const line of script.split('\n')) {
      const [, who, word, rest = ''] = /^(\w+): ([\w.-]+) ?(.*)$/.exec(line.trim()) ?? assert.fail(`"${line}" is no line of a play`)
      if (who === 'gateway') this.gateway(word, rest)
      else if (who === 'person') this.person(word, rest)
      else if (who === 'phone') this.phone(word, rest)
      else if (who === 'time') {
        const [, n, unit] = /^(\d+)(s|m)$/.exec(word)
        this.ms += Number(n) * (unit === 'm' ? 60_000 : 1000)
        this.happens({ type: 'tick' })
      }
    }
  }
}

const files = readdirSync(FOLDER).filter((name) => name.endsWith('.txtar'))

test('there are transcripts to run', () => assert.ok(files.length >= 60))

for (const name of files) {
  const { play, offer } = sections(readFileSync(new URL(name, FOLDER), 'utf8'))
  if (!play || !offer) continue
  test(`transcript ${name.replace('.txtar', '')}`, () => {
    const p = new Play(JSON.parse(offer))
    p.run(play)
    assert.ok(p.launched <= 1, `launched ${p.launched} times`)
    assert.ok(p.launched === 0 || p.gone, 'launched without a go')
  })
}
