// One house and one phone for the tests of a file, or of a describe: to pair
// anew costs most of what a test does. Each test begins at Home, is asked by an
// agent of its own, and finds nothing that waits or was launched.

import { after, afterEach, before, beforeEach } from 'node:test'

import { launch } from '../browser.mjs'
import { House } from './house.mjs'

/**
 * Sets them up for each test from here on.
 * @param {(house: House, phone: import('./house.mjs').PhonePage, browser: import('playwright-core').Browser) => void} take has them before each test
 * @param {{ options?: object, prepare?: (phone: import('./house.mjs').PhonePage) => Promise<unknown> }} [with_] the browser's options, and what is done once to each phone that was paired
 * @returns {{ ruin: () => void }} what a test calls after which the phone is none any more: the next one has another
 */
export function eachTest(take, { options, prepare } = {}) {
  /** @type {import('playwright-core').Browser} */ let browser
  /** @type {House | undefined} */ let house
  /** @type {import('./house.mjs').PhonePage | undefined} */ let phone
  let tests = 0
  let ruined = false

  before(async () => { browser = await launch() })
  after(async () => {
    await browser?.close()
    await house?.stop()
  })
  beforeEach(async () => {
    if (!house || !phone) {
      house = await House.start()
      phone = await house.pair(browser, options)
      await phone.ready()
      await prepare?.(phone)
    }
    await house.agent(`Agent ${++tests}`)
    await phone.again(house.url)
    await phone.ready()
    take(house, phone, browser)
  })
  afterEach(async (t) => {
    if (/** @type {any} */ (t).passed && !ruined) return house?.withdraw()
    ruined = false
    await phone?.close()
    await house?.stop()
    house = phone = undefined
  })
  return { ruin: () => { ruined = true } }
}
