// Makes characters that cannot be seen visible. Message texts may hold any
// character; on a card none may hide, turn a line round or pass for another.

import { FORBIDDEN_IN_A_LINE } from './contract.js'

/** @typedef {{ text: string } | { token: string }} Piece */

/**
 * Splits a text into what is drawn as it is and tokens such as ⟨U+202E⟩.
 * @param {string} text
 * @returns {Piece[]}
 */
export function pieces(text) {
  /** @type {Piece[]} */
  const out = []
  let plain = ''
  for (const c of text.replace(/\r\n?/g, '\n')) {
    if (!hides(/** @type {number} */ (c.codePointAt(0)))) {
      plain += c
      continue
    }
    if (plain) out.push({ text: plain })
    out.push({ token: tokenOf(c) })
    plain = ''
  }
  if (plain) out.push({ text: plain })
  return out
}

/** @param {string} c */
export const tokenOf = (c) => `⟨U+${/** @type {number} */ (c.codePointAt(0)).toString(16).toUpperCase().padStart(4, '0')}⟩`

/** @param {number} code */
export function hides(code) {
  if (code === 0x0a || code === 0x09) return false
  return FORBIDDEN_IN_A_LINE.some(([from, to]) => code >= from && code <= to)
}
