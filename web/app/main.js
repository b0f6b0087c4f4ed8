// Where the app begins: which page this is, and what stands behind it.

import { fill } from './dom.js'
import { erase } from './db.js'
import { readIdentity } from './keys.js'
import { Phone } from './app.js'
import { brokenPage, elsewherePage } from './pages/state.js'
import { readPlatform } from './platform.js'
import { readSecret } from './pairing.js'
import { t, useLanguage } from './text.js'
import { keepShell } from './worker.js'

/** @param {string} id */
const node = (id) => /** @type {HTMLElement} */ (document.getElementById(id))
const page = node('page')
const LOCK = 'nod-link'

const language = useLanguage(navigator.languages)
document.documentElement.lang = language
document.documentElement.dir = ['ar', 'fa', 'he', 'ur'].includes(language) ? 'rtl' : 'ltr'

/** @param {(import('./dom.js').Child | import('./dom.js').Child[])[]} nodes */
function draw(nodes) {
  fill(page, ...nodes)
}

begin().catch((e) => draw(brokenPage(e instanceof Error ? e.message : String(e))))

async function begin() {
  if (!isSecureContext) return draw(brokenPage(t('pair.insecure')))
  if (!crypto.subtle || !navigator.locks || !self.indexedDB) return draw(brokenPage(t('pair.unfit')))
  keepShell()
  const platform = await readPlatform()
  const identity = await readIdentity()
  const secret = location.pathname === '/pair' ? readSecret(location.hash) : null
  if (identity && !secret && location.pathname === '/pair') history.replaceState(null, '', '/')
  if (!identity || secret) {
    const { PairFlow } = await import('./pairflow.js')
    return new PairFlow({ draw, os: platform.os, secret, paired: identity !== undefined, done: () => location.replace('/') }).start()
  }
  await holdLink(async (stolen) => {
    const phone = await Phone.make({ shell: node('shell'), page, bar: node('bar'), sheet: node('sheet'), platform, identity, unpair })
    await phone.run(stolen)
  })
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
 */
async function holdLink(run) {
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
