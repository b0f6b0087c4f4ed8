// A page of the real browser on which nothing of the app runs, for modules that
// are tried on their own.
import { after, before } from 'node:test'

import { launch, phone } from '../browser.mjs'
import { serve } from '../serve.mjs'

/** Opens the page before the tests of a file and closes it after them. Returns what runs code in it. */
export function emptyPage() {
  /** @type {Awaited<ReturnType<typeof serve>>} */ let site
  /** @type {import('playwright-core').Browser} */ let browser
  /** @type {import('playwright-core').Page} */ let page
  before(async () => {
    site = await serve()
    browser = await launch()
    page = await (await phone(browser)).newPage()
    await page.goto(`${site.origin}/dev/cards?page=broken`)
  })
  after(async () => {
    await browser.close()
    await site.close()
  })
  return (/** @type {string} */ code) => page.evaluate(code)
}
