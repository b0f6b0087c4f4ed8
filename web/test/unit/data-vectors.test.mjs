// The rows of spec/vectors/data.json, which internal/wire runs in Go: what a
// result's body names of the text that stands beside it.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { hash, sealed } from '../../app/device/data.js'
import { decode64 } from '../../app/wire.js'

const { rows } = JSON.parse(readFileSync(new URL('../../../spec/vectors/data.json', import.meta.url), 'utf8'))
const utf8 = (text) => new TextEncoder().encode(text)
const salted = (salt, text) => hash(Uint8Array.from([...decode64(salt), ...utf8(text)]))

for (const row of rows) {
  test(`vector ${row.name}`, async () => {
    const fits =
      decode64(row.salt).length === 16 && utf8(row.text).length === row.bytes && (await salted(row.salt, row.text)) === row.hash
    assert.equal(fits, row.fits)
  })
}

test('what this phone reads is named so', async () => {
  const { text, salt, data } = await sealed({ text: 'café \u2028 😀' })
  assert.equal(decode64(salt).length, 16)
  assert.deepEqual(data, { hash: await salted(salt, text), bytes: utf8(text).length })
})
