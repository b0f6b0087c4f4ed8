// The rows of spec/testdata: what the check makes of a call, and of an offer.
// Go runs the same files in internal/action.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

import { check, recheck } from '../../app/check.js'
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
