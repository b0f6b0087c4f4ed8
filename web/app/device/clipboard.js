// The clipboard. A browser lets a page at it in the person's tap, and only while
// the page has the focus. An empty clipboard is an answer; one that could not be
// read is none.

import { fits } from './data.js'
import { isError, permission, SECOND, within } from './wait.js'

const READ_MS = 90 * SECOND

/**
 * @typedef {import('./device.js').Made} Made
 * @typedef {{ clipboard: Pick<Clipboard, 'readText' | 'writeText'>, permissions?: Pick<Permissions, 'query'> }} Nav
 */

/** @type {import('./device.js').Prepare} */
export async function prepareRead() {
  return { needs: 'tap', start: () => read() }
}

/** @type {import('./device.js').Prepare} */
export async function prepareWrite({ text }) {
  return { needs: 'tap', start: () => write(text) }
}

/** @param {Nav} [nav] @returns {Promise<Made>} */
export async function read(nav = navigator) {
  try {
    const text = await within(nav.clipboard.readText(), READ_MS)
    if (text === null) return { ok: false, reason: 'nobody_answered' }
    return { ok: true, reason: 'read', data: kept(text) }
  } catch (e) {
    return { ok: false, reason: await refusal(e, 'clipboard-read', 'unreadable', nav) }
  }
}

/** As much of a text as a result holds. @param {string} text */
function kept(text) {
  const data = { text: whole(text), chars: [...text].length, cut: false }
  if (fits(JSON.stringify(data))) return data
  let [low, high] = [0, text.length]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (fits(JSON.stringify({ ...data, text: whole(text.slice(0, middle)), cut: true }))) low = middle
    else high = middle - 1
  }
  return { ...data, text: whole(text.slice(0, low)), cut: true }
}

/** Without half a character, which no UTF-8 has. @param {string} text */
const whole = (text) => text.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '')

/**
 * What a browser that never says how it went has done nobody knows: nothing ends
 * this then but the call's own time.
 * @param {string} text @param {Nav} [nav] @returns {Promise<Made>}
 */
export async function write(text, nav = navigator) {
  try {
    await nav.clipboard.writeText(text)
    return { ok: true, reason: 'copied' }
  } catch (e) {
    return { ok: false, reason: await refusal(e, 'clipboard-write', 'not_written', nav) }
  }
}

/**
 * One name of an error for two things: the page has not the focus, or it is not allowed.
 * @param {unknown} e @param {string} name @param {string} other @param {Nav} nav
 */
async function refusal(e, name, other, nav) {
  const focused = document.hasFocus() && document.visibilityState === 'visible'
  if (!isError(e, 'NotAllowedError', 'SecurityError')) return other
  if (focused) return 'not_allowed'
  return (await permission(name, nav))?.state === 'denied' ? 'not_allowed' : 'background'
}
