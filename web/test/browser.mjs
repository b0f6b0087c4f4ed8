// The Chromium that the tests drive.

import { chromium, devices } from 'playwright-core'

/**
 * A route's answer with something changed in it. A page that closes meanwhile
 * needs none. @param {(route: import('playwright-core').Route) => Promise<void>} answer
 */
export const changed = (answer) => (/** @type {import('playwright-core').Route} */ route) =>
  answer(route).catch((error) => {
    if (!/disposed|closed/.test(error.message)) throw error
  })

export const SIZES = [[360, 640], [412, 915], [1280, 800]]

/** Starts Chromium. NOD_CHROMIUM names another binary than the system's. */
export function launch() {
  return chromium.launch({
    timeout: 120_000,
    executablePath: process.env.NOD_CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1', // what is launched leads to the real web: nothing of it is loaded
    ],
  })
}

/** A phone's context: Pixel 7, in Lisbon; drawn by the processor, so no finer than somebody looks. @param {import('playwright-core').Browser} browser @param {object} [options] @param {number} [scale] */
export function phone(browser, options = {}, scale = 1) {
  return browser.newContext({ ...devices['Pixel 7'], locale: 'en-GB', timezoneId: 'Europe/Lisbon', ...options, deviceScaleFactor: scale })
}
