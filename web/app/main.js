// Where the app begins: which page this is, and what stands behind it.

import { fill } from './dom.js'
import { guard } from './db.js'
import { readIdentity } from './keys.js'
import { Phone } from './app.js'
import { forgetPaired, rememberPaired, wasPaired } from './memory.js'
import { brokenPage, statePage } from './pages/state.js'
import { readPlatform } from './platform.js'
import { readPending, readSetup } from './setup.js'
import { readSettings, speak } from './settings.js'
import { t } from './text.js'
import { holdLink } from './windows.js'
import { keepShell } from './worker.js'

/** @param {string} id */
const node = (id) => /** @type {HTMLElement} */ (document.getElementById(id))
const page = node('page')

speak('')

/** @param {(import('./dom.js').Child | import('./dom.js').Child[])[]} nodes */
function draw(nodes) {
  fill(page, ...nodes)
}

const unfit = () => draw(statePage('failed', t('pair.unfit'), t('pair.unfit_why')))
/** What a database says that a private window, or a rule of the browser, keeps shut. */
const SHUT = ['InvalidStateError', 'SecurityError']

begin().catch((e) => (SHUT.includes(e.name) ? unfit() : draw(brokenPage(e instanceof Error ? e.message : String(e)))))

async function begin() {
  if (!isSecureContext) return draw(statePage('look', t('pair.insecure'), t('pair.insecure_why')))
  if (!crypto.subtle || !navigator.locks || !self.indexedDB) return unfit()
  keepShell()
  speak((await readSettings()).language)
  const platform = await readPlatform()
  const identity = await readIdentity()
  const setup = await readSetup()
  const pending = await readPending()
  const forgot = identity || pending || location.hash ? null : wasPaired()
  if (forgot !== null) {
    const { forgottenPage } = await import('./pages/gone.js')
    return draw(forgottenPage(forgot, () => {
      forgetPaired()
      location.replace('/pair')
    }))
  }
  if (!identity || pending || (location.pathname === '/pair' && (!setup || location.hash))) {
    const { PairFlow } = await import('./pairflow.js')
    return new PairFlow({ page, draw, platform, identity, pending, done: () => location.replace('/pair'), keep: () => location.replace('/') }).start()
  }
  // Who left in the middle of setting up comes back to it.
  if (setup && location.pathname === '/') history.replaceState(null, '', '/pair')
  await holdLink(async (stolen) => {
    const mine = await readIdentity()
    if (mine?.phone !== identity.phone) return location.reload() // another window ended it meanwhile
    guard(() => location.reload())
    rememberPaired(identity.name)
    if (platform.standalone) navigator.storage?.persist?.().catch(() => {}) // an installed app may ask that nothing of it makes room
    const phone = await Phone.make({ shell: node('shell'), page, bar: node('bar'), sheet: node('sheet'), platform, identity })
    await phone.run(stolen)
  }, draw, platform.standalone)
}
