// Setting up, step by step, on each kind of device, and each way it can go
// wrong. The iPhone is Chromium under Safari's name: what Safari itself does was
// never run here.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { devices } from 'playwright-core'

import { changed, launch, phone as context } from '../browser.mjs'
import { serve } from '../serve.mjs'
import { House, PhonePage } from './house.mjs'

const IPHONE = devices['iPhone 15']
const DESKTOP = { userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36', viewport: { width: 1280, height: 800 }, isMobile: false, hasTouch: false }

/** @type {House} */ let house
/** @type {import('playwright-core').Browser} */ let browser
/** @type {PhonePage} */ let first

before(async () => {
  house = await House.start()
  browser = await launch()
  first = await house.pair(browser)
  await first.ready()
})
after(async () => {
  await browser?.close()
  await house?.stop()
})

/** A link, and the code in it. */
async function invite(...args) {
  const { link } = await house.nod('pair', '--no-wait', ...args)
  return { link, code: link.split('#')[1] }
}

/** @param {object} [options] @param {boolean} [standalone] */
async function open(options, standalone = false) {
  const c = await context(browser, { permissions: ['clipboard-read', 'clipboard-write'], reducedMotion: 'reduce', ...options })
  if (standalone) await c.addInitScript(() => Object.defineProperty(navigator, 'standalone', { value: true }))
  return c.newPage()
}

const heading = (page, name) => page.getByRole('heading', { level: 1, name }).waitFor({ timeout: 30_000 })
const step = async (page, text) => assert.equal(await page.locator('.steps > span').first().textContent(), text)
/** What this browser keeps. */
const kept = (page) => page.evaluate(async () => {
  const names = (await indexedDB.databases()).map((d) => d.name)
  if (!names.includes('nod')) return []
  return new Promise((resolve) => {
    const request = indexedDB.open('nod')
    request.onsuccess = () => {
      const all = request.result.transaction('phone').objectStore('phone').getAllKeys()
      all.onsuccess = () => resolve(all.result.filter((k) => k !== 'settings'))
    }
  })
})

test('on an iPhone: nothing is paired in the tab, and the code is pasted on the home screen', async () => {
  const { link, code } = await invite('--recover')
  const tab = await open(IPHONE)
  await tab.goto(link)
  await heading(tab, 'Put nod on the Home Screen first')
  await step(tab, 'Step 1 of 3')
  assert.equal(new URL(tab.url()).hash, '', 'the code left the address')
  assert.equal(await tab.getByRole('button', { name: 'Pair' }).count(), 0)
  await tab.reload()
  await tab.getByRole('button', { name: 'Copy the code' }).tap()
  await tab.getByText('Copied.').waitFor()
  assert.equal(await tab.evaluate(() => navigator.clipboard.readText()), code)
  assert.deepEqual(await kept(tab), [], 'nothing is kept beyond the tab')
  const other = await tab.context().newPage()
  await other.goto(house.url)
  await heading(other, 'Put nod on the Home Screen first')
  assert.equal(await other.getByRole('button', { name: 'Copy the code' }).count(), 0, 'another tab knows nothing of the code')
  await tab.context().close()

  const app = await open(IPHONE, true) // a memory of its own, as on the home screen
  await app.goto(house.url)
  await heading(app, 'Paste the code')
  await step(app, 'Step 2 of 3')
  assert.equal(await app.locator('input').count(), 1)
  await app.evaluate((text) => navigator.clipboard.writeText(text), code)
  await app.getByRole('button', { name: 'Paste' }).tap()
  await app.getByLabel('Call this phone').fill('Ana’s iPhone')
  await app.getByRole('button', { name: 'Pair' }).tap()
  await heading(app, 'Let nod wake this phone')
  await step(app, 'Step 3 of 3')
  await new PhonePage(app.context(), app).ready()
  assert.deepEqual((await kept(app)).filter((k) => k === 'setup'), [])
  await app.context().close()
})

test('on Android: paired at once, then the home screen, then waking; who leaves in the middle comes back to it', async () => {
  const { link } = await invite('--recover')
  const page = await open()
  await page.goto(link)
  await heading(page, 'Make this your phone for nod')
  await step(page, 'Step 1 of 3')
  await page.getByLabel('Call this phone').fill('Pixel')
  await page.getByRole('button', { name: 'Pair' }).tap()
  await heading(page, 'Put nod on the home screen')
  await step(page, 'Step 2 of 3')
  await page.getByText('Tap the three dots').waitFor()
  await page.goto('about:blank')
  await page.goto(house.url)
  await heading(page, 'Put nod on the home screen')
  // Headless Chromium never offers to install: the offer is a stand-in.
  await page.evaluate(() => dispatchEvent(Object.assign(new Event('beforeinstallprompt'), { prompt: async () => { dispatchEvent(new Event('appinstalled')) } })))
  await page.getByRole('button', { name: 'Install' }).tap()
  await heading(page, 'nod is on the home screen')

  // The same memory, opened from the home screen while the tab still holds the link.
  await page.context().addInitScript(() => Object.defineProperty(navigator, 'standalone', { value: true }))
  const app = await page.context().newPage()
  await app.goto(house.url)
  await heading(app, 'Let nod wake this phone')
  await step(app, 'Step 3 of 3')
  await heading(page, 'nod is open in another window')
  await app.locator('#done').tap()
  await heading(app, 'This phone is ready')
  await app.reload()
  await heading(app, 'This phone is ready')
  await page.context().close()
})

test('a card that comes while setting up lies over it', async () => {
  const page = await open()
  const { link } = await invite('--recover')
  await page.goto(link)
  await page.getByLabel('Call this phone').fill('Busy')
  await page.getByRole('button', { name: 'Pair' }).tap()
  await heading(page, 'Put nod on the home screen')
  await page.setViewportSize({ width: 360, height: 480 })
  await page.locator('#later').tap() // at the end of the page
  await page.locator('#done').waitFor() // it is connected, and the step is drawn
  assert.equal(await page.evaluate(() => scrollY), 0, 'the next step begins at its top')
  await house.agent('Another agent') // a recovery paused the first
  const { id } = await house.ask({ action: 'open_url', url: 'https://example.com/x' }, { 'Nod-Phone': 'Busy' })
  await page.getByRole('dialog', { name: 'Open a link' }).waitFor({ timeout: 30_000 })
  await page.getByRole('button', { name: 'Decline', exact: true }).tap()
  assert.equal((await house.end(id)).outcome, 'declined')
  await page.getByRole('button', { name: 'Close' }).tap()
  await heading(page, 'Let nod wake this phone')
  await page.context().close()
})

test('on a computer: two steps, and it says where things happen', async () => {
  const { link } = await invite('--recover')
  const page = await open(DESKTOP)
  await page.goto(link)
  await heading(page, 'Use this browser as your phone for nod')
  await step(page, 'Step 1 of 2')
  await page.getByText('happens on this computer').waitFor()
  await page.getByRole('button', { name: 'Pair' }).click()
  await heading(page, 'Let nod reach you on this computer')
  await step(page, 'Step 2 of 2')
  await page.context().close()
})

test('a second phone that is put away while it waits finds its place again', async () => {
  const { link } = await invite()
  const page = await open()
  await page.goto(link)
  await page.getByLabel('Call this phone').fill('Patient')
  await page.getByRole('button', { name: 'Pair' }).tap()
  await heading(page, 'Allow this phone on the other one')
  const digits = await page.locator('.digits').textContent()
  await page.goto('about:blank')
  await page.goto(house.url)
  await heading(page, 'Allow this phone on the other one')
  assert.equal(await page.locator('.digits').textContent(), digits)
  await first.page.goto(`${house.url}/phones`)
  await first.page.getByRole('region', { name: 'Patient' }).getByRole('button', { name: 'Allow' }).tap()
  await heading(page, 'Put nod on the home screen')
  assert.ok(!(await kept(page)).includes('pending'))
  await page.context().close()
})

test('a name that is taken: another one, on the same link', async () => {
  const { link } = await invite('--recover')
  const page = await open()
  await page.goto(link)
  await page.getByRole('button', { name: 'Pair' }).tap()
  await page.getByText('You have a phone called “Android phone” already.').waitFor()
  assert.equal(await page.getByLabel('Call this phone').inputValue(), 'Android phone 2')
  await page.getByRole('button', { name: 'Pair' }).tap()
  await heading(page, 'Put nod on the home screen')
  await page.context().close()
})

test('a phone that says what it is called has that name at first', async () => {
  const { link } = await invite()
  const page = await open()
  await page.addInitScript(() => { /** @type {any} */ (self).NavigatorUAData.prototype.getHighEntropyValues = async () => ({ model: 'Pixel 9' }) })
  await page.goto(link)
  assert.equal(await page.getByLabel('Call this phone').inputValue(), 'Pixel 9')
  await page.context().close()
})

test('paired already: it says what pairing again means, and can leave it', async () => {
  const { link } = await invite()
  await first.page.goto(link)
  await first.page.getByText('This phone is paired already, as “Android phone”.').waitFor()
  await first.page.getByRole('button', { name: 'Leave it as it is' }).tap()
  await first.ready()
})

/** Each with the answer that /pair gives, and what the person then reads. @type {[string, (route: import('playwright-core').Route) => any, string, string][]} */
const WRONG = [
  ['no proof', changed(async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), mac: 'A'.repeat(43) } })
  }), 'This is not the nod that made the link', 'Use another link'],
  ['offline', (route) => route.abort(), `localhost:PORT cannot be reached`, 'Try again'],
  ['too many tries', (route) => route.fulfill({ status: 429, json: { error: { code: 'too_many', message: 'slow down' } } }), 'Too many tries', 'Try again'],
  ['a full disk', (route) => route.fulfill({ status: 503, json: { error: { code: 'storage_unavailable', message: 'the log cannot be written' } } }), 'Pairing did not work', 'Use another link'],
]
for (const [name, answer, title, way] of WRONG) {
  test(`it goes wrong: ${name}`, async () => {
    const { link } = await invite('--recover')
    const page = await open()
    let wrong = true
    await page.route('**/pair', (route) => (wrong && route.request().method() === 'POST' ? answer(route) : route.continue()))
    await page.goto(link)
    await page.getByLabel('Call this phone').fill(`Phone, ${name}`)
    await page.getByRole('button', { name: 'Pair' }).tap()
    await heading(page, title.replace('PORT', String(house.port)))
    assert.ok(!(await kept(page)).includes('identity'), 'nothing was set up')
    wrong = false
    await page.getByRole('button', { name: way }).tap()
    if (way === 'Try again') {
      await page.getByRole('button', { name: 'Pair' }).tap()
      await heading(page, 'Put nod on the home screen')
    } else await heading(page, 'Paste the code')
    await page.context().close()
  })
}

