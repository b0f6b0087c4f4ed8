// What people reported of other programs, and what this card says in each case.
// The numbers are those of docs/cases.md.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { cards } from './cards.mjs'

/** @type {import('playwright-core').Page} */ let page

const inPage = cards((p) => { page = p })

/** Tuesday 1 December 2026, 20:00 in a zone. */
const tuesdayEvening = (hoursAhead) => Date.UTC(2026, 11, 1, 20 - hoursAhead)

/** Draws an offer on the card, as a phone in a zone would at a moment. */
async function show(action, fields, { zone = 'Europe/Lisbon', now = tuesdayEvening(0), ...more } = {}) {
  const model = {
    call: 'call_case', agentName: 'Laptop · Claude Code', phoneName: 'Pixel 9', tool: 'phone_action', action, fields, summary: '', rule: 'always', risk: 'medium', badges: [], ttlMs: 120_000, zone, now, ...more,
  }
  await inPage.show({ model: JSON.stringify(model) })
}

/** Where a call stands, as the machine would say it. */
const becomes = (status) => page.evaluate((s) => {
  const card = document.querySelector('nod-card')
  card.update({ ...card.status, ...s })
}, status)

/** A row of the box: the label and what stands beside it. */
const rows = () => page.locator('.fields .row').evaluateAll((all) => all.map((r) => [...r.children].map((c) => c.innerText.replace(/\s*\n+\s*/g, ' | '))))
const foot = async () => {
  await inPage.touched()
  return page.locator('.foot .state').innerText()
}

test('case 2: a card whose time is up says so, and that nothing was done', async () => {
  await show('sms_draft', { to: ['+351 910 000 001'], text: 'Late 10 min' })
  await becomes({ phase: 'closed', ending: { kind: 'expired' } })
  assert.match(await foot(), /^Time is up\s+Nothing was done\. The agent hears that nobody answered\.$/)
  assert.equal(await page.locator('.confirm').count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Decline' }).count(), 0)
})

test('case 4: a card that another screen answered says where, and offers nothing', async () => {
  await show('sms_draft', { to: ['+351 910 000 001'], text: 'Late 10 min' })
  await becomes({ phase: 'closed', ending: { kind: 'answered', by: 'Ana’s tablet' } })
  assert.match(await foot(), /^Answered on Ana’s tablet\s+Nothing was done here\.$/)
  assert.deepEqual(await page.locator('.foot button').allInnerTexts(), ['Close'])
})

const ZONES = /** @type {const} */ ([['Asia/Tokyo', 9], ['America/Los_Angeles', -8], ['Europe/Lisbon', 0], ['Pacific/Kiritimati', 14]])

test('case 15: an all-day event is on its own day, from Los Angeles to Tokyo', async () => {
  for (const [zone, hours] of ZONES) {
    const at = { zone, now: tuesdayEvening(hours) }
    await show('calendar_event', { title: 'Offsite', start: '2026-12-03', end: '2026-12-03' }, at)
    assert.deepEqual((await rows()).slice(0, 2), [['Title', 'Offsite'], ['When', 'Thu 3 Dec, all day']], zone)
    await show('calendar_event', { title: 'Offsite', start: '2026-12-03', end: '2026-12-04' }, at)
    assert.deepEqual((await rows()).slice(1, 3), [['Starts', 'Thu 3 Dec, all day'], ['Last day', 'Fri 4 Dec']], zone)
    await show('calendar_event', { title: 'Offsite', start: '2026-12-02' }, at)
    assert.deepEqual((await rows())[1], ['When', 'tomorrow, Wed 2 Dec, all day'], zone)
  }
})

test('case 17: an alarm says when it rings, whatever the agent says of it', async () => {
  for (const [time, day] of [['22:00', 'today, Tue 1 Dec'], ['19:59', 'tomorrow, Wed 2 Dec'], ['20:00', 'tomorrow, Wed 2 Dec']]) {
    await show('alarm', { time, label: 'Bins' }, { summary: 'Alarm for 10 pm tomorrow' })
    assert.deepEqual((await rows())[0], ['Rings', `${time} | ${day}`])
  }
  assert.deepEqual((await rows())[1], ['Label', 'Bins'])
  assert.match(await page.locator('.quote').innerText(), /^The assistant says: “Alarm for 10 pm tomorrow”$/)
})

test('case 20: a service code is said to be one, and is held to confirm', async () => {
  await show('dial', { number: '*100#' }, { risk: 'high', badges: ['service_code'], rule: 'high_risk', app: 'app.dialer' })
  assert.deepEqual((await rows())[0], ['Number', '*100#'])
  assert.match(await page.locator('.badge').innerText(), /^A service code, not a phone number\n/)
  assert.equal(await page.locator('.confirm').innerText(), 'Hold to confirm')
})

test('case 21: a message stands on the card letter for letter, apart from its recipients', async () => {
  const text = 'Rock & roll #1? ação 👍'
  await show('sms_draft', { to: ['+351910000001', '+351910000002'], text })
  assert.deepEqual(await rows(), [['To', '+351910000001 | +351910000002'], ['Text', text]])
})

test('case 23: a route lists its stops in order, the destination last, a point by its numbers', async () => {
  await show('navigate', { destination: { query: 'Café Central, Porto' }, stops: [{ lat: '41.15', lon: '-8.61' }], mode: 'drive' }, { app: 'app.google_maps' })
  assert.deepEqual(await rows(), [['Going', '41.15, -8.61 | stop | Café Central, Porto | destination'], ['How', 'Driving'], ['Opens', 'Google Maps']])
})

test('case 25: a link shows its host in ASCII, whole, with the letters it stands for below', async () => {
  await show('open_url', { url: 'HTTP://www.xn--pypal-4ve.example/login' }, { badges: ['look_alike'], rule: 'badge' })
  assert.equal(await page.locator('bdi.link strong').innerText(), 'www.xn--pypal-4ve.example')
  assert.equal(await page.locator('bdi.link').innerText(), 'HTTP://www.xn--pypal-4ve.example/login')
  assert.equal(await page.locator('dd .also').innerText(), 'Also written www.pаypal.example')
})

test('case 35: two quick taps are one answer, in words from the first', async () => {
  await show('torch', { on: true }, { risk: 'low' })
  await page.locator('nod-card[data-open]').waitFor()
  const { x, y, width, height } = await page.locator('.confirm').boundingBox()
  for (let taps = 0; taps < 2; taps++) {
    await page.touchscreen.tap(x + width / 2, y + height / 2)
    assert.match(await foot(), /^Sending\s+Nothing has happened yet\.$/)
  }
  assert.deepEqual(await page.locator('#events span[data-type=decide]').allTextContents(), ['{"choice":"confirm"}'])
  await becomes({ phase: 'ended', ending: { kind: 'opened', started: true } })
  assert.match(await foot(), /^The app opened\s/)
})
