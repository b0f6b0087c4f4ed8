// The real thing: a gateway, an agent over HTTP, a phone in Chromium, a tap.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'

import { launch } from '../browser.mjs'
import { House, ROUTE, ROUTE_URL } from './house.mjs'

/** @type {House} */ let house
/** @type {import('playwright-core').Browser} */ let browser
/** @type {import('./house.mjs').PhonePage} */ let phone

before(async () => {
  house = await House.start()
  browser = await launch()
  phone = await house.pair(browser, { reducedMotion: 'no-preference' }) // as most people have it
  await phone.ready()
})
after(async () => {
  await browser?.close()
  await house?.stop()
})
let agents = 0
beforeEach(async () => {
  phone.launched.length = 0
  await house.agent(`Agent ${++agents}`)
})

test('a route with two stops: one tap, one launch, and the agent hears "opened"', async () => {
  const { id } = await house.ask(ROUTE)
  await phone.card('Start a route')
  await phone.confirm()
  await phone.opens('Opening Google Maps')
  const call = await house.end(id)
  assert.equal(call.outcome, 'opened', call.text)
  assert.match(call.text, /opened the map app/)
  assert.deepEqual(phone.launched, [ROUTE_URL])
  await phone.unhide()
  await phone.foot('Google Maps opened')
  await phone.fold()
  assert.deepEqual(phone.errors, [])
})

test('no sign: the person is asked, and what they say is told', async () => {
  for (const [button, outcome] of [['Yes', 'opened'], ['No', 'failed']]) {
    phone.launched.length = 0
    const { id } = await house.ask({ action: 'open_url', url: `https://example.com/${button}` })
    await phone.card('Open a link')
    await phone.confirm()
    await phone.foot('Did your browser open?')
    await phone.page.getByRole('button', { name: button, exact: true }).and(phone.page.locator(':not([data-fresh])')).tap()
    const call = await house.end(id)
    assert.equal(call.outcome, outcome, call.text)
    assert.equal(phone.launched.length, 1)
    await phone.fold()
  }
})

test('no sign and no answer: nobody knows, and nothing is claimed', { timeout: 120_000 }, async () => {
  const { id } = await house.ask({ action: 'search_nearby', query: 'tea' })
  await phone.card('Search nearby')
  await phone.confirm()
  const call = await house.end(id)
  assert.equal(call.outcome, 'unknown', call.text)
  assert.equal(phone.launched.length, 1)
  await phone.foot('Not known whether it opened')
  await phone.fold()
})

test('declined, with words', async () => {
  const { id } = await house.ask(ROUTE)
  await phone.card('Start a route')
  await phone.page.getByText('Decline and say why').tap()
  await phone.page.locator('#reason').fill('Not while I drive')
  await phone.page.getByText('Decline with these words').tap()
  const call = await house.end(id)
  assert.equal(call.outcome, 'declined')
  assert.match(call.text, /Not while I drive/)
  assert.deepEqual(phone.launched, [])
  await phone.foot('You said no')
  await phone.fold()
})

test('taken back by the agent: the card says so, and a tap is too late', async () => {
  const { id } = await house.ask({ action: 'open_url', url: 'https://example.com/a' })
  await phone.card('Open a link')
  await house.http('POST', `/v1/calls/${id}/cancel`)
  await phone.foot('Taken back')
  assert.equal((await house.end(id)).outcome, 'withdrawn')
  assert.equal(await phone.page.locator('.confirm').count(), 0)
  assert.deepEqual(phone.launched, [])
  await phone.fold()
})

test('not answered: the card says that time is up, and not answering is not told as a no', async () => {
  const { id } = await house.ask({ action: 'open_url', url: 'https://example.com/unanswered' }, { 'Nod-Wait': '6' })
  await phone.card('Open a link')
  await phone.foot('Time is up')
  const call = await house.end(id)
  assert.equal(call.outcome, 'expired', call.text)
  assert.match(call.text, /nobody answered in time\. Nothing was done\. Not answering is not a no/)
  assert.equal(await phone.page.locator('.confirm').count(), 0)
  assert.deepEqual(phone.launched, [])
  await phone.fold()
})

