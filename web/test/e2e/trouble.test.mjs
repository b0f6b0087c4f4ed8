// What goes wrong on the way: the gateway dies, the go is late, the page is
// closed, agents are paused, the phone is removed, the log goes back.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'

import { eachTest } from './each.mjs'

/** @type {import('./house.mjs').House} */ let house
/** @type {import('./house.mjs').PhonePage} */ let phone

const { ruin } = eachTest((h, p) => { [house, phone] = [h, p] })

const LINK = { action: 'open_url', url: 'https://example.com/x' }
const sleep = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms))

test('a go that comes after the tap’s permission is gone: one button, one launch', async () => {
  const { id } = await house.ask(LINK)
  await phone.card('Open a link')
  await phone.page.locator('nod-card[data-open]').waitFor()
  house.freeze()
  await phone.confirm()
  await phone.untouched('!navigator.userActivation.isActive')
  house.thaw()
  await phone.untouched("document.querySelector('nod-card').dataset.phase === 'button'")
  const button = phone.page.getByRole('button', { name: 'Open your browser' })
  await button.waitFor()
  assert.deepEqual(phone.launched, [])
  await phone.tap('.foot .primary', 2)
  await phone.opens('Opening your browser')
  assert.equal((await house.end(id)).outcome, 'opened')
  assert.deepEqual(phone.launched, [LINK.url])
})

test('a go that comes too late: nothing is launched, and the agent hears so', async () => {
  const { id } = await house.ask(LINK)
  await phone.card('Open a link')
  await phone.page.locator('nod-card[data-open]').waitFor()
  house.freeze()
  await phone.confirm()
  await phone.foot('It did not work')
  house.thaw()
  const call = await house.end(id)
  assert.equal(call.outcome, 'failed')
  assert.match(call.text, /Nothing was done/)
  await sleep(500)
  assert.deepEqual(phone.launched, [])
})

test('the gateway is killed after the tap and comes back in time: carried out once', async () => {
  const { id } = await house.ask(LINK)
  await phone.card('Open a link')
  await phone.page.locator('nod-card[data-open]').waitFor()
  house.freeze()
  await phone.confirm()
  await sleep(300)
  await house.kill()
  await house.up()
  await phone.page.evaluate(() => dispatchEvent(new Event('online'))) // it connects now, and not with its next try: a go is good for ten seconds
  // The tap is sent again; its permission may be gone by then, or not.
  const button = phone.page.getByRole('button', { name: 'Open your browser' })
  const opening = phone.page.locator('.foot .busy h2', { hasText: 'Opening' })
  await button.or(opening).waitFor({ timeout: 30_000 })
  if (await button.count()) await phone.tap('.foot .primary')
  await phone.opens('Opening')
  assert.equal((await house.end(id)).outcome, 'opened')
  assert.deepEqual(phone.launched, [LINK.url])
})

test('the gateway is killed after the launch: the result waits for it', async () => {
  const { id } = await house.ask(LINK)
  await phone.card('Open a link')
  await phone.confirm()
  await phone.foot('Opening your browser')
  await house.kill()
  await phone.away()
  await phone.unhide()
  await phone.foot('Your browser opened')
  await house.up()
  assert.equal((await house.end(id)).outcome, 'opened')
  assert.deepEqual(phone.launched, [LINK.url])
})

test('the page is closed while the button waits: unknown, and never tried again', async () => {
  const { id } = await house.ask(LINK)
  await phone.card('Open a link')
  await phone.page.locator('nod-card[data-open]').waitFor()
  house.freeze()
  await phone.confirm()
  await phone.untouched('!navigator.userActivation.isActive')
  house.thaw()
  await phone.untouched("document.querySelector('nod-card').dataset.phase === 'button'")
  await phone.page.getByRole('button', { name: 'Open your browser' }).waitFor()
  await phone.page.reload()
  const call = await house.end(id)
  assert.equal(call.outcome, 'unknown')
  assert.equal(await phone.page.locator('nod-card').count(), 0)
  assert.deepEqual(phone.launched, [])
})

