// The receipt of spec/vectors/receipt.json, which internal/log makes and checks
// in Go: it holds, and nothing in it can be changed without that being found.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { agrees, check } from '../../app/receipt.js'
import { holdsEntry } from '../../app/tree.js'
import { decode64, encode64, generateKey, parsePublic, sign, utf8 } from '../../app/wire.js'

const vector = JSON.parse(readFileSync(new URL('../../../spec/vectors/receipt.json', import.meta.url), 'utf8'))
const log = JSON.parse(readFileSync(new URL('../../../spec/vectors/log.json', import.meta.url), 'utf8'))
const known = { call: vector.call, outcome: 'done', gateway: await parsePublic(decode64(vector.gateway)), key: (/** @type {string} */ id) => vector.phones[id] }
const copy = () => structuredClone(vector.receipt)

test('the receipt holds, and tells each step and who answered', async () => {
  const { flaw, steps, answer, offer, status, head } = await check(copy(), known)
  assert.equal(flaw, null)
  assert.deepEqual(steps.map((s) => s.kind), ['call.offered', 'call.delivered', 'call.shown', 'call.decided', 'call.go', 'call.ended'])
  assert.equal(answer.choice, 'confirm')
  assert.equal(offer.fields.time, '07:30')
  assert.equal(status, 'done')
  assert.equal(head.size, 17)
})

/** @type {[string, import('../../app/receipt.js').Flaw, (r: any) => unknown][]} */
const CHANGES = [
  ['the size in the head', 'head', (r) => { r.head.body = r.head.body.replace('"size":17', '"size":18') }],
  ['an entry', 'entry', (r) => { r.entries[5].leaf = r.entries[5].leaf.replace('"done"', '"opened"') }],
  ['a hash of a proof', 'entry', (r) => { r.entries[1].proof[0] = r.entries[0].proof[0] }],
  ['a proof that is too short', 'entry', (r) => r.entries[0].proof.pop()],
  ['an entry of another call', 'entry', (r) => { r.entries[0].leaf = r.entries[0].leaf.replaceAll(vector.call, 'call_AAAAAAAAAAAAAAAAAAAAAAAAAA') }],
  ['what was kept of an entry', 'payload', (r) => { r.entries[0].payload = r.entries[0].payload.replace('07:30', '06:30') }],
  ['the offer', 'decision', (r) => { r.offer = r.offer.replace('07:30', '06:30') }],
  ['an offer that was taken out', 'offer', (r) => { delete r.offer }],
  ['the decision', 'decision', (r) => { r.decision.body = r.decision.body.replace('confirm', 'standing') }],
  ['the result', 'result', (r) => { r.result.body = r.result.body.replace('07:30', '06:30') }],
  ['no decision', 'outcome', (r) => { delete r.decision }],
  ['no result', 'outcome', (r) => { delete r.result }],
]
for (const [what, flaw, change] of CHANGES) {
  test(`changed: ${what}`, async () => {
    const receipt = copy()
    change(receipt)
    assert.equal((await check(receipt, known)).flaw, flaw)
  })
}

test('every hash of every proof counts', async () => {
  for (const [i, e] of vector.receipt.entries.entries()) {
    for (const j of e.proof.keys()) {
      const receipt = copy()
      const first = receipt.entries[i].proof[j][0]
      receipt.entries[i].proof[j] = (first === 'A' ? 'B' : 'A') + receipt.entries[i].proof[j].slice(1)
      assert.equal((await check(receipt, known)).flaw, 'entry')
    }
  }
})

test('another gateway, another phone, another end, another log of the same size', async () => {
  const { publicKey } = await generateKey()
  assert.equal((await check(copy(), { ...known, gateway: publicKey })).flaw, 'head')
  assert.equal((await check(copy(), { ...known, key: () => undefined })).flaw, 'decision')
  assert.equal((await check(copy(), { ...known, outcome: 'declined' })).flaw, 'outcome')
  assert.equal((await check(copy(), { ...known, seen: { size: 17, root: 'A'.repeat(43) } })).flaw, 'older')
})

