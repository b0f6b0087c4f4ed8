// The card in Chromium: what its rules promise, on the screen itself.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { REARM_MS } from '../../app/gate.js'
import { HOLD_MS } from '../../app/hold.js'
import { CARDS } from '../../dev/samples.js'
import { phone } from '../browser.mjs'
import { cards } from './cards.mjs'

/** @type {import('playwright-core').Browser} */ let browser
/** @type {import('playwright-core').Page} */ let page

let origin = ''

const inPage = cards((p, b, o) => { [page, browser, origin] = [p, b, o] })
const show = (/** @type {string} */ card, state = 'waiting') => inPage.show({ card, state })

const events = async (type) => {
  await inPage.touched()
  return page.locator(`#events span[data-type=${type}]`).allTextContents()
}
const confirm = () => page.locator('.confirm')
const toEnd = () => page.locator('.card-scroll').evaluate((s) => s.scrollTo(0, s.scrollHeight))
const open = () => page.locator('nod-card[data-open]').waitFor()

/** A card just drawn, on a page whose clock stands still: how busy the machine is has no say in what is tested. */
async function held(name) {
  const card = await (await phone(browser, { viewport: { width: 360, height: 640 } })).newPage()
  await card.clock.install()
  await card.goto(`${origin}/dev/cards?${new URLSearchParams({ card: name })}`)
  await card.locator('nod-card').waitFor()
  await card.clock.pauseAt(Date.now() + 60_000)
  await card.evaluate(() => {
    const node = /** @type {any} */ (document.querySelector('nod-card'))
    node.show(node.model, { ...node.status, deadline: performance.now() + 60_000 })
  })
  /** A tap on Confirm, and the click that comes of it. @param {{ force?: boolean }} [options] */
  const tap = async (options) => {
    await card.evaluate(() => { Object.assign(self, { clicked: new Promise((resolve) => addEventListener('click', resolve, { once: true })) }) })
    await card.locator('.confirm').tap(options)
    await card.evaluate(async () => { await /** @type {any} */ (self).clicked })
  }
  return { card, tap, decided: () => card.locator('#events span[data-type=decide]').allTextContents() }
}

test('Confirm does nothing for 700 ms after the card was drawn', async () => {
  const { card, tap, decided } = await held('torch')
  await card.clock.runFor(REARM_MS - 50)
  await tap({ force: true })
  assert.deepEqual(await decided(), [])
  await card.clock.runFor(100)
  await card.locator('nod-card[data-open]').waitFor()
  await tap()
  assert.deepEqual(await decided(), ['{"choice":"confirm"}'])
  await card.context().close()
})

test('Confirm waits for the end of the scroll, and says so', async () => {
  await show('email_draft')
  await page.waitForTimeout(900)
  assert.equal(await confirm().getAttribute('aria-disabled'), 'true')
  assert.equal(await page.locator('#confirm-why').textContent(), 'Scroll to the end to confirm')
  await confirm().tap({ force: true })
  assert.deepEqual(await events('decide'), [])
  await toEnd()
  await open()
  await confirm().tap()
  assert.deepEqual(await events('decide'), ['{"choice":"confirm"}'])
})

test('a double tap sends one decision, and the first touch says "Sending"', async () => {
  await show('torch')
  await open()
  const box = await confirm().boundingBox()
  await page.touchscreen.tap(box.x + 20, box.y + 20)
  await page.touchscreen.tap(box.x + 20, box.y + 20)
  await page.touchscreen.tap(box.x + 20, box.y + 20)
  assert.deepEqual(await events('decide'), ['{"choice":"confirm"}'])
  assert.match(await page.locator('.foot').innerText(), /^Sending/)
})

test('Decline works at once, also when Confirm is off', async () => {
  await show('email_draft')
  await page.getByRole('button', { name: 'Decline', exact: true }).tap()
  assert.deepEqual(await events('decide'), ['{"choice":"decline"}'])
})

