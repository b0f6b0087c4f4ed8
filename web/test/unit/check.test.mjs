// The rows of spec/testdata: what the check makes of a call, and of an offer.
// Go runs the same files in internal/action.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

import { check, recheck, risk } from '../../app/check.js'
import { spec } from '../../app/spec.js'
import { parse } from '../../app/wire.js'

const testdata = new URL('../../../spec/testdata/', import.meta.url)

/** @param {string} folder */
function* rows(folder) {
  const at = new URL(`${folder}/`, testdata)
  for (const file of readdirSync(at)) {
    for (const row of JSON.parse(readFileSync(new URL(file, at), 'utf8'))) yield { file, ...row }
  }
}

/** Without prototypes, whatever made it: so that only what is in it is compared. @param {any} v @returns {any} */
const bare = (v) => parse(JSON.stringify(v))

test('what the check makes of a call', () => {
  let count = 0
  for (const { file, name, tool, arguments: args, text, action } of rows('check')) {
    count++
    const got = check(tool, args)
    const where = `${file}: ${name}`
    if (text !== undefined) assert.deepEqual(got, { text }, where)
    else assert.deepEqual(bare(got), { __proto__: null, action: bare(action) }, where)
  }
  assert.ok(count >= 300, `${count} rows; the contract promises at least 300`)
})

test('what a phone makes of an offer', () => {
  for (const { file, name, offer, problem } of rows('recheck')) {
    assert.equal(recheck(bare(offer)) ?? '', problem, `${file}: ${name}`)
  }
})

test('whatever the check lets through can be offered', () => {
  for (const { file, name, tool, arguments: args, action } of rows('check')) {
    if (!action || spec.tools[tool].gateway) continue
    const made = check(tool, args).action
    assert.ok(made)
    if (tool !== 'phone_action') assert.deepEqual(bare(check(tool, JSON.stringify({ ...made.fields, summary: made.summary })).action), bare(made), `${file}: ${name}: checked again it is the same`)
    const r = risk(made)
    const badges = r === 'high' && made.name === 'dial' ? ['service_code'] : []
    const offer = { tool, action: made.name, fields: made.fields, summary: made.summary, verdict: 'ask', rule: 'always', risk: r, badges }
    assert.equal(recheck(bare(offer)), null, `${file}: ${name}`)
  }
})

test('a browser reads the host that the card shows', () => {
  for (const { file, name, action } of rows('check')) {
    const url = action?.fields.url
    if (url === undefined) continue
    const shown = url.replace(/^https?:\/\//i, '').split(/[/?#]/, 1)[0].toLowerCase()
    const { protocol, host, username, password } = new URL(url)
    const port = protocol === 'http:' ? ':80' : ':443'
    assert.equal(username + password, '', `${file}: ${name}`)
    if (shown.startsWith('[')) assert.ok(host.startsWith('['), `${file}: ${name}`)
    else assert.equal(host, shown.endsWith(port) ? shown.slice(0, -port.length) : shown, `${file}: ${name}`)
  }
})

test('nothing bends the contract', () => {
  assert.throws(() => { /** @type {any} */ (spec).phone.limits.total_bytes = 1 }, TypeError)
  assert.throws(() => { /** @type {any} */ (spec).phone.actions.torch.fields.push('url') }, TypeError)
  assert.throws(() => { /** @type {any} */ (spec).agent.done = 'Sent.' }, TypeError)
})
