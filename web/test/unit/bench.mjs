// A phone for tests of the host: its keys and signatures are real; its disk,
// its network and its clock are in memory.

import { recheck } from '../../app/check.js'
import { Host } from '../../app/host.js'
import { Overtaken } from '../../app/journal.js'
import { defaults } from '../../app/settings.js'
import { kind, stands } from '../../app/standing.js'
import { english } from '../../app/text.js'
import { plan } from '../../app/uris.js'
import { digest, encode64, generateKey, open, sign } from '../../app/wire.js'

export const READY = { torch: 'ready', notifications: 'ready', location: 'ready', clipboardRead: 'ready', clipboardWrite: 'ready', contacts: 'ready' }
const PHONE = { os: 'android', version: 0, samsung: false, zone: 'Europe/Lisbon', standalone: true }
export const keys = { gateway: await generateKey(), phone: await generateKey(), stranger: await generateKey() }

/** A phone with its disk, its network and its clock in memory. */
export class Bench {
  /** Everything that happened, in order. @type {string[]} */ did = []
  /** @type {any[]} */ sent = []
  /** @type {Map<string, any>} */ disk = new Map()
  now = 0
  epoch = 7
  active = true
  /** @type {(state: string) => boolean} */ full = () => false
  /** What carries an action out, where the test says so. @type {any} */ way
  /** What nod answers to a deposit, and to the question what a Shortcut called. */
  deposited = async () => 'deposited'
  heard = async () => 'waiting'
  acted = async () => ({ ok: true, started: true, reason: 'torch_on' })
  needs = 'nothing'
  sight = 'seen'
  /** What its browser has. @type {any} */ probed = undefined
  /** What it declares. @type {any[]} */ own = []

  constructor(disk = new Map()) {
    this.disk = disk
    this.host = new Host({
      me: 'phone_a', gateway: keys.gateway.publicKey, sign: (kind, body) => sign(keys.phone.privateKey, kind, body),
      journal: {
        rows: async () => [...this.disk.values()],
        row: async (call) => this.disk.get(call),
        write: async (row, was) => {
          await new Promise((resolve) => setImmediate(resolve))
          if (this.full(row.state)) throw new Error('the disk is full')
          if (this.disk.get(row.call)?.state !== was) throw new Overtaken()
          this.did.push(`disk ${row.state}`)
          this.disk.set(row.call, structuredClone(row))
        },
      },
      send: (frame) => {
        this.did.push(`send ${frame.kind}`)
        this.sent.push(frame)
      },
      epoch: () => this.epoch, recheck, plan: (action, fields) => this.way ?? plan(action, fields, PHONE, defaults('android'), null, 0, this.probed),
      launch: ({ url, intent, name }, made) => {
        this.did.push(`launch ${url ?? intent?.data ?? name}`)
        this.made = made
      },
      active: () => this.active, kind, stands: (offer, record) => stands(offer, record, this.own), sight: () => this.sight,
      beckon: async () => void this.did.push('beckon'),
      ready: async (plan, about) => {
        this.about = about
        const start = async () => {
          this.did.push('act')
          const did = await this.acted()
          return { ...did, message: did.message ?? (did.reason === 'read' ? undefined : english(`result.${did.reason}`)) }
        }
        return { needs: this.needs, start }
      },
      deposit: {
        callback: async (call, results) => {
          this.did.push('deposit callback')
          this.results = results
          return this.deposited()
        },
        file: async ({ text }) => {
          this.did.push(`deposit ${text}`)
          return this.deposited()
        },
      },
      called: async (token) => {
        this.did.push(`ask ${token}`)
        return this.heard()
      },
      routed: (route) => { this.routed = route },
      beacon: (result) => {
        this.did.push('beacon')
        this.beacon = result
      },
      say: english, now: () => ({ mono: this.now, wall: 1_800_000_000_000 + this.now }), wake: (at) => { this.wake = at },
      changed: () => {}, dropped: (why) => this.did.push(`dropped ${why instanceof Error ? why.message : why}`),
    })
  }

  /** An offer as the gateway makes it. */
  async offer(change = {}, { key = keys.gateway, frame = {} } = {}) {
    const body = {
      call: 'call_a', agent: 'agent_a', agent_name: 'Laptop', phone: 'phone_a', screens: ['phone_a'], tool: 'phone_action', action: 'open_url',
      fields: { url: 'https://example.com/' }, summary: 'open_url', verdict: 'ask', rule: 'always', risk: 'medium', badges: [], ttl_seconds: 120, nonce: 'n', ...change,
    }
    const signed = await sign(key.privateKey, 'offer', body)
    this.digest = encode64(await digest(signed.body))
    await this.host.take({ ...signed, epoch: this.epoch, left_ms: 120_000, ...frame })
    await this.settled()
  }

  async signed(kind, body, key = keys.gateway) {
    await this.host.take(await sign(key.privateKey, kind, body))
    await this.settled()
  }

  /** The go for the decision this phone sent. */
  go(change = {}, key = keys.gateway) {
    const { kind, body, sig } = this.sent.findLast((f) => f.kind === 'decision')
    return this.signed('go', { call: 'call_a', digest: this.digest, decision: { kind, body, sig }, ...change }, key)
  }

  async event(event, call = 'call_a') {
    this.host.dispatch(call, event)
    await this.settled()
  }

  /** Until nothing is under way: signatures are made on other threads. */
  async settled() {
    for (;;) {
      const work = [...this.host.entries.values()].map((e) => e.done)
      await Promise.all(work)
      for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
      if ([...this.host.entries.values()].every((e, i) => e.done === work[i])) return
    }
  }

  result() {
    const frame = this.sent.findLast((f) => f.kind === 'result')
    return frame && open(keys.phone.publicKey, 'result', { kind: frame.kind, body: frame.body, sig: frame.sig })
  }

  phase = (call = 'call_a') => this.host.entries.get(call)?.state.phase
}

export const CONFIRM = { type: 'tap', choice: 'confirm' }
