// The rows of spec/vectors/pairing.json, which internal/auth runs in Go.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import * as pairing from '../../app/pairing.js'
import { encode64 } from '../../app/wire.js'

const { rows } = JSON.parse(readFileSync(new URL('../../../spec/vectors/pairing.json', import.meta.url), 'utf8'))

for (const row of rows) {
  test(`pairing: ${row.name}`, async () => {
    const secret = pairing.readSecret(row.link)
    assert.ok(secret)
    assert.equal(encode64(secret), row.secret)
    assert.equal(await pairing.pairId(secret), row.request.id)
    assert.ok(pairing.nameFits(row.request.name))
    const { mac: _, ...said } = row.request
    const transcript = pairing.gatewayTranscript(said, row.reply)
    assert.equal(new TextDecoder().decode(transcript), row.gateway_transcript)
    assert.equal(await pairing.digitsOf(transcript), row.digits)
  })
}
