// Launching, on the real page in Chromium, on Android, on an iPhone and on a
// computer. What a phone would do is played here, and was never run on one:
//
//   launcher   no app is opened: the protocol says which address the page asked for
//   hidden     visibilityState is overridden, as when another app is in front
//   fallback   this test goes where the intent says, as Android does when no app takes it
//   Shortcut   another browser opens the address that Shortcuts would open in Safari
//   iPhone     Chromium with an iPhone's name and navigator.standalone
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { devices } from 'playwright-core'

import { phone as newPhone } from '../browser.mjs'
import { eachTest } from './each.mjs'

/** @type {import('./house.mjs').House} */ let house
/** @type {import('playwright-core').Browser} */ let browser
/** @type {import('./house.mjs').PhonePage} */ let phone

/** A house and a phone for the tests of a describe. @param {object} [options] */
const each = (options) => eachTest((h, p, b) => { [house, phone, browser] = [h, p, b] }, { options })

const SEARCH = { action: 'search_nearby', query: 'coffee' }
const SEARCH_URL = 'intent://www.google.com/maps/search/?api=1&query=coffee#Intent;scheme=https;package=com.google.android.apps.maps;end'
/** The results that left the page by HTTP; the gateway may have one before the browser tells of it. @returns {() => Promise<unknown[][]>} */
function posted() {
  const results = []
  phone.context.on('request', (r) => {
    if (r.url().endsWith('/link/result')) results.push(JSON.parse(JSON.parse(r.postData()).body))
  })
  return async () => {
    for (const end = Date.now() + 10_000; !results.length && Date.now() < end;) await phone.page.waitForTimeout(50)
    return results.map((r) => [r.call, r.status, r.started])
  }
}
/** Writes settings as the Settings page does, and loads nod again. */
async function set(change) {
  await phone.page.evaluate((wanted) => new Promise((resolve, reject) => {
    const request = indexedDB.open('nod')
    request.onsuccess = () => {
      const tx = request.result.transaction('phone', 'readwrite')
      tx.objectStore('phone').put(wanted, 'settings')
      tx.oncomplete = () => { request.result.close(); resolve(undefined) }
      tx.onabort = () => reject(tx.error)
    }
  }), change)
  await phone.leaveFor(house.url)
  await phone.ready()
}
/** @param {Record<string, unknown>} args @param {string} title */
const confirmed = (args, title) => phone.confirmed(house, args, title)