test('a code that this nod did not make, and a link of another', async () => {
  const page = await open()
  await page.goto(`${house.url}/pair#${'A'.repeat(22)}`)
  await page.getByRole('button', { name: 'Pair' }).tap()
  await heading(page, 'This pairing link has expired')
  await page.getByRole('button', { name: 'Use another link' }).tap()
  await page.getByLabel('Pairing link or code').fill(`https://other.example/pair#${'A'.repeat(22)}`)
  await page.getByRole('button', { name: 'Next' }).tap()
  await page.getByText('This link belongs to nod at other.example').waitFor()
  await page.context().close()
})

test('a clock that is wrong is told', async () => {
  const { link } = await invite('--recover')
  const page = await open()
  await page.route('**/pair', changed(async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    const response = await route.fetch()
    await route.fulfill({ response, headers: { ...response.headers(), date: new Date(Date.now() - 3 * 3_600_000).toUTCString() } })
  }))
  await page.goto(link)
  await page.getByLabel('Call this phone').fill('Late')
  await page.getByRole('button', { name: 'Pair' }).tap()
  await page.getByText('This phone’s clock and the computer’s are 3 hrs apart.').waitFor()
  await page.context().close()
})

test('an address that is not secure, and a window inside another app', async () => {
  const site = await serve() // a name of nobody's, with the app's files behind it
  const lan = await open()
  await lan.route((url) => url.hostname === 'nod.example', changed(async (route) => route.fulfill({ response: await route.fetch({ url: route.request().url().replace('http://nod.example', site.origin) }) })))
  await lan.goto('http://nod.example/pair')
  await heading(lan, 'This address is not secure')
  await lan.context().unrouteAll({ behavior: 'ignoreErrors' }) // an icon may still be on its way
  await lan.context().close()
  await site.close()

  const { link } = await invite()
  const inside = await open({ userAgent: 'Mozilla/5.0 (Linux; Android 15; Pixel 9; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/140.0.0.0 Mobile Safari/537.36' })
  await inside.goto(link)
  await heading(inside, 'Open this in your browser')
  await inside.getByRole('button', { name: 'Copy the link' }).tap()
  await inside.getByText('Copied.').waitFor()
  assert.equal(await inside.evaluate(() => navigator.clipboard.readText()), link)
  await inside.context().close()
})

