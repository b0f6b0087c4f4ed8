// Screenshots of every card and state, to be looked at: node shots.mjs [FOLDER] [WORD…]
// WORDs keep only what has one of them in its name. The folder is temporary by default.

import { mkdtemp, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { CARDS, STATES } from '../dev/samples.js'
import { launch, phone, SIZES } from './browser.mjs'
import { serve } from './serve.mjs'

const [folder = await mkdtemp(join(tmpdir(), 'nod-shots-')), ...words] = process.argv.slice(2)
await mkdir(folder, { recursive: true })

const wanted = [
  ...Object.keys(CARDS).map((card) => [card, 'waiting']),
  ...Object.keys(STATES).filter((s) => s !== 'waiting').map((state) => ['navigate', state]),
].filter(([card, state]) => !words.length || words.some((w) => `${card} ${state}`.includes(w)))

const site = await serve()
const browser = await launch()
for (const colorScheme of ['light', 'dark']) {
  for (const [width, height] of SIZES) {
    const context = await phone(browser, { viewport: { width, height }, colorScheme, deviceScaleFactor: 1.5, isMobile: width < 1000 })
    const page = await context.newPage()
    for (const [card, state] of wanted) {
      await page.goto(`${site.origin}/dev/cards?${new URLSearchParams({ card, state })}`)
      await page.locator('#events span[data-type=drawn]').waitFor({ state: 'attached' })
      await page.waitForTimeout(state === 'waiting' ? 800 : 50)
      const name = `${card} ${state} ${width}x${height} ${colorScheme}`.replace(/[^\w]+/g, '-')
      await page.screenshot({ path: join(folder, `${name}.png`) })
    }
    await context.close()
  }
}
await browser.close()
await site.close()
console.log(`${wanted.length * 2 * SIZES.length} pictures in ${folder}`)