describe('Android', () => {
  each()

  test('the app opens: the page is hidden, and the agent hears so by beacon, with the link down', async () => {
    const results = posted()
    const id = await confirmed(SEARCH, 'Search nearby')
    await phone.opens('Opening Google Maps')
    assert.deepEqual(phone.launched, [SEARCH_URL])
    assert.match(phone.fallback, new RegExp(`^${house.url}/launch-failed/[\\w-]{22}$`))
    assert.equal((await house.end(id)).outcome, 'opened')
    assert.deepEqual(await results(), [[id, 'opened', true]])
  })

  test('the app is not there: the browser opens the fallback, and the agent hears that nothing was started', async () => {
    const results = posted()
    const id = await confirmed(SEARCH, 'Search nearby')
    await phone.foot('Opening Google Maps')
    const { fallback } = phone
    await phone.leaveFor(fallback)
    await phone.foot('It did not work')
    assert.match(await phone.page.locator('.foot').innerText(), /Google Maps is not on this phone, or did not open\. Nothing was done\./)
    assert.equal(new URL(phone.page.url()).pathname, '/', 'the address was used')
    const call = await house.end(id)
    assert.equal(call.outcome, 'failed')
    assert.match(call.text, /could not do it\. Nothing was done\. Tell the person, and try again only if they ask\.\s+The phone says: The app is not on this phone, or did not open\./)
    assert.deepEqual(await results(), [[id, 'failed', false]], 'at once, and not only by the link')

    // Once more is the person's own act, and the agent hears of none.
    await phone.tap('.foot .link')
    await phone.tap('.foot .plain:has-text("Open again")')
    assert.deepEqual(phone.launched.slice(1), ['https://www.google.com/maps/search/?api=1&query=coffee', SEARCH_URL])
    await phone.says('You did it once more yourself.')
    assert.equal(phone.fallback, fallback)
    await phone.leaveFor(fallback)
    await phone.page.getByText('No request here waits for that, so nothing is changed.').waitFor()
    assert.equal(await phone.page.locator('nod-card').count(), 0)
    assert.equal((await house.end(id)).text, call.text)
    assert.equal((await results()).length, 1)
    assert.deepEqual(phone.errors, [])
  })

  test('the app is not there, and neither is nod: the page comes from the phone, and the result waits', async () => {
    const id = await confirmed(SEARCH, 'Search nearby')
    await phone.foot('Opening Google Maps')
    await house.kill()
    await phone.leaveFor(phone.fallback)
    await phone.foot('It did not work')
    await house.up()
    const call = await house.end(id)
    assert.deepEqual([call.outcome, /Nothing was done/.test(call.text)], ['failed', true])
  })

  test('a fallback after the app was seen to open changes nothing that was told', async () => {
    const id = await confirmed(SEARCH, 'Search nearby')
    await phone.opens('Opening Google Maps')
    const call = await house.end(id)
    assert.equal(call.outcome, 'opened')
    await phone.leaveFor(phone.fallback)
    await phone.page.getByText('No request here waits for that').waitFor()
    assert.equal((await house.end(id)).text, call.text)
  })

  test('an address that somebody made up says so, and changes nothing', async () => {
    const id = await confirmed(SEARCH, 'Search nearby')
    await phone.foot('Opening Google Maps')
    await phone.leaveFor(`${house.url}/launch-failed/AAAAAAAAAAAAAAAAAAAAAA`)
    await phone.page.getByText('No request here waits for that').waitFor()
    assert.equal((await house.end(id)).outcome, 'unknown', 'what was launched and left is not known')
  })

  test('it never goes out of sight: the person is asked; "Open again" after a no opens it again', async () => {
    const id = await confirmed({ action: 'open_url', url: 'https://example.com/' }, 'Open a link')
    await phone.foot('Did your browser open?')
    await phone.button('No').tap()
    const call = await house.end(id)
    assert.match(call.text, /began it and could not finish.*The phone says: The person says that the app did not open\./s)
    await phone.tap('.foot .plain:has-text("Open again")')
    await phone.says('You did it once more yourself.')
    assert.deepEqual(phone.launched, ['https://example.com/', 'https://example.com/'])
    assert.equal((await house.end(id)).text, call.text)
  })

  test('a route that was started is known to the next one', async () => {
    const id = await confirmed({ action: 'navigate', destination: { query: 'SFO Airport' } }, 'Start a route')
    await phone.opens('Opening Google Maps')
    assert.equal((await house.end(id)).outcome, 'opened')
    await phone.unhide()
    await phone.foot('Google Maps opened')
    await phone.fold()
    await house.ask({ action: 'navigate', destination: { query: 'Pier 39' } })
    await phone.card('Start a route')
    assert.match(await phone.page.getByRole('dialog').innerText(), /SFO Airport/)
  })

  test('an event as a file: left with nod, opened from there, and the person says whether the calendar took it', async () => {
    await set({ calendar: 'file' })
    const download = phone.page.waitForEvent('download')
    const id = await confirmed({ action: 'calendar_event', title: 'Dinner', start: '2027-01-04T19:30' }, 'Draft a calendar event')
    const file = await download
    assert.match(file.suggestedFilename(), /\.ics$/)
    assert.equal(phone.launched.length, 1)
    assert.match(phone.launched[0], new RegExp(`^${house.url}/file/[\\w-]+/[\\w.-]+\\.ics$`))
    const text = await fetch(phone.launched[0]).then((r) => r.text())
    assert.match(text, /^BEGIN:VCALENDAR\r\n[\s\S]*SUMMARY:Dinner\r\n/)
    await phone.page.locator('.foot h2', { hasText: /^Did .* open\?$/ }).waitFor()
    await phone.button('Yes').tap()
    assert.equal((await house.end(id)).outcome, 'opened')
  })

  test('an event as a file that nod does not take is not opened', async () => {
    await set({ calendar: 'file' })
    await phone.context.route('**/phone/file', (route) => route.abort())
    const id = await confirmed({ action: 'calendar_event', title: 'Dinner', start: '2027-01-04T19:30' }, 'Draft a calendar event')
    await phone.foot('It did not work')
    const call = await house.end(id)
    assert.match(call.text, /Nothing was done\. Tell the person, and try again only if they ask\.\s+The phone says: It could not be made ready, so it was not started\./)
    assert.deepEqual(phone.launched, [])
  })
})

describe('a computer', () => {
  each({ ...devices['Desktop Chrome'], hasTouch: true, viewport: { width: 1280, height: 800 } })

  test('opens the page in a new window at once', async () => {
    const id = await confirmed(SEARCH, 'Search nearby')
    await phone.opens('Opening Google Maps')
    assert.equal((await house.end(id)).outcome, 'opened')
    assert.deepEqual(phone.launched, ['https://www.google.com/maps/search/?api=1&query=coffee'])
  })
})

