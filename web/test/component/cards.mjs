// The storybook's cards on one page, for the tests of a file: loading it anew
// for each card costs more than what is looked at.

import { after, before } from 'node:test'

import { launch, phone } from '../browser.mjs'
import { serve } from '../serve.mjs'

/**
 * Opens the page before the tests and closes it after them.
 * @param {(page: import('playwright-core').Page, browser: import('playwright-core').Browser, origin: string) => void} take has them once they are there
 */
export function cards(take) {
  /** @type {Awaited<ReturnType<typeof serve>>} */ let site
  /** @type {import('playwright-core').Browser} */ let browser
  /** @type {import('playwright-core').Page} */ let page
  before(async () => {
    site = await serve()
    browser = await launch()
    page = await (await phone(browser, { viewport: { width: 360, height: 640 } })).newPage()
    take(page, browser, site.origin)
  })
  after(async () => {
    await browser?.close()
    await site?.close()
  })

  const address = (/** @type {Record<string, string>} */ query) => `${site.origin}/dev/cards?${new URLSearchParams(query)}`
  const drawn = () => page.locator('#events span[data-type=drawn]').waitFor({ state: 'attached' })

  /** Loads the page with a card: nothing is left of what a test did to it. @param {Record<string, string>} query */
  async function load(query) {
    await page.goto(address(query))
    await drawn()
  }

  /** Shows a card in the page as it is; resolves when it was drawn. @param {Record<string, string>} query */
  async function show(query) {
    if (!page.url().startsWith(site.origin)) return load(query)
    await page.evaluate((a) => {
      history.pushState(null, '', a)
      dispatchEvent(new PopStateEvent('popstate'))
    }, address(query))
    await drawn()
  }
  /** Until a touch and what it does are on the screen: Chromium answers a touch before the click that comes of it. */
  const touched = () => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  return { show, load, touched }
}
