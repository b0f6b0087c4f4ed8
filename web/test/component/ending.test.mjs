// The card after the tap: what it says of each ending, and what the person can
// still do there.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { ON } from '../../dev/samples.js'
import { cards } from './cards.mjs'

/** @type {import('playwright-core').Page} */ let page

const inPage = cards((p) => { page = p })

/** @param {string} state @param {string} [lang] */
const show = (state, lang = 'en') => inPage.show({ card: ON[state] ?? 'navigate', state, lang })

const buttons = () => page.locator('.foot button').allTextContents()
const words = () => page.locator('.foot .state > div').innerText()
/** What each button of the foot makes the card say, in order. */
async function pressed() {
  await page.locator('.foot button:not([data-fresh])').first().waitFor()
  for (const button of await page.locator('.foot button').all()) await button.tap()
  await inPage.touched()
  return page.locator('#events span').evaluateAll((all) => all.map((e) => `${/** @type {HTMLElement} */ (e).dataset.type} ${e.textContent}`).filter((e) => !e.startsWith('drawn')))
}

const WEB = 'https://www.google.com/maps/dir/?api=1&destination=SFO%20Airport'

for (const [state, says, names, events] of [
  ['the phone does it', /^Switching the torch\s+The browser may ask for the camera/, [], []],
  ['away', /^The shortcut is running\s+Come back here/, [], []],
  ['did it run', /^Did the shortcut run\?\s+It has not said how it ended\./, ['No', 'Yes'], ['answer {"yes":false}', 'answer {"yes":true}']],
  ['ran', /^Done\s+The shortcut ran to its end\./, ['Close'], ['dismiss null']],
  ['failed, stopped', /^It did not work\s+The shortcut was stopped\. The agent hears that it began and did not finish\./, ['Open again', 'Close'], ['again null', 'dismiss null']],
  ['not known how it ended', /^Not known how it ended/, ['Open again', 'Close'], ['again null', 'dismiss null']],
  ['failed, not on this phone', /^It did not work\s+Google Maps is not on this phone, or did not open\. Nothing was done\./, ['Open in the browser', 'Open again', 'Close'], [`again {"url":"${WEB}"}`, 'again null', 'dismiss null']],
  ['failed, opened again', /You did it once more yourself\. The agent does not hear of it\./, ['Open in the browser', 'Open again', 'Close'], [`again {"url":"${WEB}"}`, 'again null', 'dismiss null']],
  ['failed, not made ready', /^It did not work\s+It could not be made ready: nod was not reached\. Nothing was done\./, ['Open in the browser', 'Open again', 'Close'], [`again {"url":"${WEB}"}`, 'again null', 'dismiss null']],
  ['torch on', /^Done\s+The torch is on\. It goes off when you leave nod\./, ['Turn it off', 'Close'], ['release null', 'dismiss null']],
  ['torch left', /^Done\s+The torch was on\. It is off again\./, ['Close'], ['dismiss null']],
  ['torch not allowed', /^It did not work\s+The camera is not allowed.* Nothing was done\./, ['Try again', 'Close'], ['again null', 'dismiss null']],
]) {
  test(`${state}: what it says, and what can be done`, async () => {
    await show(state)
    assert.match(await words(), /** @type {RegExp} */ (says))
    assert.deepEqual(await buttons(), names)
    if (names.length) assert.deepEqual(await pressed(), events)
  })
}

test('what the agent is told is there word for word', async () => {
  await show('torch not allowed')
  await page.getByText('What the agent is told').tap()
  assert.match(await page.locator('.told p').innerText(), /^The phone could not do it\. Nothing was done\. Tell the person, and try again only if they ask\.\s+The phone says: It is not allowed to use the camera.*Do not ask again now/)
  await show('ran')
  await page.getByText('What the agent is told').tap()
  assert.equal(await page.locator('.told p').innerText(), 'The phone did it.')
})

test('a no with a reason: the agent is told it in these words', async () => {
  await show('declined, and why')
  await page.getByText('What the agent is told').tap()
  assert.equal(await page.locator('.told p').innerText(), 'The person said no. Nothing was done; do not try it again unless they ask. In their own words: Tomorrow would do')
})

test('in German nothing of it is cut, at 360 px', async () => {
  for (const state of ['failed, not on this phone', 'torch not allowed', 'torch on', 'did it run']) {
    await show(state, 'de')
    const wide = await page.locator('.foot').evaluate((foot) => [foot, ...foot.querySelectorAll('button, h2, p')].filter((e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== 'inline').map((e) => e.textContent))
    assert.deepEqual(wide.filter((text) => text), [], state)
  }
})