test('a yes is not told as a no, nor as no answer; a no is nothing else', async () => {
  const { privateKey, publicKey } = await generateKey()
  const raw = encode64(new Uint8Array(await crypto.subtle.exportKey('raw', publicKey)))
  /** @param {string} choice @param {string} outcome */
  const flaw = async (choice, outcome) => {
    const receipt = copy()
    receipt.entries.length = 5 // without the entry that says how it ended
    delete receipt.result
    receipt.decision = await sign(privateKey, 'decision', { ...JSON.parse(receipt.decision.body), choice })
    return (await check(receipt, { ...known, key: () => raw, outcome })).flaw
  }
  for (const outcome of ['expired', 'unseen', 'unavailable', 'refused', 'declined', 'done', 'opened']) assert.equal(await flaw('confirm', outcome), 'outcome', outcome)
  for (const outcome of ['', 'failed', 'unknown', 'withdrawn']) assert.equal(await flaw('confirm', outcome), null, outcome)
  for (const outcome of ['', 'failed', 'expired', 'done', 'unknown']) assert.equal(await flaw('decline', outcome), 'outcome', outcome)
  assert.equal(await flaw('decline', 'declined'), null)
})

test('what the phone signed of the end is what it is said to be; of an unknown one it may have come later', async () => {
  const { privateKey, publicKey } = await generateKey()
  const raw = encode64(new Uint8Array(await crypto.subtle.exportKey('raw', publicKey)))
  /** @param {string} status @param {string} outcome */
  const flaw = async (status, outcome) => {
    const receipt = copy()
    receipt.entries.length = 5
    receipt.decision = await sign(privateKey, 'decision', JSON.parse(receipt.decision.body))
    receipt.result = await sign(privateKey, 'result', { ...JSON.parse(receipt.result.body), status })
    return (await check(receipt, { ...known, key: () => raw, outcome })).flaw
  }
  for (const [status, outcome] of [['done', 'failed'], ['opened', 'failed'], ['done', 'opened'], ['done', 'withdrawn'], ['failed', 'done'], ['opened', 'denied']]) assert.equal(await flaw(status, outcome), 'outcome', `${status} told as ${outcome}`)
  for (const [status, outcome] of [['done', 'done'], ['failed', 'failed'], ['done', 'unknown'], ['failed', 'unknown'], ['unknown', 'unknown'], ['done', '']]) assert.equal(await flaw(status, outcome), null, `${status} told as ${outcome}`)
})

test('what a phone read and nod did not get whole may be told as failed, where the log says that it was so', () => {
  /** @param {string} why @param {string} outcome */
  const said = (why, outcome) => agrees(outcome, { steps: [{ seq: 1, at: 0, kind: 'call.ended', facts: { outcome, why } }], answer: { phone: 'phone_a', choice: 'confirm' }, status: 'done' })
  assert.deepEqual([said('nothing_read', 'failed'), said('', 'failed'), said('not_possible', 'failed'), said('nothing_read', 'opened')], [true, false, false, false])
})

test('a decision signed by a key that is not the phone’s', async () => {
  const receipt = copy()
  const { privateKey } = await generateKey()
  receipt.decision = await sign(privateKey, 'decision', JSON.parse(receipt.decision.body))
  assert.equal((await check(receipt, known)).flaw, 'decision')
})

test('an entry of a log of every size is proven, and no other is', async () => {
  for (const { size, seq, proof } of log.inclusion) {
    const leaf = utf8(log.entries[seq - 1].leaf)
    const head = { size, root: decode64(log.roots[size]) }
    assert.equal(await holdsEntry(proof.map(decode64), leaf, seq, head), true, `${seq} in ${size}`)
    assert.equal(await holdsEntry(proof.map(decode64), leaf, seq + 1, head), false, `${seq + 1} in ${size}`)
  }
})

test('no other proof of an entry is taken', async () => {
  for (const { name, size, seq, proof } of log.not_inclusion) {
    const leaf = log.entries[seq - 1]?.leaf ?? '{}'
    assert.equal(await holdsEntry(proof.map(decode64), utf8(leaf), seq, { size, root: decode64(log.roots[size]) }), false, name)
  }
})
