// One window of a phone holds the link; which one is settled by a lock of the
// browser's. The others offer to take it, and take it when that window goes away.

import { elsewherePage } from './pages/state.js'

/** @typedef {import('./router.js').Nodes} Nodes */

const LOCK = 'nod-link'

/**
 * Another window says where nod is open, and offers to take the link.
 * @param {(stolen: Promise<void>) => Promise<void>} run runs until the link is taken away
 * @param {(nodes: Nodes) => void} draw
 * @param {boolean} take whether it goes first: the app on the home screen does, a tab left open behind it is not where the person is
 */
export async function holdLink(run, draw, take) {
  if (take) await hold({ steal: true }, run)
  for (;;) {
    if ((await hold({ ifAvailable: true }, run)) !== 'taken') continue
    const waiting = new AbortController()
    const use = () => waiting.abort()
    draw(elsewherePage(use))
    // Whoever taps a notification wants the card here, in the window it brought.
    navigator.serviceWorker?.addEventListener('message', ({ data }) => data?.kind === 'open' && bring(data.path, use), { signal: waiting.signal })
    await hold({ signal: waiting.signal }, run)
    if (waiting.signal.aborted) await hold({ steal: true }, run)
  }
}

/** @param {string} path @param {() => void} use */
function bring(path, use) {
  history.replaceState(null, '', path)
  use()
}

/**
 * @param {LockOptions} options @param {(stolen: Promise<void>) => Promise<void>} run
 * @returns {Promise<'taken' | 'over'>} taken: another window holds it
 */
async function hold(options, run) {
  /** @type {() => void} */ let lose = () => {}
  const stolen = new Promise((/** @type {(v: void) => void} */ resolve) => { lose = resolve })
  try {
    return await navigator.locks.request(LOCK, options, async (lock) => {
      if (!lock) return 'taken'
      await run(stolen)
      return 'over'
    })
  } catch (e) {
    if (!(e instanceof DOMException) || e.name !== 'AbortError') throw e
    lose()
    return 'over'
  }
}