test('the page is reloaded right after the tap: whether the go came first decides, and Home says how it ended', async () => {
  const { id } = await house.ask(LINK)
  await phone.card('Open a link')
  await phone.page.locator('nod-card[data-open]').waitFor()
  house.freeze()
  await phone.confirm()
  await phone.page.evaluate(`import('/app/journal.js').then(async ({ row }) => {
    while ((await row('${id}'))?.state !== 'decided') await new Promise((resolve) => setTimeout(resolve, 20))
  })`) // a tap that is not on the disk yet is none
  const again = phone.page.reload()
  house.thaw()
  await again
  const call = await house.end(id)
  const [told, row] = { failed: [/Nothing was done/, 'did not work'], unknown: [/It may have happened/, 'not known how it ended'] }[call.outcome]
  assert.match(call.text, told)
  await phone.page.getByText(new RegExp(`^${row} · .* · by ${house.agentName}$`)).waitFor()
})

test('the page is reloaded while a card waits: the card is there again', async () => {
  const { id } = await house.ask(LINK)
  await phone.card('Open a link')
  await phone.page.reload()
  await phone.card('Open a link')
  await phone.decline()
  assert.equal((await house.end(id)).outcome, 'declined')
})

test('pause all, from a card; then resume, from home', async () => {
  const { id } = await house.ask(LINK)
  await phone.card('Open a link')
  await phone.page.getByRole('dialog').getByRole('button', { name: 'Pause all agents' }).tap()
  await phone.foot('Taken back')
  assert.equal((await house.end(id)).outcome, 'denied')
  await phone.page.getByRole('button', { name: 'Close' }).tap()
  await phone.page.getByRole('heading', { name: 'All agents are paused' }).waitFor()
  assert.equal((await house.end((await house.ask(LINK)).id)).outcome, 'denied')
  await phone.page.getByRole('button', { name: 'Resume agents' }).tap()
  await phone.ready()
  await house.ask({ ...LINK, url: 'https://example.com/y' })
  await phone.card('Open a link')
})

test('the phone is removed: it says so, and takes nothing more', async () => {
  ruin()
  const { phones } = await house.nod('phones', 'list').then((r) => ({ phones: r.phones ?? r }))
  await house.nod('phones', 'revoke', phones[0].id)
  await phone.page.getByRole('heading', { name: 'This phone was removed' }).waitFor({ timeout: 30_000 })
  await phone.page.getByRole('button', { name: 'Pair again' }).tap()
  await phone.page.getByRole('heading', { name: 'Paste the code' }).waitFor()
})

test('nod is set back to a copy: the phone says so, and accepting it resumes agents', async (t) => {
  ruin()
  const copy = `${house.data}.copy`
  t.after(() => rm(copy, { force: true }))
  await house.nod('backup', copy)
  const { id } = await house.ask(LINK)
  await phone.card('Open a link')
  await phone.decline()
  await house.end(id)
  await phone.page.reload() // it sees the newer head
  await phone.ready()
  await house.kill()
  await house.nod('restore', copy)
  await house.up()
  await phone.page.getByRole('heading', { name: /^nod was set back to \d+ \w+$/ }).waitFor({ timeout: 30_000 })
  assert.equal((await house.end((await house.ask(LINK)).id)).outcome, 'denied')
  await phone.page.getByRole('button', { name: 'Accept and resume agents' }).tap()
  await phone.ready()
  await house.ask(LINK)
  await phone.card('Open a link')
})

test('not connected is said, and Confirm is off meanwhile', async () => {
  await house.ask(LINK)
  await phone.card('Open a link')
  await house.kill()
  await phone.page.locator('#confirm-why', { hasText: 'Not connected' }).waitFor()
  assert.equal(await phone.page.locator('.confirm').getAttribute('aria-disabled'), 'true')
  await phone.tap('.confirm')
  assert.equal(await phone.page.locator('.confirm').count(), 1, 'nothing was decided')
  await house.up()
})

test('one window holds the link; another says so and can take it', async () => {
  const second = await phone.context.newPage()
  await second.goto(house.url)
  await second.getByRole('heading', { name: 'nod is open in another window' }).waitFor()
  await second.getByRole('button', { name: 'Use here' }).tap()
  await second.getByRole('heading', { name: 'This phone is ready' }).waitFor({ timeout: 30_000 })
  await phone.page.getByRole('heading', { name: 'nod is open in another window' }).waitFor()
  await second.close()
  await phone.ready()
})
