// What time it is on this phone, and how its person writes it.

import { offset } from '../zone.js'

/** @type {import('./device.js').Prepare} */
export async function prepare() {
  return { needs: 'nothing', start: async () => ({ ok: true, reason: 'time', data: now(Date.now(), navigator.language) }) }
}

/**
 * @param {number} at @param {string} locale @param {string} [zone] the browser's own, also where the phone has travelled since the page was opened
 */
export function now(at, locale, zone = Intl.DateTimeFormat().resolvedOptions().timeZone) {
  const ahead = offset(at, zone)
  const local = new Date(at + ahead).toISOString()
  const minutes = Math.abs(ahead) / 60_000
  const two = (/** @type {number} */ n) => String(Math.floor(n)).padStart(2, '0')
  return {
    time: `${local.slice(0, 19)}${ahead < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`,
    date: local.slice(0, 10),
    weekday: new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' }).format(at + ahead),
    zone, locale,
    hour12: new Intl.DateTimeFormat(locale, { hour: 'numeric' }).resolvedOptions().hour12 === true,
  }
}
