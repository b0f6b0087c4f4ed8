// In which browser this page is, and which steps lead from there to a phone that
// is ready. Only words depend on it: which menu to open, and what to expect.

/** @typedef {'chrome' | 'edge' | 'samsung' | 'firefox' | 'safari' | 'other'} Browser */

/** Those that say who they are, the ones that pretend to be another first. @type {[Browser, RegExp][]} */
const BROWSERS = [
  ['samsung', /SamsungBrowser\//], ['edge', /\bEdg(A|iOS)?\//], ['firefox', /\b(Firefox|FxiOS)\//],
  ['other', /\bOPR\/|\bOPT\/|DuckDuckGo|\bYaBrowser\/|\bUCBrowser\/|\bVivaldi\/|\bGSA\//], ['chrome', /\b(Chrome|CriOS)\//], ['safari', /\bVersion\/[\d.]+.*Safari\//],
]

/** @param {string} userAgent @returns {Browser} */
export const browserOf = (userAgent) => BROWSERS.find(([, is]) => is.test(userAgent))?.[0] ?? 'other'

/** A window inside another app: what it keeps is that app's, and nothing can be installed from it. @param {string} userAgent */
export const insideAnApp = (userAgent) => /; wv\)|\bFBA[NV]\/|\bInstagram\b|\bLine\//.test(userAgent)

/** The steps to a phone that is ready, in the order that each kind of device needs. */
const STEPS = {
  // The home screen shares the browser's memory: pair at once, while the code is fresh.
  android: ['pair', 'install', 'wake'],
  // The home screen has a memory of its own: a key made before would stay behind.
  ios: ['install', 'pair', 'wake'],
  // A browser on a computer works at once.
  desktop: ['pair', 'wake'],
}

/** Where a step stands: the second of three. @param {'android' | 'ios' | 'desktop'} os @param {'pair' | 'install' | 'wake'} step */
export function stepOf(os, step) {
  return { at: STEPS[os].indexOf(step) + 1, of: STEPS[os].length }
}
