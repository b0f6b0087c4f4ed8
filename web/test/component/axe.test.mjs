// WCAG 2.2 AA as far as a machine can see it: every card, state and page, in
// both themes, by axe-core.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, before, test } from 'node:test'

import { launch, phone } from '../browser.mjs'
import { serve } from '../serve.mjs'

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** @type {Awaited<ReturnType<typeof serve>>} */ let site
/** @type {import('playwright-core').Browser} */ let browser
before(async () => {
  site = await serve()
  browser = await launch()
})
after(async () => {
  await browser.close()
  await site.close()
})

for (const colorScheme of ['light', 'dark']) {
  test(`nothing for axe to find, ${colorScheme}`, { timeout: 240_000 }, async () => {
    // The page's own rules forbid any script but its own; axe is the test's.
    const context = await phone(browser, { colorScheme, viewport: { width: 360, height: 640 }, bypassCSP: true })
    const page = await context.newPage()
    await page.addInitScript({ path: axe })
    await page.goto(`${site.origin}/dev/cards`)
    await page.locator('#page a').first().waitFor()
    const all = await page.locator('#page a').evaluateAll((as) => as.map((a) => a.getAttribute('href')))
    assert.ok(all.length > 60, 'the storybook is there')
    for (const address of all) {
      await page.goto(`${site.origin}${address}`)
      if (address.includes('card=')) await page.locator('#events span[data-type=drawn]').waitFor({ state: 'attached' })
      else await page.locator('h1').waitFor()
      const found = await page.evaluate(() => /** @type {any} */ (self).axe.run(document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], resultTypes: ['violations'],
      }).then((r) => r.violations.map((v) => `${v.id}: ${v.nodes.map((n) => `${n.target} ${n.failureSummary}`).join('; ')}`)))
      assert.deepEqual(found, [], decodeURIComponent(address))
    }
  })
}
