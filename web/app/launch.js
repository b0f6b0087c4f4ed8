// Hands a URL to the phone's apps, and watches for the only sign a page gets
// that one opened: it becomes hidden without being left.

/** @typedef {import('./uris.js').Launch} Launch */

/**
 * Launches, in the same turn as the tap that allows it. Throws when the browser
 * refuses at once.
 * @param {Launch} launch
 */
export function launch({ url, how }) {
  if (how === 'window') window.open(url, '_blank', 'noopener')
  else location.href = url
}

/** Whether a launch now would still count as the person's tap. iOS is always two taps. @param {string} os */
export function mayLaunchAtOnce(os) {
  return os !== 'ios' && navigator.userActivation?.isActive === true
}

/**
 * Calls back each time the page goes out of sight while it stays loaded.
 * @param {() => void} hidden @param {AbortSignal} signal
 */
export function watchHidden(hidden, signal) {
  let leaving = false
  addEventListener('pagehide', () => { leaving = true }, { signal })
  addEventListener('pageshow', () => { leaving = false }, { signal })
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden' && !leaving) hidden()
  }, { signal })
}

/** Sends a signed result that must survive the page: the signature is all the proof it needs. @param {import('./wire.js').Signed} result */
export function beacon(result) {
  navigator.sendBeacon('/link/result', JSON.stringify(result))
}
