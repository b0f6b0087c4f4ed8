// How phones come to count: the first by its link, another by a yes on the first.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { launch, phone as context } from '../browser.mjs'
import { House, PhonePage } from './house.mjs'

/** @type {House} */ let house
/** @type {import('playwright-core').Browser} */ let browser
/** @type {import('./house.mjs').PhonePage} */ let first

before(async () => {
  house = await House.start()
  browser = await launch()
})
after(async () => {
  await browser?.close()
  await house?.stop()
})

test('the first phone: by its link, and the secret leaves the address', async () => {
  first = await house.pair(browser)
  await first.ready()
  assert.equal(new URL(first.page.url()).hash, '')
})

test('the private key cannot be read out', async () => {
  const got = await first.page.evaluate(() => new Promise((resolve) => {
    const request = indexedDB.open('nod')
    request.onsuccess = () => {
      const get = request.result.transaction('phone').objectStore('phone').get('identity')
      get.onsuccess = async () => {
        const { privateKey } = get.result.keys
        resolve([privateKey.extractable, await crypto.subtle.exportKey('pkcs8', privateKey).then(() => 'exported', (e) => e.name)])
      }
    }
  }))
  assert.deepEqual(got, [false, 'InvalidAccessError'])
})

test('a link is good once', async () => {
  const { link } = await house.nod('pair', '--no-wait')
  const second = await house.enter(browser, link)
  await second.page.getByRole('heading', { name: 'Allow this phone on the other one' }).waitFor()
  const third = await house.enter(browser, link)
  await third.page.getByRole('heading', { name: 'This pairing link was used already' }).waitFor()
  await second.close()
  await third.close()
})

test('something that is no link is refused in words', async () => {
  const page = await (await context(browser)).newPage()
  await page.goto(house.url)
  await page.getByLabel('Pairing link or code').fill('hello')
  await page.getByRole('button', { name: 'Next' }).tap()
  await page.getByText('This is not a pairing link').waitFor()
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'code')
  await page.context().close()
})

test('a second phone waits for a yes on the first, with the same six digits on both', async () => {
  const { link } = await house.nod('pair', '--no-wait')
  const page = await (await context(browser)).newPage()
  await page.goto(house.url)
  await page.getByLabel('Pairing link or code').fill(` ${link} `)
  await page.getByRole('button', { name: 'Next' }).tap()
  await page.getByLabel('Call this phone').fill('Ana’s tablet')
  await page.getByRole('button', { name: 'Pair' }).tap()
  const digits = await page.locator('.digits').textContent()
  assert.match(digits, /^\d{3} \d{3}$/)
  await first.page.goto(`${house.url}/phones`)
  const asked = first.page.getByRole('region', { name: 'Ana’s tablet' })
  await asked.waitFor({ timeout: 30_000 })
  assert.equal(await asked.locator('.digits').textContent(), digits)
  await asked.getByRole('button', { name: 'Allow' }).tap()
  await new PhonePage(page.context(), page).ready()
  await first.page.getByText('“Ana’s tablet” can confirm for you now.').waitFor()
  await page.context().close()
})

test('and the first can say no', async () => {
  const { link } = await house.nod('pair', '--no-wait')
  const other = await house.enter(browser, link)
  await other.page.getByRole('heading', { name: 'Allow this phone on the other one' }).waitFor()
  const digits = await other.page.locator('.digits').innerText()
  await first.page.goto(`${house.url}/phones`)
  await first.page.getByRole('region').filter({ hasText: digits }).getByRole('button', { name: 'Decline' }).tap() // one that was closed waits too
  await other.page.getByRole('heading', { name: 'The other phone said no' }).waitFor({ timeout: 30_000 })
  await other.close()
})

test('another key at the same address is not trusted', async () => {
  await house.kill()
  const other = await House.start()
  await other.kill()
  other.port = house.port
  await other.up()
  await first.page.goto(house.url)
  await first.page.getByRole('heading', { name: 'This is not the nod this phone was paired with' }).waitFor({ timeout: 30_000 })
  await other.stop()
})

test('without any connection the page opens and says so', async () => {
  await first.page.goto(house.url).catch(() => {})
  await first.page.getByRole('heading', { name: 'This phone is not connected' }).waitFor({ timeout: 30_000 })
})
