// Every code point of every field is on the card, in its order, for generated
// offers on a small screen: nothing is cut, nothing stands outside, and what
// does not fit is scrolled to before Confirm. NOD_OFFERS sets how many.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { ACTIONS_WITH_ROWS } from '../../app/fields.js'
import { ACTIONS, TOOLS } from '../../app/contract.js'
import { hides, tokenOf } from '../../app/visible.js'
import { recheck, risk } from '../../app/check.js'
import { launch, phone } from '../browser.mjs'
import { offers } from '../offers.mjs'
import { serve } from '../serve.mjs'

const COUNT = Number(process.env.NOD_OFFERS ?? 1000)
const SEED = Number(process.env.NOD_SEED ?? 7)
/** How many cards the page draws at a time. */
const BATCH = 100

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

test('each action and each tool has rows', () => {
  assert.deepEqual([...ACTIONS_WITH_ROWS].sort(), [...ACTIONS, ...TOOLS].map((a) => a.name).sort())
})

test(`every code point of every field of ${COUNT} offers is in the rendered text`, { timeout: 60_000 + COUNT * 600 }, async () => {
  const scrolled = await look(COUNT, SEED, '100%')
  assert.ok(scrolled > COUNT / 20 && scrolled < COUNT, `${scrolled} of ${COUNT} needed scrolling: too few, or too many, for this test to say anything`)
})

test(`so it is with text at twice the size, for ${COUNT / 10} offers`, { timeout: 60_000 + COUNT * 60 }, async () => {
  await look(COUNT / 10, SEED + 1, '212.5%')
})

/** Draws offers at a text size and looks at each; resolves to how many needed scrolling. */
async function look(count, seed, size) {
  const context = await phone(browser, { viewport: { width: 360, height: 640 } })
  const page = await context.newPage()
  await page.goto(`${site.origin}/dev/cards?card=torch`)
  await page.locator('nod-card[data-open]').waitFor()
  await page.evaluate((fontSize) => { document.documentElement.style.fontSize = fontSize }, size)
  const all = [...offers(seed, count)]
  let scrolled = 0
  for (let from = 0; from < all.length; from += BATCH) {
    const batch = all.slice(from, from + BATCH)
    const seen = await page.evaluate(draw, batch)
    batch.forEach((offer, i) => check(offer, seen[i]))
    scrolled += seen.filter((s) => !s.fits).length
  }
  await context.close()
  return scrolled
}

function check(offer, seen) {
  const where = `${offer.action} ${JSON.stringify(offer.fields)}`
  assert.equal(recheck({ ...offer, verdict: 'ask', risk: risk(offer), badges: ['service_code', 'look_alike'] }), null, `${where} is no offer`)
  const rendered = letters(seen.text)
  for (const text of texts(offer.fields)) assert.ok(rendered.includes(letters(drawn(text))), `${where}: “${text}” is not on the card: ${seen.text}`)
  assert.equal(seen.hidden, 0, `${where}: something is cut or hidden`)
  assert.equal(seen.outside, 0, `${where}: something stands outside the card`)
  assert.equal(seen.open, false, `${where}: Confirm is on at once`)
  assert.equal(seen.waits, !seen.fits, `${where}: Confirm does not wait for the end of the scroll`)
  assert.ok(seen.waits || seen.inView, `${where}: Confirm does not wait for the last line`)
  assert.equal(seen.waitsAtEnd, false, `${where}: Confirm waits beyond the end of the scroll`)
}

/** What a person is to see of a text: hidden characters as tokens. */
const drawn = (text) => [...text.replace(/\r\n?/g, '\n')].map((c) => (hides(c.codePointAt(0)) ? tokenOf(c) : c)).join('')

/** Spaces are where lines may break, and a browser leaves some out at a line's end. */
const letters = (text) => text.replace(/\s+/g, '')

/** In the page: draws each offer, reads what a person would, and scrolls to the end. */
function draw(batch) {
  const card = document.querySelector('nod-card')
  const scroll = card.querySelector('.card-scroll')
  const status = { phase: 'waiting', deadline: performance.now() + 600_000, until: null, others: 0, online: true }
  const range = document.createRange()
  return batch.map((offer, i) => {
    card.show({ ...card.model, ...offer, call: `call_${i}`, risk: 'low', badges: [], app: 'app.other' }, status)
    const fields = card.querySelector('.fields') ?? card.querySelector('.gives')
    const view = scroll.getBoundingClientRect()
    const end = view.top + scroll.scrollHeight
    const seen = { text: fields.innerText, hidden: 0, outside: 0, open: card.hasAttribute('data-open'), waits: card.hasAttribute('data-more'), fits: scroll.scrollHeight - scroll.clientHeight <= 16, inView: scroll.lastElementChild.getBoundingClientRect().bottom <= view.bottom + 0.5, waitsAtEnd: true }
    for (const e of fields.querySelectorAll('*')) {
      const style = getComputedStyle(e)
      if (style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none' || style.overflowX !== 'visible' || style.overflowY !== 'visible' || !e.checkVisibility({ opacityProperty: true, visibilityProperty: true })) seen.hidden++
      if (style.color === style.backgroundColor || parseFloat(style.fontSize) < 12) seen.hidden++
    }
    range.selectNodeContents(fields)
    for (const r of range.getClientRects()) if (r.left < view.left - 0.5 || r.right > view.right + 0.5 || r.top < view.top || r.bottom > end + 0.5) seen.outside++
    if (scroll.scrollWidth > scroll.clientWidth) seen.outside++
    scroll.scrollTop = scroll.scrollHeight
    card.update(status)
    seen.waitsAtEnd = card.hasAttribute('data-more')
    return seen
  })
}

/** The free texts in fields; times, days and words from a list are drawn as people say them. */
function texts(v, key = '') {
  if (typeof v === 'number') return ['id', 'calendar_id', 'limit', 'max'].includes(key) ? [String(v)] : []
  if (typeof v === 'string') return /^\d{4}-\d{2}-\d{2}(T|$)/.test(v) || ['accuracy', 'time', 'start', 'end', 'days', 'mode', 'near', 'command', 'panel'].includes(key) ? [] : [v]
  if (Array.isArray(v)) return v.flatMap((x) => texts(x, key))
  if (v && typeof v === 'object') return Object.entries(v).flatMap(([k, x]) => [...(key === 'values' ? [k] : []), ...texts(x, key === 'values' ? '' : k)])
  return []
}
