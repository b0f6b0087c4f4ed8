// Hands a URL to the phone's apps, and watches for the signs a page gets that
// one opened: it becomes hidden without being left, or the browser leaves it for
// the page that stands for a failed launch.

import { intentURL, shortcutURL } from './intents.js'

const FAILED = '/launch-failed/'

/**
 * Launches, in the same turn as the tap that allows it. Throws when the browser
 * refuses at once.
 * @param {import('./host.js').Feasible} plan
 * @param {{ token?: string, callback?: string, path?: string }} made what was made ready for it
 * @param {string} os
 */
export function launch(plan, { token, callback, path = '' }, os) {
  const { origin } = location
  switch (plan.do) {
    case 'open':
      return 'intent' in plan ? go(intentURL(plan.intent, `${origin}${FAILED}${token}`)) : go(plan.url, plan.how)
    case 'shortcut':
      return go(shortcutURL(plan, callback && `${origin}/cb/${callback}`))
    case 'file': // an app on an iPhone's home screen has no way back from a file that takes its place
      return go(path, os === 'ios' ? 'window' : 'address')
  }
}

/** @param {string} url @param {'window' | 'address'} [how] */
function go(url, how) {
  if (how === 'window') window.open(url, '_blank', 'noopener')
  else location.href = url
}

/** The token in the address of a launch that failed; null at any other. @param {string} path */
export const failedLaunch = (path) => (path.startsWith(FAILED) ? path.slice(FAILED.length) : null)

/** Whether a launch now would still count as the person's tap, and be seen. iOS is always two taps. @param {string} os */
export function mayLaunchAtOnce(os) {
  return os !== 'ios' && document.visibilityState === 'visible' && navigator.userActivation?.isActive === true
}

/** Whether somebody can see this page; behind, whether a notification can bring them here. @returns {import('./phone.js').Sight} */
export function sight() {
  if (document.visibilityState === 'visible') return 'seen'
  return navigator.serviceWorker && self.Notification?.permission === 'granted' ? 'rings' : 'silent'
}

/**
 * Calls back each time the page goes out of sight while it stays loaded, and
 * each time it comes back.
 * @param {(sign: { type: 'hidden' | 'visible' }) => void} seen @param {AbortSignal} signal
 */
export function watchSight(seen, signal) {
  let leaving = false
  addEventListener('pagehide', () => { leaving = true }, { signal })
  // One that a browser had put aside knows nothing of what happened meanwhile.
  addEventListener('pageshow', (e) => (e.persisted ? location.reload() : (leaving = false)), { signal })
  document.addEventListener('visibilitychange', () => {
    if (!leaving) seen({ type: document.visibilityState })
  }, { signal })
}

/** Sends a signed result that must survive the page: the signature is all the proof it needs. @param {import('./wire.js').Signed} result */
export function beacon(result) {
  navigator.sendBeacon('/link/result', JSON.stringify(result))
}