describe('an iPhone', () => {
  each({ ...devices['iPhone 13'] })

  /** Confirms, and taps the one button that an iPhone always wants. */
  async function twice(args, title, app) {
    const id = await confirmed(args, title)
    await phone.page.locator('.foot .primary', { hasText: `Open ${app}` }).waitFor()
    assert.deepEqual(phone.launched, [], 'not by the first tap')
    await phone.tap('.foot .primary', 2)
    return id
  }

  test('two taps, one launch', async () => {
    const id = await twice(SEARCH, 'Search nearby', 'Apple Maps')
    await phone.opens('Opening Apple Maps')
    assert.equal((await house.end(id)).outcome, 'opened')
    assert.equal(phone.launched.length, 1)
    assert.match(phone.launched[0], /^https:\/\/maps\.apple\.com\//)
  })

  test('an event as a file opens in a window of its own, from which there is a way back', async () => {
    await set({ calendar: 'file' })
    const popup = phone.page.waitForEvent('popup')
    const id = await confirmed({ action: 'calendar_event', title: 'Dinner', start: '2027-01-04' }, 'Draft a calendar event')
    await phone.page.locator('.foot .primary').waitFor()
    await phone.tap('.foot .primary')
    await phone.opens('Opening')
    await popup
    assert.equal((await house.end(id)).outcome, 'opened')
    assert.match(phone.launched[0], new RegExp(`^${house.url}/file/[\\w-]+/[\\w.-]+\\.ics$`))
  })

  const ALARM = { action: 'alarm', time: '07:30', label: 'Train' }
  /** Runs the Shortcut as far as it being in front; resolves to the address that it calls, but for its last word. */
  async function running() {
    await set({ shortcuts: { alarm: Date.now() } })
    const id = await twice(ALARM, 'Set an alarm', 'Shortcuts')
    await phone.opens('Opening')
    assert.equal(phone.launched.length, 1)
    const url = new URL(phone.launched[0])
    assert.equal(`${url.protocol}//${url.host}${url.pathname}`, 'shortcuts://x-callback-url/run-shortcut')
    const values = url.searchParams
    assert.deepEqual([values.get('name'), JSON.parse(values.get('text') ?? '')], ['Nod Alarm', { time: '07:30', label: 'Train' }])
    const base = (values.get('x-success') ?? '').replace(/\/ok$/, '')
    assert.deepEqual([values.get('x-cancel'), values.get('x-error')], [`${base}/cancel`, `${base}/error`])
    assert.match(base, new RegExp(`^${house.url}/cb/[\\w-]{22,}$`))
    await phone.foot('The shortcut is running')
    return { id, base }
  }
  /** As Safari, which has nothing of nod's. @param {string} url */
  async function safari(url) {
    const context = await newPhone(browser, devices['iPhone 13'])
    const page = await context.newPage()
    const response = await page.goto(url)
    const text = await page.locator('body').innerText()
    await context.close()
    return { status: response?.status(), text }
  }

  for (const [end, outcome, words, heading] of [
    ['ok', 'done', /^The phone did it\.$/, 'Done'],
    ['cancel', 'failed', /began it and could not finish.*The person stopped the shortcut\./s, 'It did not work'],
    ['error?errorMessage=Your%20key%20is%201234', 'failed', /began it and could not finish.*The shortcut ended with an error\.$/s, 'It did not work'],
  ]) {
    test(`a Shortcut calls "${String(end).split('?')[0]}" in Safari: the agent hears it while nod is out of sight, and the card when it is back`, async () => {
      const { id, base } = await running()
      assert.equal((await house.http('GET', `/v1/calls/${id}`)).outcome, undefined, 'in front is not at its end')
      assert.equal((await safari(`${base}/${end}`)).status, 200)
      const call = await house.end(id)
      assert.equal(call.outcome, outcome)
      assert.match(call.text, words)
      await phone.unhide()
      await phone.foot(heading)
      assert.notEqual((await safari(`${base}/ok`)).status, 200, 'once')
      assert.equal((await house.end(id)).text, call.text)
    })
  }

  for (const [answer, outcome] of [['Yes', 'opened'], ['No', 'failed']]) {
    test(`a Shortcut never calls, and the person says ${answer}`, async () => {
      const { id } = await running()
      await phone.unhide()
      await phone.foot('Did the shortcut run?')
      await phone.page.locator('.foot button:not([data-fresh])', { hasText: answer }).dispatchEvent('click') // the page is covered
      const call = await house.end(id)
      assert.equal(call.outcome, outcome, call.text)
    })
  }

  test('a Shortcut never calls, and nobody answers: nobody knows; a late call tells after all', { timeout: 180_000 }, async () => {
    const { id, base } = await running()
    await phone.unhide()
    await phone.foot('Not known how it ended')
    assert.equal((await house.end(id)).outcome, 'unknown')
    assert.equal((await safari(`${base}/ok`)).status, 200)
    assert.match((await house.end(id)).text, /was unknown at first\. The phone has now said that it did it, /)
  })

  for (const [calls, outcome] of [[true, 'done'], [false, 'unknown']]) {
    test(`nod is closed while a Shortcut runs, which ${calls ? 'calls' : 'does not call'}`, async () => {
      const { id, base } = await running()
      await phone.page.goto('about:blank')
      if (calls) await safari(`${base}/ok`)
      await phone.leaveFor(house.url)
      assert.equal((await house.end(id)).outcome, outcome)
      assert.equal(phone.launched.length, 1)
    })
  }

  test('nod takes no results beforehand: the Shortcut is not run', async () => {
    await set({ shortcuts: { alarm: Date.now() } })
    await phone.context.route('**/phone/callback', (route) => route.abort())
    const id = await confirmed(ALARM, 'Set an alarm')
    await phone.foot('It did not work')
    assert.match((await house.end(id)).text, /Nothing was done/)
    assert.deepEqual(phone.launched, [])
  })
})
