// Shortcuts on an iPhone: made by the person, tested from their page, and only
// then something an agent can ask for. Chromium stands in for Safari, and a
// page that opens the callback's address for the Shortcuts app.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'

import { devices } from 'playwright-core'

import { launch } from '../browser.mjs'
import { House } from './house.mjs'

/** @type {House} */ let house
/** @type {import('playwright-core').Browser} */ let browser
/** @type {import('./house.mjs').PhonePage} */ let phone

before(async () => {
  house = await House.start()
  browser = await launch()
  const { userAgent, viewport } = devices['iPhone 15']
  const { link } = await house.nod('pair', '--no-wait')
  phone = await house.enter(browser, link, { userAgent, viewport })
  await phone.ready()
})
after(async () => {
  await browser?.close()
  await house?.stop()
})
beforeEach(() => { phone.launched.length = 0 })

const ALARM = { action: 'alarm', time: '07:30', label: 'Train' }

/** Runs the test from the page, and lets the Shortcuts app open one of its callbacks, or none. @param {'ok' | 'cancel' | 'error' | null} how */
async function run(how) {
  await phone.leaveFor(`${house.url}/shortcuts`)
  await phone.page.locator('#set-alarm').click()
  await phone.page.locator('#run:enabled').waitFor()
  phone.launched.length = 0
  await phone.page.locator('#run').scrollIntoViewIfNeeded()
  await phone.tap('#run')
  for (let i = 0; !phone.launched.length; i++) {
    assert.ok(i < 1_500, 'the Shortcuts app was not opened')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const asked = new URL(phone.launched[0])
  await phone.hide()
  if (how) {
    const safari = await phone.context.newPage()
    const answer = await safari.goto(/** @type {string} */ (asked.searchParams.get(`x-${how === 'ok' ? 'success' : how}`)))
    assert.equal(answer?.status(), 200)
    await safari.close()
  }
  await phone.unhide()
  return asked
}

test('before it was tested an alarm is answered at once, without a card', async () => {
  const call = await house.end((await house.ask(ALARM)).id)
  assert.equal(call.outcome, 'failed')
  assert.match(call.text, /nothing was done/)
  await phone.page.getByText('Alarms need a Shortcut').waitFor()
})

test('nothing came back: it says so, and agents still cannot ask', async () => {
  const asked = await run(null)
  assert.equal(asked.protocol, 'shortcuts:')
  assert.equal(asked.searchParams.get('name'), 'Nod Alarm')
  assert.deepEqual(JSON.parse(asked.searchParams.get('text') ?? ''), { time: '07:30', label: 'nod' })
  await phone.page.getByText('Nothing came back.').waitFor()
})

test('stopped, or ended with an error, is not worked', async () => {
  await run('cancel')
  await phone.page.getByText('It was stopped before its end.').waitFor()
  await run('error')
  await phone.page.getByText('It ended with an error.').waitFor()
  const call = await house.end((await house.ask(ALARM)).id)
  assert.equal(call.outcome, 'failed')
})

test('it worked: agents can ask for alarms, and can no longer once it is removed', async () => {
  await run('ok')
  await phone.page.getByText('It worked. Agents can ask for it from now on.').waitFor()
  await phone.leaveFor(`${house.url}/shortcuts`)
  await phone.page.getByText(/^Worked today/).waitFor()
  const { id } = await house.ask(ALARM)
  await phone.card('Set an alarm')
  await phone.decline()
  assert.equal((await house.end(id)).outcome, 'declined')
  await phone.fold()
  await phone.page.locator('#set-alarm').click()
  await phone.page.getByRole('button', { name: 'Do not use it any more' }).click()
  await phone.page.getByText(/^Worked today/).waitFor({ state: 'detached' })
  assert.equal((await house.end((await house.ask(ALARM)).id)).outcome, 'failed')
})