test('Decline can carry words', async () => {
  await show('torch')
  await page.getByText('Decline and say why').tap()
  await page.locator('#reason').fill('  Not while I drive ')
  await page.getByText('Decline with these words').tap()
  assert.deepEqual(await events('decide'), ['{"choice":"decline","reason":"Not while I drive"}'])
})

test('once it is decided nobody is offered to decline', async () => {
  await show('navigate')
  assert.ok(await page.locator('.reason').isVisible())
  for (const state of ['sending', 'opened', 'expired']) {
    await show('navigate', state)
    assert.equal(await page.locator('.reason').isVisible(), false, state)
  }
})

test('without the focus Confirm is off, and 700 ms more when it comes back', async () => {
  await show('torch')
  await open()
  await page.evaluate(() => {
    document.hasFocus = () => false
    dispatchEvent(new Event('blur'))
  })
  assert.equal(await confirm().getAttribute('aria-disabled'), 'true')
  assert.equal(await page.locator('#confirm-why').textContent(), 'Tap here first to confirm')
  await confirm().tap({ force: true })
  const atOnce = await page.evaluate(() => {
    delete (/** @type {any} */ (document).hasFocus)
    dispatchEvent(new Event('focus'))
    return document.querySelector('.confirm')?.getAttribute('aria-disabled')
  })
  assert.equal(atOnce, 'true', 'not at once')
  assert.deepEqual(await events('decide'), [])
  await open()
})

test('a script cannot press Confirm', async () => {
  await show('torch')
  await open()
  await confirm().evaluate((b) => b.click())
  assert.deepEqual(await events('decide'), [])
})

test('without a connection, or while the place is kept, Confirm is off', async () => {
  for (const [state, why] of [['not connected', 'Not connected'], ['kept', 'The agent’s connection dropped']]) {
    await show('torch', state)
    await page.waitForTimeout(900)
    assert.equal(await page.locator('#confirm-why').textContent(), why)
    await confirm().tap({ force: true })
    assert.deepEqual(await events('decide'), [], state)
  }
})

test('high risk: neither button is filled, Decline comes first, and Confirm is to be held', async () => {
  await show('automation_intent')
  await toEnd()
  await open()
  const names = await page.locator('.pair-buttons button').allInnerTexts()
  assert.deepEqual(names, ['Decline', 'Hold to confirm'])
  assert.equal(await page.locator('.pair-buttons .primary').count(), 0)
})

test('high risk: to hold it for less than a second decides nothing', async () => {
  const { card, decided } = await held('automation_intent')
  await card.locator('.card-scroll').evaluate((n) => n.scrollTo(0, n.scrollHeight))
  await card.clock.runFor(REARM_MS + 300)
  await card.locator('nod-card[data-open]').waitFor()
  await card.locator('.confirm').hover()
  await card.mouse.down()
  await card.clock.runFor(HOLD_MS - 100)
  await card.mouse.up()
  assert.deepEqual(await decided(), [])
  await card.mouse.down()
  await card.clock.runFor(HOLD_MS + 100)
  await card.mouse.up()
  assert.deepEqual(await decided(), ['{"choice":"confirm"}'])
  await card.context().close()
})

test('high risk by keyboard: holding Enter', async () => {
  await show('automation_intent')
  await toEnd()
  await open()
  await confirm().focus()
  await page.keyboard.down('Enter')
  await page.locator('#events span[data-type=decide]').waitFor({ state: 'attached' })
  await page.keyboard.up('Enter')
  assert.deepEqual(await events('decide'), ['{"choice":"confirm"}'])
})

test('the focus is on what is asked, never on a button', async () => {
  await show('navigate')
  assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1')
  assert.equal(await page.getByRole('dialog', { name: 'Start a route' }).count(), 1)
})