test('a tap while the gateway is away, past the deadline: nothing is launched, and nobody says it was', { timeout: 120_000 }, async () => {
  const { id } = await house.ask({ action: 'open_url', url: 'https://example.com/late' }, { 'Nod-Wait': '10' })
  const over = Date.now() + 10_500
  await phone.card('Open a link')
  while ((await house.http('GET', `/v1/calls/${id}`)).state !== 'shown') await phone.page.waitForTimeout(50)
  house.freeze()
  await phone.confirm()
  await phone.page.waitForTimeout(over - Date.now())
  house.thaw()
  const call = await house.end(id)
  assert.ok(['expired', 'failed'].includes(call.outcome), call.text)
  assert.match(call.text, /Nothing was done/)
  assert.deepEqual(phone.launched, [])
  await phone.fold()
})

test('two taps decide and launch once', async () => {
  const { id } = await house.ask({ action: 'open_url', url: 'https://example.com/b' })
  await phone.card('Open a link')
  await phone.page.locator('nod-card[data-open]').waitFor()
  await phone.tap('.confirm', 2)
  await phone.opens('Opening your browser')
  const call = await house.end(id)
  assert.equal(call.outcome, 'opened', call.text)
  assert.deepEqual(phone.launched, ['https://example.com/b'])
  await phone.unhide()
  await phone.fold()
})

const ROWS = [
  ['Draft an email', { action: 'email_draft', to: ['ann+work@example.com'], subject: 'Q3', text: 'a\nb' }, 'mailto:ann%2Bwork@example.com?subject=Q3&body=a%0D%0Ab'],
  ['Draft a calendar event', { action: 'calendar_event', title: 'Dinner', start: '2027-01-04T19:30', end: '2027-01-04T21:00' },
    'https://calendar.google.com/calendar/render?action=TEMPLATE&text=Dinner&dates=20270104T193000Z%2F20270104T210000Z'],
  ['Add a stop', { action: 'add_stop', stop: { query: 'Pharmacy' }, destination: { lat: 37.6213, lon: -122.379 } },
    'intent://www.google.com/maps/dir/?api=1&destination=37.6213%2C-122.379&waypoints=Pharmacy&travelmode=driving&dir_action=navigate#Intent;scheme=https;package=com.google.android.apps.maps;end'],
  ['Draft a text message', { action: 'sms_draft', to: ['+351 910 000 001'], text: 'Late & sorry' }, 'sms:+351910000001?body=Late%20%26%20sorry'],
  ['Open the dialer', { action: 'dial', number: '+1 (800) 555-0100' }, 'tel:+18005550100'],
]

test('mails, events and places: the exact URL', { timeout: 180_000 }, async () => {
  for (const [title, args, url] of ROWS) {
    phone.launched.length = 0
    const { id } = await house.ask(args)
    await phone.card(title)
    await phone.confirm()
    await phone.opens('Opening')
    const call = await house.end(id)
    assert.equal(call.outcome, 'opened', `${args.action}: ${call.text}`)
    assert.deepEqual(phone.launched, [url])
    await phone.unhide()
    await phone.fold()
  }
})

test('what this phone cannot do is answered at once, without a card', async () => {
  for (const [args, words] of [
    [{ action: 'alarm', time: '07:30' }, /cannot set an alarm/],
    [{ action: 'calendar_event', title: 'x', start: '2027-02-31' }, /no such date/],
    [{ action: 'navigate', destination: { query: 'd' }, stops: [...'abcefghijk'].map((query) => ({ query })) }, /at most 9 stops/],
  ]) {
    const { id } = await house.ask(args)
    const call = await house.end(id)
    assert.equal(call.outcome, 'failed', call.text)
    assert.match(call.text, words)
    assert.match(call.text, /nothing was done/i)
  }
  assert.equal(await phone.page.locator('nod-card').count(), 0)
})

test('a second card waits its turn', async () => {
  const a = await house.ask({ action: 'open_url', url: 'https://example.com/1' })
  await phone.card('Open a link')
  const b = await house.ask({ action: 'search_nearby', query: 'milk' })
  await phone.page.getByText('1 more').waitFor()
  await phone.decline()
  assert.equal((await house.end(a.id)).outcome, 'declined')
  await phone.fold('milk')
  await phone.card('Search nearby')
  await phone.decline()
  assert.equal((await house.end(b.id)).outcome, 'declined')
  await phone.fold()
})

test('home tells the day like a diary', async () => {
  await phone.page.getByText(/^Search nearby: /).first().waitFor()
  await phone.page.getByText(/^you said no · .* · by Agent \d+$/).first().waitFor()
  assert.deepEqual(phone.errors, [])
})
