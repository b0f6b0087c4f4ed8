// Notifications are turned on with a tap only where a tap can.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { launch, phone } from '../browser.mjs'
import { serve } from '../serve.mjs'
import { named, storybook } from '../stories.mjs'

const ROWS = [
  ['home, first day', 1], ['home, notifications broken', 1], ['home, notifications off at the computer', 0], ['home, notifications blocked', 0],
  ['settings, notifications off', 1], ['settings, notifications off at the computer', 0], ['settings, notifications blocked', 0],
  ['pair, Android 3 of 3', 1], ['pair, Android 3 of 3, nod cannot', 0], ['pair, Android 3 of 3, blocked', 0],
]

test('Turn on is there where it can do something', async () => {
  const [site, browser] = [await serve(), await launch()]
  try {
    const { page, all } = await storybook(await phone(browser), site.origin)
    for (const [story, buttons] of ROWS) {
      const address = all.find((a) => named(a) === `page=${story}`)
      assert.ok(address, String(story))
      await page.evaluate((a) => /** @type {any} */ (self).show(a), address)
      assert.equal(await page.getByRole('button', { name: /^Turn on( notifications)?$/ }).count(), buttons, String(story))
    }
  } finally {
    await browser.close()
    await site.close()
  }
})