test('a changed address: serve refuses it, and the phone says why nothing comes', async () => {
  const moved = await House.start()
  await moved.kill()
  // To Chromium every name under localhost is this machine, and secure.
  const old = `http://nod.localhost:${moved.port}`
  moved.args = ['--public-url', old]
  await moved.up()
  const { link } = await moved.nod('pair', '--no-wait')
  assert.ok(link.startsWith(old))
  const page = await open()
  await page.goto(link)
  await page.getByRole('button', { name: 'Pair' }).tap()
  const phone = new PhonePage(page.context(), page)
  await phone.ready()
  await moved.kill()

  moved.args = ['--public-url', `http://other.localhost:${moved.port}`]
  await assert.rejects(moved.up(), new RegExp(`the phones know this gateway as ${old}`))
  moved.args.push('--accept-new-url')
  await moved.up()
  await page.goto(old)
  await heading(page, 'nod no longer goes by this address')
  await page.getByText(`This phone was paired at nod.localhost:${moved.port}`).waitFor()

  await page.goto(`http://other.localhost:${moved.port}`)
  await heading(page, 'Paste the code')
  await page.getByText(`Then it was under another address than other.localhost:${moved.port}`).waitFor()
  await page.context().close()
  await moved.stop()
})

test('a browser that cannot run the app says so after a while', async () => {
  const page = await open({ reducedMotion: 'reduce' })
  await page.route('**/app/main.js', (route) => route.fulfill({ contentType: 'text/javascript', body: 'this is newer than the browser' }))
  await page.addInitScript(() => {
    const look = () => {
      const late = document.querySelector('.late')
      if (late) Object.assign(self, { first: getComputedStyle(late).visibility })
      else requestAnimationFrame(look)
    }
    look()
  })
  await page.goto(house.url)
  await page.waitForFunction(() => 'first' in self)
  assert.equal(await page.evaluate(() => /** @type {any} */ (self).first), 'hidden')
  await page.getByText('this browser is too old for it').waitFor()
  await page.context().close()
})