test('both answers have the same size', async () => {
  await show('navigate')
  const [a, b] = await page.locator('.pair-buttons button').evaluateAll((all) => all.map((x) => x.getBoundingClientRect()).map(({ width, height }) => ({ width, height })))
  assert.deepEqual(a, b)
  assert.ok(a.height >= 57, `${a.height}`)
})

test('a long agent line is cut in sight, and the fields are not', async () => {
  await show('navigate, places in full')
  const text = await page.locator('.quote').innerText()
  assert.match(text, /^The assistant says: “x{200}” \[cut here: 120 more characters, not carried out\]$/)
})

test('hidden characters are shown', async () => {
  await show('sms_draft, hidden characters')
  const tokens = await page.locator('.token').allTextContents()
  assert.deepEqual(tokens, ['⟨U+202E⟩', '⟨U+202C⟩', '⟨U+200B⟩', '⟨U+2066⟩', '⟨U+2069⟩'])
  assert.match(await page.locator('.row.long').innerText(), /Hidden characters made visible: 5/)
})

test('a host is whole, at one weight, and the scheme and path stand beside it', async () => {
  await show('open_url, look-alike')
  const link = page.locator('.link').first()
  assert.equal(await link.textContent(), 'https://xn--pypal-4ve.example/login/confirm')
  assert.equal(await link.locator('strong').textContent(), 'xn--pypal-4ve.example')
})

test('"Pause all agents" is on every card', async () => {
  for (const name of Object.keys(CARDS)) {
    await show(name)
    assert.equal(await page.getByRole('button', { name: 'Pause all agents' }).count(), 1, name)
  }
  await page.getByRole('button', { name: 'Pause all agents' }).tap()
  assert.deepEqual(await events('pause'), ['null'])
})

test('each ending tells itself apart, by words', async () => {
  const said = new Set()
  const states = ['opened', 'declined', 'expired', 'withdrawn, cancelled', 'withdrawn, gone', 'withdrawn, agent removed', 'withdrawn, phone removed', 'withdrawn, restart',
    'withdrawn, paused', 'withdrawn, switched off', 'answered elsewhere', 'sent to another phone', 'failed, no go', 'failed, unused', 'failed, did not open', 'unknown']
  for (const state of states) {
    await show('navigate', state)
    said.add(await page.locator('.state').innerText())
  }
  assert.equal(said.size, states.length)
})

test('"Open again" is there after failed and unknown alone', async () => {
  for (const [state, count] of [['opened', 0], ['declined', 0], ['failed, unused', 1], ['unknown', 1]]) {
    await show('navigate', state)
    assert.equal(await page.getByRole('button', { name: 'Open again' }).count(), count, state)
  }
})

test('the card says what the agent is told, word for word', async () => {
  await show('navigate', 'failed, no go')
  await page.getByText('What the agent is told').tap()
  assert.match(await page.locator('.told p').innerText(), /^The phone could not do it\. Nothing was done\. Tell the person, and try again only if they ask\. The phone says: The go-ahead came too late, so it was not started\.$/)
})

test('text at twice the size: nothing is wider than the screen, words stay whole, Confirm is in reach', async () => {
  for (const [card, state] of [['navigate', 'waiting'], ['automation_intent', 'waiting'], ['navigate', 'unknown'], ['navigate', 'did it open']]) {
    await show(card, state)
    await page.evaluate(() => { document.documentElement.style.fontSize = '212.5%' })
    const found = await page.evaluate(() => ({
      wide: [...document.querySelectorAll('.card-scroll, .foot')].some((e) => e.scrollWidth > e.clientWidth),
      over: [...document.querySelectorAll('.foot > *')].some((e, i, all) => i > 0 && e.getBoundingClientRect().top < all[i - 1].getBoundingClientRect().bottom),
      columns: getComputedStyle(document.querySelector('.pair-buttons')).gridTemplateColumns.split(' ').length,
    }))
    assert.deepEqual(found, { wide: false, over: false, columns: 1 }, `${card} ${state}`)
  }
  await page.evaluate(() => { document.documentElement.style.fontSize = '' })
})
