// The code of a pairing link, from the address until it is used.
//
// It stands behind the #, so no browser sends it. It leaves the address as soon
// as it was read: addresses go into the history, to other devices and onto home
// screens. Until it is used, the tab's own memory (sessionStorage) holds it, so
// that a page that the phone threw away while its owner was at the home screen
// still has it. That memory ends with the tab, no other page can read it, and
// what is in it is good once and for 15 minutes. A database would outlive both.

import { readSecret } from './pairing.js'

const KEPT = 'nod-code'
/** How long a pairing link is good for. */
export const GOOD_MS = 15 * 60_000

/** Takes the code out of the address, or finds the one that was taken out before. @returns {string | null} */
export function takeCode() {
  const code = location.hash.slice(1)
  if (location.hash) history.replaceState(history.state, '', location.pathname)
  if (readSecret(code)) {
    sessionStorage.setItem(KEPT, `${Date.now()} ${code}`)
    return code
  }
  const [at, kept] = (sessionStorage.getItem(KEPT) ?? '').split(' ')
  const age = Date.now() - Number(at)
  if (kept && age >= 0 && age < GOOD_MS) return kept
  dropCode()
  return null
}

/** Forgets the code: it was used, or is not wanted. */
export const dropCode = () => sessionStorage.removeItem(KEPT)

/**
 * Reads what was pasted: a code, or a whole link, which must then lead to this nod.
 * @param {string} text @param {string} origin
 * @returns {{ code: string } | { wrong: 'code' } | { wrong: 'other', server: string }}
 */
export function readPasted(text, origin) {
  const link = text.trim()
  const code = link.split('#').at(-1) ?? ''
  if (!readSecret(code)) return { wrong: 'code' }
  if (!link.includes('#')) return { code }
  const server = serverOf(link, origin)
  return server ? { wrong: 'other', server } : { code }
}

/** The host of a link that leads elsewhere. @param {string} link @param {string} origin */
function serverOf(link, origin) {
  try {
    const url = new URL(link, origin)
    return url.origin === origin ? null : url.host
  } catch {
    return null
  }
}
