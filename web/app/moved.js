// Whether nod still goes by the address of this page. A browser's phone is bound
// to its address: where that leads to a nod of another name, the link fails for
// ever, and only this can say why.

import { statePage } from './pages/state.js'
import { t } from './text.js'

const EVERY_MS = 30_000
let looked = -Infinity

/** Looks, when the link could not be had and somebody sees the page. @param {import('./app.js').Phone} phone */
export async function look(phone) {
  if (document.visibilityState !== 'visible' || performance.now() - looked < EVERY_MS) return
  looked = performance.now()
  const moved = await refused()
  phone.state.set({ moved: moved ? () => statePage('link-off', t('pair.moved'), t('pair.moved_why', { server: location.host })) : null })
}

/** A gateway refuses what came by a name it does not go by, and nothing else that is asked like this. */
async function refused() {
  try {
    const response = await fetch('/healthz', { cache: 'no-store' })
    return response.status === 403 && (await response.json()).error?.code === 'forbidden'
  } catch {
    return false
  }
}
