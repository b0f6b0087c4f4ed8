// How long a phone takes from an offer's arrival to the card on the screen, as
// a share of what the same phone takes to paint a page with one word on it. In
// Chromium as a Pixel 7 whose processor is slowed down four times, with a real
// gateway. It reports and asserts nothing: node bench.mjs [ROUNDS]

import { createServer } from 'node:http'
import { cpus } from 'node:os'

import { launch } from './browser.mjs'
import { House, ROUTE } from './e2e/house.mjs'

const ROUNDS = Number(process.argv[2] ?? 20)
const SLOWER = 4

/** In the page: notes when an offer comes in and when its card was drawn. */
function watch() {
  const seen = { offer: 0, drawn: 0 }
  Object.assign(self, { seen })
  self.WebSocket = class extends WebSocket {
    constructor(...args) {
      super(...args)
      this.addEventListener('message', ({ data }) => {
        if (String(data).includes('"kind":"offer"')) Object.assign(seen, { offer: performance.now(), drawn: 0 })
      })
    }
  }
  addEventListener('drawn', () => { seen.drawn = performance.now() })
}

/** A page with one word. */
async function blankSite() {
  const server = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>blank</title><p>blank'))
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { url: `http://localhost:${port}/`, close: () => server.close() }
}

/** @param {import('playwright-core').Page} page */
async function slowDown(page) {
  const client = await page.context().newCDPSession(page)
  await client.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
}

/** Milliseconds to the first paint of a blank page. @param {import('playwright-core').Page} page @param {string} url */
async function paint(page, url) {
  await page.goto(url)
  return page.evaluate(() => new Promise((resolve) => new PerformanceObserver((list) => {
    resolve(list.getEntriesByName('first-paint')[0].startTime)
  }).observe({ type: 'paint', buffered: true })))
}

/** Milliseconds from an offer to its card. @param {House} house @param {import('playwright-core').Page} page @param {number} round */
async function card(house, page, round) {
  await house.agent(`Agent ${round}`)
  const { id } = await house.ask(ROUTE)
  await page.waitForFunction(() => /** @type {any} */ (self).seen.offer && /** @type {any} */ (self).seen.drawn)
  const took = await page.evaluate(() => /** @type {any} */ (self).seen.drawn - /** @type {any} */ (self).seen.offer)
  await house.http('POST', `/v1/calls/${id}/cancel`)
  await page.getByRole('button', { name: 'Close' }).tap()
  await page.evaluate(() => Object.assign(/** @type {any} */ (self).seen, { offer: 0, drawn: 0 }))
  return took
}

/** @param {number[]} all @param {number} share */
const at = (all, share) => all.toSorted((a, b) => a - b)[Math.min(all.length - 1, Math.floor(all.length * share))]

const house = await House.start()
const browser = await launch()
const blank = await blankSite()
try {
  const phone = await house.pair(browser)
  await phone.ready()
  await phone.context.addInitScript(watch)
  await phone.page.reload()
  await phone.ready()
  const other = await phone.context.newPage()
  const [cards, paints] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])]
  for (let round = 0; round < ROUNDS; round++) {
    await slowDown(other)
    await other.bringToFront()
    paints.push(await paint(other, blank.url))
    await phone.page.bringToFront()
    await slowDown(phone.page)
    cards.push(await card(house, phone.page, round))
  }
  const [c, p] = [at(cards, 0.5), at(paints, 0.5)]
  console.log(`${cpus().length} cores, ${cpus()[0].model.trim()}, Chromium ${browser.version()}, Node ${process.version}, ${ROUNDS} rounds, ${SLOWER} times slower`)
  console.log(`from an offer to its card drawn: ${c.toFixed(0)} ms in the middle, ${at(cards, 0.9).toFixed(0)} ms for nine in ten`)
  console.log(`first paint of a blank page: ${p.toFixed(0)} ms in the middle, ${at(paints, 0.9).toFixed(0)} ms for nine in ten`)
  console.log(`ratio: ${(c / p).toFixed(2)}`)
} finally {
  await browser.close()
  await house.stop()
  blank.close()
}
