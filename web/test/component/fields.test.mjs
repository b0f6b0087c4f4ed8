// Every code point of every field is on the card, for generated offers on a
// small screen: nothing is cut, and what does not fit is scrolled to before
// Confirm. NOD_OFFERS sets how many (300).
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { ACTIONS_WITH_ROWS } from '../../app/fields.js'
import { ACTIONS } from '../../app/contract.js'
import { REARM_MS } from '../../app/gate.js'
import { hides, tokenOf } from '../../app/visible.js'
import { recheck, risk } from '../../app/check.js'
import { launch, phone } from '../browser.mjs'
import { offers } from '../offers.mjs'
import { serve } from '../serve.mjs'

const COUNT = Number(process.env.NOD_OFFERS ?? 300)
const SEED = Number(process.env.NOD_SEED ?? 7)

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

test('each action has rows', () => {
  assert.deepEqual([...ACTIONS_WITH_ROWS].sort(), ACTIONS.map((a) => a.name).sort())
})

test(`every code point of every field of ${COUNT} offers is in the rendered text`, { timeout: 600_000 }, async () => {
  const page = await (await phone(browser, { viewport: { width: 360, height: 640 } })).newPage()
  await page.clock.install()
  await page.goto(`${site.origin}/dev/cards?card=torch`)
  await page.locator('nod-card').waitFor()
  let gated = 0
  for (const offer of offers(SEED, COUNT)) {
    assert.equal(recheck({ ...offer, verdict: 'ask', risk: risk(offer), badges: ['service_code', 'look_alike'] }), null, `${JSON.stringify(offer)} is no offer`)
    await page.evaluate(draw, { ...offer, risk: 'low' })
    await page.clock.runFor(REARM_MS + 20)
    const seen = await page.evaluate(read)
    const where = `${offer.action} ${JSON.stringify(offer.fields)}`
    for (const text of texts(offer.fields)) {
      for (const c of text.replace(/\r\n?/g, '\n')) {
        if (c === '\n') continue
        const drawn = hides(c.codePointAt(0)) ? tokenOf(c) : c
        assert.ok(seen.text.includes(drawn), `${where}: ${tokenOf(c)} is not on the card`)
      }
      // Whole runs, not only the letters: spaces are where lines may break.
      for (const word of text.split(/[\s\p{C}]+/u)) assert.ok(seen.text.includes(word), `${where}: “${word}” is not on the card`)
    }
    assert.equal(seen.cut, 0, `${where}: something is cut`)
    assert.equal(seen.wide, false, `${where}: wider than the screen`)
    assert.equal(seen.open, seen.fits, `${where}: Confirm does not wait for the end of the scroll`)
    assert.ok(seen.last <= seen.end, `${where}: a field comes after the end that Confirm waits for`)
    if (!seen.fits) gated++
  }
  assert.ok(gated > COUNT / 20, 'too few offers needed scrolling for this test to say anything')
})

/** Draws an offer in the page. */
function draw(offer) {
  const card = document.querySelector('nod-card')
  const model = {
    ...card.model, call: `call_${Math.random()}`, tool: offer.tool, action: offer.action, fields: offer.fields, summary: offer.summary, risk: offer.risk, badges: [], repeat: undefined,
  }
  card.show(model, { phase: 'waiting', deadline: performance.now() + 60_000, until: null, others: 0, online: true })
}

/** Reads what a person would. */
function read() {
  const card = document.querySelector('nod-card')
  const scroll = card.querySelector('.card-scroll')
  const fields = card.querySelector('.fields')
  const cut = [...card.querySelectorAll('.fields, .fields *')].filter((e) => {
    const style = getComputedStyle(e)
    return style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none' || (style.overflowY !== 'visible' && e.scrollHeight > e.clientHeight + 1) || style.visibility !== 'visible' || style.opacity !== '1'
  }).length
  return {
    text: fields?.innerText ?? '', cut,
    wide: scroll.scrollWidth > scroll.clientWidth, fits: card.querySelector('.end').getBoundingClientRect().bottom <= scroll.getBoundingClientRect().bottom + 1,
    open: card.hasAttribute('data-open'),
    last: Math.max(...[...card.querySelectorAll('.fields, .badge, .quote, .why')].map((e) => e.getBoundingClientRect().bottom)), end: card.querySelector('.end').getBoundingClientRect().bottom + 9,
  }
}

/** The free texts in fields; times, days and words from a list are drawn as people say them. */
function texts(v, key = '') {
  if (typeof v === 'string') return ['time', 'start', 'end', 'days', 'mode', 'near', 'command', 'panel'].includes(key) ? [] : [v]
  if (Array.isArray(v)) return v.flatMap((x) => texts(x, key))
  if (v && typeof v === 'object') return Object.entries(v).flatMap(([k, x]) => [...(key === 'values' ? [k] : []), ...texts(x, key === 'values' ? '' : k)])
  return []
}
