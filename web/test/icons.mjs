// Draws the PNG icons from the SVG ones: node icons.mjs

import { readFile, writeFile } from 'node:fs/promises'
import { launch } from './browser.mjs'

const folder = new URL('../icons/', import.meta.url)
const browser = await launch()
for (const [from, to, size] of [['icon.svg', 'icon-192.png', 192], ['icon.svg', 'icon-512.png', 512], ['icon-maskable.svg', 'icon-maskable-512.png', 512], ['badge.svg', 'badge-96.png', 96]]) {
  const svg = await readFile(new URL(from, folder), 'utf8')
  const page = await browser.newPage({ viewport: { width: size, height: size } })
  await page.setContent(`<style>body{margin:0}svg{display:block;width:100vw;height:100vh}</style>${svg}`)
  await writeFile(new URL(to, folder), await page.screenshot({ omitBackground: true }))
  await page.close()
}
await browser.close()
