// The end of a pairing: the gateway is told, where it is in reach, and then
// nothing of it stays in this browser.

import { erase } from './db.js'
import { fill } from './dom.js'
import { forgetPaired } from './memory.js'
import { unpairedPage } from './pages/gone.js'
import { forgetPush } from './push.js'
import { sign } from './wire.js'

/** How long the gateway has to answer. */
const TELL_MS = 5_000

/** The person's own act: this phone is removed, here and at the gateway. Ends with a page that says what was done and what is left to do. @param {import('./app.js').Phone} phone */
export async function unpair(phone) {
  const { identity, page, bar } = phone.parts
  const told = await tell(phone)
  phone.link.stop()
  phone.host.stop() // what is under way writes nothing any more
  await eraseAll()
  const last = document.createElement('main') // the page's own belongs to the router, which draws it again
  last.id = page.id
  fill(last, ...unpairedPage(told, identity.name, () => location.replace('/pair')))
  page.replaceWith(last)
  fill(bar)
}

/** @param {import('./app.js').Phone} phone @returns {Promise<boolean>} whether the gateway has removed this phone */
async function tell({ link, parts: { identity } }) {
  const me = identity.phone
  if (link.state === 'connecting') await link.becomes('open', TELL_MS)
  const record = await sign(identity.keys.privateKey, 'revoke', { id: `record_${crypto.randomUUID()}`, phone: me, target: me })
  if (!link.send({ kind: 'records', record })) return false
  return link.becomes('revoked', TELL_MS)
}

/**
 * Leaves nothing behind, each part as far as the browser lets it: first the key,
 * which is what counts. Rejects, after all the rest, where that is still there.
 */
export async function eraseAll() {
  const [key] = await Promise.allSettled([erase()])
  forgetPaired()
  for (const part of [async () => sessionStorage.clear(), closeNotifications, () => inTime(forgetPush()), dropFiles, unregister]) await part().catch(() => {})
  navigator.clearAppBadge?.().catch(() => {})
  if (key.status === 'rejected') throw key.reason
}

const registered = async () => navigator.serviceWorker?.getRegistration()

async function closeNotifications() {
  for (const n of (await (await registered())?.getNotifications?.()) ?? []) n.close()
}

async function dropFiles() {
  for (const name of (await self.caches?.keys()) ?? []) await caches.delete(name)
}

async function unregister() {
  await (await registered())?.unregister()
}

/** A push service may never answer. @param {Promise<unknown>} work */
const inTime = (work) => Promise.race([work, new Promise((done) => setTimeout(done, TELL_MS))])
