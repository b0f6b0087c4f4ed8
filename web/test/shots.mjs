// Screenshots of every card, state and page, to be looked at: node shots.mjs [FOLDER] [WORD…]
// WORDs keep only what has one of them in its name. The folder is temporary by default.

import { mkdtemp, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { launch, phone, SIZES } from './browser.mjs'
import { serve } from './serve.mjs'

const [folder = await mkdtemp(join(tmpdir(), 'nod-shots-')), ...words] = process.argv.slice(2)
await mkdir(folder, { recursive: true })

const site = await serve()
const browser = await launch()
const wanted = (await contents()).filter((address) => !words.length || words.some((w) => decodeURIComponent(address).includes(w)))
for (const colorScheme of ['light', 'dark']) {
  for (const [width, height] of SIZES) {
    const context = await phone(browser, { viewport: { width, height }, colorScheme, deviceScaleFactor: 1.5, isMobile: width < 1000 })
    const page = await context.newPage()
    for (const address of wanted) {
      await page.goto(`${site.origin}${address}`)
      const card = address.includes('card=')
      if (card) await page.locator('#events span[data-type=drawn]').waitFor({ state: 'attached' })
      await page.waitForTimeout(card && !address.includes('state=') ? 800 : 50)
      const name = `${decodeURIComponent(address.split('?')[1].replace(/\+/g, ' '))} ${width}x${height} ${colorScheme}`.replace(/[^\w]+/g, '-')
      // A page is shown to its end, with its bar there: not halfway, where the screen ends.
      if (!card) await page.setViewportSize({ width, height: await page.evaluate((least) => Math.max(least, document.documentElement.scrollHeight), height) })
      await page.screenshot({ path: join(folder, `${name}.png`) })
      if (!card) await page.setViewportSize({ width, height })
    }
    await context.close()
  }
}
await browser.close()
await site.close()
console.log(`${wanted.length * 2 * SIZES.length} pictures in ${folder}`)

/** What the storybook lists. */
async function contents() {
  const page = await browser.newPage()
  await page.goto(`${site.origin}/dev/cards`)
  const links = page.locator('#page a')
  await links.first().waitFor()
  const all = await links.evaluateAll((as) => as.map((a) => a.getAttribute('href')))
  await page.close()
  return all
}
