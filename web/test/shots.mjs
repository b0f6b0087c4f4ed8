// Screenshots of every card, state and page, to be looked at: node shots.mjs [FOLDER] [WORD…]
// WORDs keep only what has one of them in its name. The folder is temporary by default.

import { mkdtemp, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { launch, phone, SIZES } from './browser.mjs'
import { serve } from './serve.mjs'
import { named, storybook } from './stories.mjs'

/** A card that waits opens its Confirm only after a while. */
const SETTLE_MS = 800

const [folder = await mkdtemp(join(tmpdir(), 'nod-shots-')), ...words] = process.argv.slice(2)
await mkdir(folder, { recursive: true })

const site = await serve()
const browser = await launch()
// All sizes and both themes side by side: most of the time is waiting.
const counts = await Promise.all(['light', 'dark'].flatMap((colorScheme) => SIZES.map((size) => shoot(size, colorScheme))))
await browser.close()
await site.close()
console.log(`${counts.reduce((a, b) => a + b)} pictures in ${folder}`)

/** @param {number[]} size @param {string} colorScheme @returns {Promise<number>} how many pictures */
async function shoot([width, height], colorScheme) {
  const context = await phone(browser, { viewport: { width, height }, colorScheme, isMobile: width < 1000 }, 1.5)
  const { page, all } = await storybook(context, site.origin)
  const wanted = all.filter((address) => !words.length || words.some((w) => named(address).includes(w)))
  for (const address of wanted) {
    await page.evaluate((a) => /** @type {any} */ (self).show(a), address)
    const card = address.includes('card=')
    if (card && !address.includes('state=')) await page.waitForTimeout(SETTLE_MS)
    // A page is shown to its end, with its bar there: not halfway, where the screen ends.
    if (!card) await page.setViewportSize({ width, height: await page.evaluate((least) => Math.max(least, document.documentElement.scrollHeight), height) })
    await page.screenshot({ path: join(folder, `${`${named(address)} ${width}x${height} ${colorScheme}`.replace(/[^\w]+/g, '-')}.png`) })
    if (!card) await page.setViewportSize({ width, height })
  }
  await context.close()
  return wanted.length
}
