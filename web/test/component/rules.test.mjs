// The card rules that take a finger, a frame or something else on the screen:
// what the first touch says, what a second one does not press, what lies over
// the card, and what is no answer.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { cards } from './cards.mjs'

/** @type {import('playwright-core').Page} */ let page

let origin = ''

const inPage = cards((p, _, o) => { [page, origin] = [p, o] })
const show = (/** @type {string} */ card, state = 'waiting') => inPage.show({ card, state })

const events = async (type) => {
  await inPage.touched()
  return page.locator(`#events span[data-type=${type}]`).allTextContents()
}
const confirm = () => page.locator('.confirm')
const open = () => page.locator('nod-card[data-open]').waitFor()
const why = () => page.locator('#confirm-why').textContent()

/** The middle of something on the screen. */
async function middle(locator) {
  const { x, y, width, height } = await locator.boundingBox()
  return [x + width / 2, y + height / 2]
}

test('what is tapped says so in the very frame of the tap', async () => {
  await show('torch')
  await open()
  await page.evaluate(() => {
    const seen = { touched: 0, frames: [] }
    Object.assign(self, { seen })
    addEventListener('click', (e) => {
      seen.touched = e.timeStamp
      seen.atOnce = document.querySelector('.foot').innerText
      const count = () => seen.frames.push(document.querySelector('.foot').innerText) < 3 && requestAnimationFrame(count)
      requestAnimationFrame(count)
    })
  })
  await page.touchscreen.tap(...await middle(confirm()))
  await page.waitForFunction(() => /** @type {any} */ (self).seen.frames.length === 3)
  const { atOnce, frames } = await page.evaluate(() => /** @type {any} */ (self).seen)
  for (const text of [atOnce, ...frames]) assert.match(text, /^Sending/)
})

test('nothing moves under the thumb, and no button comes up where Confirm was', async () => {
  await show('navigate')
  await page.locator('.card-scroll').evaluate((s) => s.scrollTo(0, s.scrollHeight))
  await open()
  const boxes = () => page.evaluate(() => ['.card-scroll', '.foot', 'h1'].map((s) => document.querySelector(s).getBoundingClientRect().toJSON()))
  const before = await boxes()
  const at = await middle(confirm())
  await page.touchscreen.tap(...at)
  await inPage.touched()
  assert.match(await page.locator('.foot').innerText(), /^Sending/)
  assert.deepEqual(await boxes(), before)
  assert.equal(await page.evaluate(([x, y]) => document.elementFromPoint(x, y).closest('button'), at), null)
})

test('a second tap presses nothing that has only just come up', async () => {
  await show('navigate')
  await page.evaluate(() => {
    const card = document.querySelector('nod-card')
    card.update({ ...card.status, phase: 'ended', ending: { kind: 'unknown', started: true }, others: 1 })
    for (const button of card.querySelectorAll('.foot button')) button.click() // in the same moment, however slow the machine
  })
  assert.deepEqual([await events('dismiss'), await events('again')], [[], []])
  await page.locator('.foot button:not([data-fresh])').last().tap()
  assert.equal((await events('dismiss')).length, 1)
})

test('a tap meant for the card before does not decline the next one', async () => {
  await show('navigate')
  const decline = page.getByRole('button', { name: 'Decline', exact: true })
  await page.evaluate(() => {
    const card = document.querySelector('nod-card')
    card.show({ ...card.model, call: 'call_next' }, card.status)
    card.querySelector('.pair-buttons button').click()
  })
  assert.deepEqual(await events('decide'), [])
  await decline.tap()
  assert.deepEqual(await events('decide'), ['{"choice":"decline"}'])
})

test('a hold that began on one card does not confirm the next, which has a foot of its own', async () => {
  await show('dial, service code')
  await open()
  const [x, y] = await middle(confirm())
  await page.mouse.move(x, y)
  await page.mouse.down()
  const next = await page.evaluate(async () => {
    const card = document.querySelector('nod-card')
    card.show({ ...card.model, call: 'call_next' }, card.status)
    await new Promise((resolve) => setTimeout(resolve, 1_300)) // longer than the hold, and Confirm is on again
    return card.hasAttribute('data-open')
  })
  await page.mouse.up()
  assert.equal(next, true)
  assert.deepEqual(await events('decide'), [])
  const kinds = await page.evaluate(() => {
    const card = document.querySelector('nod-card')
    const risky = card.querySelector('.hold') !== null
    card.show({ ...card.model, call: 'call_low', risk: 'low' }, card.status)
    return [risky, card.querySelector('.hold') !== null]
  })
  assert.deepEqual(kinds, [true, false])
})

