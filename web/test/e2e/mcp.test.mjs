// The main job as people have it: an MCP client asks, a phone in Chromium shows
// the card, a person taps, and the client is told what happened.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

import { launch } from '../browser.mjs'
import { House, ROUTE, ROUTE_URL } from './house.mjs'

/** @type {House} */ let house
/** @type {import('playwright-core').Browser} */ let browser
/** @type {import('./house.mjs').PhonePage} */ let phone
/** @type {Client} */ let client

before(async () => {
  house = await House.start()
  browser = await launch()
  phone = await house.pair(browser)
  await phone.ready()
})
after(async () => {
  await browser?.close()
  await house?.stop()
})

let agents = 0
beforeEach(async () => {
  phone.launched.length = 0
  await house.agent(`Client ${++agents}`)
  client = await connect()
})

/** A client as agents have it, with the token in a header. */
async function connect() {
  const c = new Client({ name: 'nod-e2e', version: '1' })
  await c.connect(new StreamableHTTPClientTransport(new URL('/mcp', house.url), { requestInit: { headers: { Authorization: `Bearer ${house.token}` } } }))
  return c
}

/** @param {object} args @param {object} [options] */
function ask(args, options) {
  return client.callTool({ name: 'phone_action', arguments: args }, undefined, options)
}

const textOf = (result) => result.content.map((c) => c.text).join('\n')

test('a route with two stops: confirmed by a tap, launched once, told as opened', async () => {
  const progress = []
  const result = ask(ROUTE, { onprogress: (p) => progress.push(p.message), resetTimeoutOnProgress: true })
  await phone.card('Start a route')
  assert.equal(await phone.page.locator('.who-name').textContent(), `Client ${agents}`, 'the name the person gave, not the client’s own')
  await phone.confirm()
  await phone.opens('Opening Google Maps')
  const told = await result
  assert.equal(textOf(told), 'The phone opened the map app with it. The person starts the route there if it has not started by itself.')
  assert.equal(told.isError ?? false, false)
  assert.equal(told.structuredContent, undefined)
  assert.deepEqual(phone.launched, [ROUTE_URL])
  assert.ok(progress.some((message) => /^Shown on .*, waiting for an answer\.$/.test(message)), progress.join(' | '))
  await phone.unhide()
  await phone.fold()
  await client.close()
})

test('declined: no error flag, and the words that stop a second try', async () => {
  const result = ask(ROUTE)
  await phone.card('Start a route')
  await phone.decline()
  const told = await result
  assert.match(textOf(told), /^The person said no\. Nothing was done\. Do not try it again unless they ask\./)
  assert.equal(told.isError ?? false, false)
  assert.deepEqual(phone.launched, [])
  await phone.fold()
  await client.close()
})

test('cancelled by the client: the card says so and nothing is launched', async () => {
  const abort = new AbortController()
  const result = ask(ROUTE, { signal: abort.signal }).catch((error) => error)
  await phone.card('Start a route')
  abort.abort('the person pressed Escape')
  assert.ok((await result) instanceof Error)
  await phone.foot('Taken back')
  await phone.fold()
  assert.deepEqual(phone.launched, [])
  await client.close()
})

test('disconnected: the card keeps its place for a moment, then goes', { timeout: 120_000 }, async () => {
  const result = ask(ROUTE).catch((error) => error)
  await phone.card('Start a route')
  await client.transport.close()
  await result
  await phone.page.getByText('connection dropped').waitFor()
  assert.deepEqual(phone.launched, [])
})
