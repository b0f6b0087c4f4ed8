// Where the app begins: which page this is, and what stands behind it.

import { fill } from './dom.js'
import { erase } from './db.js'
import { readIdentity } from './keys.js'
import { Phone } from './app.js'
import { brokenPage, elsewherePage, statePage } from './pages/state.js'
import { readPlatform } from './platform.js'
import { readPending, readSetup } from './setup.js'
import { readSettings, speak } from './settings.js'
import { t } from './text.js'
import { keepShell } from './worker.js'

/** @param {string} id */
const node = (id) => /** @type {HTMLElement} */ (document.getElementById(id))
const page = node('page')
const LOCK = 'nod-link'

speak('')

/** @param {(import('./dom.js').Child | import('./dom.js').Child[])[]} nodes */
function draw(nodes) {
  fill(page, ...nodes)
}

begin().catch((e) => draw(brokenPage(e instanceof Error ? e.message : String(e))))

async function begin() {
  if (!isSecureContext) return draw(statePage('look', t('pair.insecure'), t('pair.insecure_why')))
  if (!crypto.subtle || !navigator.locks || !self.indexedDB) return draw(statePage('failed', t('pair.unfit'), t('pair.unfit_why')))
  keepShell()
  speak((await readSettings()).language)
  const platform = await readPlatform()
  const identity = await readIdentity()
  const setup = await readSetup()
  const pending = await readPending()
  if (!identity || pending || (location.pathname === '/pair' && (!setup || location.hash))) {
    const { PairFlow } = await import('./pairflow.js')
    return new PairFlow({ page, draw, platform, identity, pending, done: () => location.replace('/pair'), keep: () => location.replace('/') }).start()
  }
  // Who left in the middle of setting up comes back to it.
  if (setup && location.pathname === '/') history.replaceState(null, '', '/pair')
  await holdLink(async (stolen) => {
    const phone = await Phone.make({ shell: node('shell'), page, bar: node('bar'), sheet: node('sheet'), platform, identity, unpair })
    await phone.run(stolen)
  }, setup !== undefined && platform.standalone)
}

/** Forgets everything and begins anew. */
async function unpair() {
  await erase()
  location.replace('/pair')
}

/**
 * One window holds the link. Another one says where it is, offers to take it,
 * and takes it by itself when that window goes away.
 * @param {(stolen: Promise<void>) => Promise<void>} run runs until the link is taken away
 * @param {boolean} take whether it is this one's turn: it was just put on the home screen, by the tab that holds the link
 */
async function holdLink(run, take) {
  if (take) await hold({ steal: true }, run)
  for (;;) {
    if ((await hold({ ifAvailable: true }, run)) !== 'taken') continue
    const waiting = new AbortController()
    draw(elsewherePage(() => waiting.abort()))
    await hold({ signal: waiting.signal }, run)
    if (waiting.signal.aborted) await hold({ steal: true }, run)
  }
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
