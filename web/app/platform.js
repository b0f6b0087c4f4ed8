// Which kind of device this browser runs on, as far as it says.

/** @typedef {import('./uris.js').Platform} Platform */

/**
 * @param {{ userAgent: string, maxTouchPoints?: number, platform?: string }} nav
 * @returns {Platform['os']}
 */
export function osOf(nav) {
  if (/Android/i.test(nav.userAgent)) return 'android'
  // An iPad that asks for desktop pages calls itself a Mac with a touch screen.
  if (/iPhone|iPad|iPod/.test(nav.userAgent) || (/Mac/.test(nav.userAgent) && (nav.maxTouchPoints ?? 0) > 1)) return 'ios'
  return 'desktop'
}

/** The version of iOS, 1804 for 18.4; 0 where the browser does not say, or is another. @param {string} userAgent */
export function iosVersion(userAgent) {
  const said = [...userAgent.matchAll(/(?:iPhone OS|CPU OS|Version)[ /](\d+)[._](\d+)/g)].map(([, major, minor]) => Number(major) * 100 + Number(minor))
  return Math.max(0, ...said)
}

/** What people call a device, where it goes by that: a Pixel 9 or an iPad, not an SM-S921B. @param {string} model @param {Parameters<typeof osOf>[0]} nav */
export function calledBy(model, nav) {
  if (osOf(nav) === 'ios') return /iPhone|iPod/.test(nav.userAgent) ? '' : 'iPad'
  return osOf(nav) === 'android' && /[a-z]{3}/.test(model) && model.length <= 40 ? model.trim() : ''
}

/**
 * Reads the platform once, at start. Samsung's messaging app wants recipients
 * separated by a comma, so the model matters.
 * @returns {Promise<Platform>}
 */
export async function readPlatform() {
  const data = /** @type {any} */ (navigator).userAgentData
  let model = ''
  try {
    model = (await data?.getHighEntropyValues(['model']))?.model ?? ''
  } catch {
    // The browser keeps it to itself; the common form is used.
  }
  const os = osOf(navigator)
  return {
    os,
    version: os === 'ios' ? iosVersion(navigator.userAgent) : 0,
    samsung: /\bSM-|SamsungBrowser/.test(`${navigator.userAgent} ${model}`),
    model: calledBy(model, navigator),
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    standalone: matchMedia('(display-mode: standalone)').matches || /** @type {any} */ (navigator).standalone === true,
  }
}
