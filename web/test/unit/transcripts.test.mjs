// The phone's side of every transcript in spec/transcripts: given the gateway's
// frames and the person's taps, the machine answers as the transcript says,
// launches at most once and never without a go. A browser can say opened, failed
// and unknown; where a transcript's phone says done, this one says opened.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

import { receive, restore, step } from '../../app/phone.js'

const FOLDER = new URL('../../../spec/transcripts/', import.meta.url)
const WALL = 1_800_000_000_000
const say = (key) => `says ${key}`

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
    this.launched += effects.filter((e) => e.do === 'launch').length
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
        return this.take(receive({ call: `call_${++this.calls}`, digest: `d${this.calls}`, acts: true, leftMs: this.leftMs }, this.now))
      }
      case 'go':
        this.gone = true
        return this.happens({ type: 'go', digest: this.state.digest, mine: true })
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

  phone(word) {
    switch (word) {
      case 'delivered':
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
    if (this.state.phase !== 'arming') return // disarmed, or it gave up: the result is said already
    this.happens({ type: 'ready', active: true })
    this.happens({ type: 'hidden' })
    assert.ok(this.did('end', 'opened'))
  }

  run(script) {
    for (const line of script.split('\n')) {
      const [, who, word, rest = ''] = /^(\w+): ([\w.-]+) ?(.*)$/.exec(line.trim()) ?? assert.fail(`"${line}" is no line of a play`)
      if (who === 'gateway') this.gateway(word, rest)
      else if (who === 'person') this.person(word, rest)
      else if (who === 'phone') this.phone(word)
      else if (who === 'time') {
        const [, n, unit] = /^(\d+)(s|m)$/.exec(word)
        this.ms += Number(n) * (unit === 'm' ? 60_000 : 1000)
        this.happens({ type: 'tick' })
      }
    }
  }
}

const files = readdirSync(FOLDER).filter((name) => name.endsWith('.txtar'))

test('there are transcripts to run', () => assert.ok(files.length >= 30))

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
