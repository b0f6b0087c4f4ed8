// The proofs of spec/vectors/log.json, which internal/log runs in Go.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { extendsHead } from '../../app/tree.js'
import { canonical, decode64, digest, encode64 } from '../../app/wire.js'

const file = JSON.parse(readFileSync(new URL('../../../spec/vectors/log.json', import.meta.url), 'utf8'))

/** @param {{ before: number, after: number, proof: string[] }} row */
const extended = ({ before, after, proof }) =>
  extendsHead(
    proof.map(decode64),
    { size: before, root: decode64(file.roots[before]) },
    { size: after, root: decode64(file.roots[after]) },
  )

test('a log that extends another can prove it', async () => {
  for (const row of file.consistency) assert.equal(await extended(row), true, `${row.before} to ${row.after}`)
})

test('no other proof is taken', async () => {
  for (const row of file.not_consistency) assert.equal(await extended(row), false, row.name)
})

test('the leaf hash is over a zero byte and the canonical leaf', async () => {
  for (const row of file.entries) {
    const { salt, payload, ...leaf } = row.entry
    assert.equal(canonical(leaf), row.leaf)
    const bytes = new TextEncoder().encode(`\0${row.leaf}`)
    assert.equal(encode64(await digest(bytes)), row.leaf_hash)
    if (payload === undefined) continue
    const joined = new Uint8Array([...decode64(salt), ...new TextEncoder().encode(payload)])
    assert.equal(encode64(await digest(joined)), row.entry.payload_hash)
  }
})
