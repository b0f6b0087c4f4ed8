// WCAG 2.2 AA as far as a machine can see it: every card, state and page, in
// both themes, by axe-core.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, before, test } from 'node:test'

import { launch, phone } from '../browser.mjs'
import { serve } from '../serve.mjs'
import { named, storybook } from '../stories.mjs'

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

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** The dark theme changes colours and nothing else. @type {[theme: 'light' | 'dark', runOnly: any][]} */
const THEMES = [['light', WCAG], ['dark', { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }]]

test('nothing for axe to find, light and dark', { timeout: 600_000 }, async () => {
  // The page's own rules forbid any script but its own; axe is the test's.
  const context = await phone(browser, { viewport: { width: 360, height: 640 }, reducedMotion: 'reduce', bypassCSP: true })
  await context.addInitScript({ path: axe })
  const { page, shapes: all } = await storybook(context, site.origin)
  assert.ok(all.length > 100, 'the storybook is there')
  /** @type {Record<string, string[]>} */ const wrong = {}
  for (const address of all) {
    // Tall enough that the bar at the bottom lies over nothing: what is under it can be scrolled to.
    if (address.includes('page=')) await page.setViewportSize({ width: 360, height: 3200 })
    const found = await page.evaluate(async ([address, themes]) => {
      const { show, axe } = /** @type {any} */ (self)
      await show(address)
      /** @type {string[]} */ const found = []
      /** @type {Set<string>} */ const grounds = new Set()
      for (const [theme, runOnly] of themes) {
        document.documentElement.dataset.theme = theme
        grounds.add(getComputedStyle(document.body).backgroundColor)
        const { violations, passes } = await axe.run(document, { runOnly, resultTypes: ['violations', 'passes'] })
        if (!passes.length) found.push(`${theme}: axe looked at nothing`)
        found.push(...violations.map((/** @type {any} */ v) => `${theme}: ${v.id}: ${v.nodes.map((/** @type {any} */ n) => `${n.target} ${n.failureSummary}`).join('; ')}`))
      }
      if (grounds.size !== themes.length) found.push('the themes look the same')
      return found
    }, /** @type {[string, any]} */ ([address, THEMES]))
    if (found.length) wrong[named(address)] = found
  }
  assert.deepEqual(wrong, {})
  await context.close()
})

test('axe finds what is wrong, so that finding nothing means something', async () => {
  const context = await phone(browser, { bypassCSP: true })
  await context.addInitScript({ path: axe })
  const { page } = await storybook(context, site.origin)
  const found = await page.evaluate(async (runOnly) => {
    const { show, axe } = /** @type {any} */ (self)
    await show('/dev/cards?page=home')
    const button = /** @type {HTMLElement} */ (document.querySelector('#page button'))
    button.textContent = ''
    const words = /** @type {HTMLElement} */ (document.querySelector('#page .second'))
    words.style.color = '#999'
    words.style.background = '#aaa'
    return (await axe.run(document, { runOnly })).violations.map((/** @type {any} */ v) => v.id)
  }, /** @type {any} */ (WCAG))
  assert.ok(found.includes('button-name') && found.includes('color-contrast'), String(found))
  await context.close()
})
