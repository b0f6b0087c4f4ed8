// The pages against a real gateway: what is chosen holds and changes what is
// launched, the log proves what it says, and a keyboard is enough.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, beforeEach, test } from 'node:test'

import { check } from '../../app/receipt.js'
import { decode64, parsePublic } from '../../app/wire.js'
import { changed, launch } from '../browser.mjs'
import { House, ROUTE } from './house.mjs'

/** @type {House} */ let house
/** @type {import('playwright-core').Browser} */ let browser
/** @type {import('./house.mjs').PhonePage} */ let phone
/** @type {import('playwright-core').Page} */ let page

before(async () => {
  house = await House.start()
  browser = await launch()
  // A computer's browser: it opens map apps by their web addresses, in a window of their own.
  phone = await house.pair(browser, { userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36' })
  page = phone.page
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

/** @param {string} name @param {string} [title] */
async function go(name, title = name) {
  await page.locator('#bar').getByRole('link', { name }).click()
  await page.getByRole('heading', { level: 1, name: title }).waitFor()
}

/** Chooses, and waits until it is on the disk. @param {string} label @param {string} setting @param {string} value */
async function choose(label, setting, value) {
  await page.getByRole('radio', { name: label }).check()
  await page.evaluate(`import('/app/settings.js').then(async ({ readSettings }) => {
    while ((await readSettings()).${setting} !== '${value}') await new Promise((resolve) => setTimeout(resolve, 20))
  })`)
}

/** Asks for a link that is opened. @param {string} url */
async function opened(url) {
  const { id } = await house.ask({ action: 'open_url', url })
  await phone.card('Open a link')
  await phone.confirm()
  await phone.opens('Opening')
  assert.equal((await house.end(id)).outcome, 'opened')
  await phone.unhide()
  await phone.foot('opened')
  await phone.fold()
  return id
}

test('a test card comes by the way every card comes, and is in the log', async () => {
  await page.getByRole('button', { name: 'Send a test card' }).click()
  await phone.card('Open a link')
  assert.match(await page.locator('.who-name').innerText(), /nod test/)
  await phone.confirm()
  await phone.opens('Opening')
  await phone.unhide()
  await phone.foot('opened')
  assert.deepEqual(phone.launched, [`${house.url}/tested`])
  await phone.fold()
  await go('Log')
  await page.getByRole('link', { name: /Open a link: localhost/ }).waitFor()
})

test('one request in full: each step, the words the agent got, and a receipt that this phone checked', async () => {
  await go('Home', 'This phone is ready')
  const id = await opened('https://example.com/receipt')
  await page.getByRole('link', { name: /Open a link: example\.com/ }).first().click()
  await page.getByText('Checked on this phone').waitFor()
  assert.equal(new URL(page.url()).pathname, `/log/${id}`)
  assert.match(await page.locator('#page').innerText(), /the yes was given on this phone/)
  const fields = await page.locator('dl.fields').innerText()
  assert.match(fields, /https:\/\/example\.com\/receipt/)
  assert.match(fields, /Opens\s+Your browser/)
  assert.deepEqual(await page.locator('ol.times li span').allInnerTexts(), ['Sent to the phone', 'Arrived on the phone', 'On the screen', 'Answered', 'Go-ahead given', 'Ended'])
  assert.match(await page.locator('.told-text').innerText(), /opened/)
  await page.getByText('Show the proof').click()
  assert.match(await page.locator('.proof').innerText(), /All 6 entries of this request are in that log, unchanged\./)
  // What is saved can be checked by anybody, with nothing of this phone.
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save the receipt' }).click()])
  const saved = JSON.parse(await readFile(await download.path(), 'utf8'))
  assert.equal(saved.call, id)
  const checked = await check(saved.receipt, { call: id, outcome: 'opened', gateway: await parsePublic(decode64(saved.gateway)), key: (p) => saved.phones[p] })
  assert.equal(checked.flaw, null)
})

test('a receipt that does not hold says so, and what it claims is not told as true', async () => {
  const id = await opened('https://example.com/forged')
  await page.route(`**/phone/calls/${id}`, changed(async (route) => {
    const answer = await (await route.fetch()).json()
    answer.call.outcome = 'declined'
    await route.fulfill({ json: answer })
  }))
  await page.goto(`${house.url}/log/${id}`)
  await page.getByRole('alert').getByText('This receipt does not hold').waitFor()
  assert.match(await page.locator('.ending').innerText(), /Said, not proven: you said no/)
  assert.equal(await page.getByText('Checked on this phone').count(), 0)
  await page.unroute(`**/phone/calls/${id}`)
})

test('the log by day and by app, a page at a time', async () => {
  const { id } = await house.ask(ROUTE)
  await phone.card('Start a route')
  await phone.decline()
  await house.end(id)
  await phone.foot('You said no')
  await phone.fold()
  await page.route('**/phone/calls?*', (route) => route.continue({ url: route.request().url().replace(/limit=\d+/, 'limit=2') }))
  await go('Home', 'This phone is ready')
  await go('Log')
  const rows = page.locator('#page li')
  await rows.nth(1).waitFor()
  assert.equal(await rows.count(), 2)
  assert.match(await page.locator('#page h2').first().innerText(), /^Today/i)
  assert.match(await rows.first().innerText(), /Start a route: SFO Airport\s+\d+:\d+.*\s+you said no\s+Agent/)
  await page.getByRole('button', { name: 'Earlier' }).click()
  await rows.nth(2).waitFor()
  assert.ok(await rows.count() > 2)
  await page.unroute('**/phone/calls?*')
  await page.getByRole('button', { name: 'Maps' }).click()
  await page.waitForFunction(() => document.querySelectorAll('#page li').length === 1)
  assert.equal(await page.getByRole('button', { name: 'Maps' }).getAttribute('aria-pressed'), 'true')
})

test('the map app that is chosen stays, and is the one that opens', async () => {
  await go('Settings')
  await choose('Waze', 'map', 'waze')
  await page.reload()
  await go('Settings')
  assert.ok(await page.getByRole('radio', { name: 'Waze' }).isChecked())
  const { id } = await house.ask({ action: 'navigate', destination: { query: 'SFO Airport' } })
  await phone.card('Start a route')
  assert.match(await page.locator('dl.fields').innerText(), /Opens\s+Waze/)
  await phone.confirm()
  await phone.opens('Opening Waze')
  await house.end(id)
  await phone.unhide()
  assert.equal(phone.launched.length, 1)
  assert.match(phone.launched[0], /waze\.com\/ul\?q=SFO%20Airport/)
  await phone.foot('Waze opened')
  await phone.fold()
  await choose('Google Maps', 'map', 'google')
})

test('how long a card waits is kept for the person, and the next card has it', async () => {
  const kept = page.waitForResponse((r) => r.request().method() === 'PUT' && r.url().endsWith('/phone/settings') && r.ok())
  await page.getByRole('radio', { name: '5 min' }).check()
  await kept
  await page.reload()
  await page.locator('#wait-300:checked').waitFor({ state: 'attached' })
  const { id } = await house.ask({ action: 'open_url', url: 'https://example.com/wait' })
  await phone.card('Open a link')
  assert.match(await page.locator('.time-words').innerText(), /^(5:00|4:\d\d) left/)
  await phone.decline()
  await house.end(id)
  await phone.fold()
})

test('the theme holds before the first paint, and the system’s is the default', async () => {
  /** @param {'light' | 'dark'} theme */
  const is = async (theme) => {
    await page.waitForFunction((t) => document.documentElement.dataset.theme === t, theme)
    const colours = await page.evaluate(() => [getComputedStyle(document.body).backgroundColor, document.querySelector('meta[name=theme-color]')?.getAttribute('content')])
    assert.deepEqual(colours, theme === 'dark' ? ['rgb(21, 21, 19)', '#151513'] : ['rgb(246, 244, 239)', '#f6f4ef'])
  }
  await is('light')
  await choose('Dark', 'theme', 'dark')
  await is('dark')
  await page.addInitScript(() => requestAnimationFrame(() => { /** @type {any} */ (self).first = document.documentElement.dataset.theme }))
  await page.reload()
  await page.waitForFunction(() => 'first' in self)
  assert.equal(await page.evaluate(() => /** @type {any} */ (self).first), 'dark')
  await choose('Light', 'theme', 'light')
  await is('light')
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.evaluate(() => new Promise(requestAnimationFrame)) // the system's change has been told by then
  await is('light')
  await page.locator('#theme-').check()
  await is('dark')
  await page.emulateMedia({ colorScheme: 'light' })
  await is('light')
})

test('the language changes at once and stays', async () => {
  await choose('Deutsch', 'language', 'de')
  await page.getByRole('heading', { level: 1, name: 'Einstellungen' }).waitFor()
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'de')
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Einstellungen' }).waitFor()
  await page.getByRole('radio', { name: 'Automatisch' }).first().check()
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
})

test('a keyboard is enough: the bar, a choice, back to where one was', async () => {
  await go('Home', 'This phone is ready')
  for (let i = 0; i < 40 && (await page.evaluate(() => document.activeElement?.textContent)) !== 'Settings'; i++) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
  assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1')
  assert.equal(await page.title(), 'Settings · nod')
  await page.locator('#map-google').focus()
  await page.keyboard.press('ArrowDown')
  await page.waitForFunction(() => document.activeElement?.id === 'map-apple' && /** @type {HTMLInputElement} */ (document.activeElement).checked)
  await page.keyboard.press('ArrowUp')
  await page.waitForFunction(() => document.activeElement?.id === 'map-google' && /** @type {HTMLInputElement} */ (document.activeElement).checked)
  await page.evaluate(() => {
    const log = /** @type {HTMLElement} */ (document.querySelector('#bar a[href="/log"]'))
    scrollTo(0, 300)
    log.click()
  })
  await page.getByRole('heading', { level: 1, name: 'Log' }).waitFor()
  assert.equal(await page.evaluate(() => scrollY), 0)
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
  assert.equal(await page.evaluate(() => scrollY), 300)
  assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1')
})

test('without a connection each page says so, and comes back by itself', { timeout: 120_000 }, async () => {
  await go('Log')
  await page.locator('#page li').first().waitFor()
  await house.kill()
  await page.getByText('Not connected. This is what was known before.').waitFor()
  await go('Settings')
  await page.locator('#wait-120:disabled').waitFor({ state: 'attached' })
  await go('Home', 'This phone is not connected')
  await house.up()
  await page.getByRole('heading', { name: 'This phone is ready' }).waitFor({ timeout: 40_000 })
  await go('Settings')
  await page.locator('#wait-300:enabled').waitFor({ state: 'attached' })
})

test('unpairing says what goes and what stays, and can be left', async () => {
  await page.getByRole('button', { name: 'Unpair and erase this phone' }).click()
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'keep')
  assert.match(await page.locator('.alarm').innerText(), /its key, its settings.*\s+What was done stays done/i)
  await page.getByRole('button', { name: 'Keep it' }).click()
  await page.getByRole('button', { name: 'Unpair and erase this phone' }).waitFor()
  // What the killed gateway did not answer, and what was asked under a link that another took over at that moment.
  assert.deepEqual(phone.errors.filter((e) => !/ERR_CONNECTION|WebSocket|status of 401/.test(e)), [])
})