test('while something lies over the card Confirm is off and says so, and 700 ms longer', async () => {
  await show('torch')
  await open()
  await page.evaluate(() => {
    const over = document.createElement('div')
    over.id = 'over'
    over.style.cssText = 'position:fixed;inset:40px 40px 500px;z-index:9;background:#fff;opacity:0.1;pointer-events:none'
    document.body.append(over)
  })
  await page.waitForFunction(() => document.querySelector('#confirm-why').textContent === 'Something covers this card')
  assert.equal(await confirm().getAttribute('aria-disabled'), 'true')
  await page.touchscreen.tap(...await middle(confirm()))
  assert.deepEqual(await events('decide'), [])
  await page.evaluate(() => {
    const card = document.querySelector('nod-card')
    const uncovered = performance.now()
    // Told in the very turn in which the card changes: no frame is in between.
    const watch = new MutationObserver(() => {
      if (!card.hasAttribute('data-open')) return
      watch.disconnect()
      Object.assign(self, { took: performance.now() - uncovered })
    })
    watch.observe(card, { attributes: true })
    document.getElementById('over').remove()
  })
  await open()
  const took = await page.evaluate(() => /** @type {any} */ (self).took)
  assert.ok(took >= 700, `on again after ${took} ms`)
})

test('no page may show nod in a frame', async () => {
  const outer = await page.context().newPage()
  const refused = outer.waitForEvent('console', (m) => /frame-ancestors/.test(m.text()))
  await outer.setContent(`<iframe src="${origin}/dev/cards?card=torch"></iframe>`)
  await refused
  assert.equal(await outer.frameLocator('iframe').locator('nod-card').count(), 0)
  await outer.close()
})

test('before the end of the scroll a tap on Confirm reads on, and decides nothing', async () => {
  await show('email_draft')
  for (let taps = 0; (await why()) === 'Scroll to the end to confirm'; taps++) {
    assert.ok(taps < 20, 'the end is reached')
    await page.evaluate(() => {
      const { promise, resolve } = Promise.withResolvers()
      document.querySelector('.card-scroll').addEventListener('scrollend', resolve, { once: true })
      Object.assign(self, { scrolled: promise })
    })
    await page.touchscreen.tap(...await middle(confirm()))
    await page.evaluate(() => /** @type {any} */ (self).scrolled)
  }
  assert.deepEqual(await events('decide'), [])
  await open()
  await confirm().tap()
  assert.deepEqual(await events('decide'), ['{"choice":"confirm"}'])
})

test('going back, Escape and a swipe are no answer', async () => {
  await page.goto(`${origin}/dev/cards`)
  await inPage.load({ card: 'torch', state: 'waiting' })
  await open()
  await page.keyboard.press('Escape')
  const client = await page.context().newCDPSession(page)
  await client.send('Input.synthesizeScrollGesture', { x: 180, y: 200, yDistance: 380, speed: 4_000 })
  await client.send('Input.synthesizeScrollGesture', { x: 20, y: 300, xDistance: 330, speed: 4_000 })
  assert.deepEqual(await events('decide'), [])
  assert.ok(await page.locator('nod-card').isVisible())
  await page.goBack()
  await page.goForward()
  await page.locator('nod-card').waitFor()
  assert.deepEqual([await events('decide'), await events('dismiss')], [[], []])
})

test('an address on the own network is badged, and no other', async () => {
  await show('open_url, own network')
  assert.match(await page.locator('.badge').innerText(), /^On your own network\n/)
  await show('open_url')
  assert.equal(await page.locator('.badge').count(), 0)
})

test('the letters that a host stands for are below it, small, in an isolate of their own', async () => {
  await show('open_url, letters')
  assert.equal(await page.locator('bdi.link').textContent(), 'https://www.xn--bcher-kva.example:8443/neu')
  assert.equal(await page.locator('dd .also').textContent(), 'Also written www.bücher.example:8443')
  const size = (locator) => locator.evaluate((e) => parseFloat(getComputedStyle(e).fontSize))
  assert.ok(await size(page.locator('dd .also')) < await size(page.locator('bdi.link strong')))
  assert.equal(await page.locator('dd .also bdi').textContent(), 'www.bücher.example:8443')
  await show('open_url')
  assert.equal(await page.locator('dd .also').count(), 0)
})

test('a repeat says when it was asked before, and how that ended', async () => {
  await show('repeat')
  assert.match(await page.locator('.badge').innerText(), /^Same as 2 minutes ago\s+How that ended: opened$/)
  assert.match(await page.locator('.why').innerText(), /^Asked because of the warning above\./)
})
