// What the person does on a page that others must hear of: pausing, letting
// agents ask again, answering a phone that wants to join. What is signed here
// counts only because this phone signed it.

import * as api from './api.js'
import { sign } from './wire.js'
import { t } from './text.js'

/** @typedef {import('./app.js').Phone} Phone */

/** @param {Phone} phone @param {string} [agent] one, or all */
export function pause(phone, agent) {
  return phone.try(async () => {
    await api.pause(phone.link.bearer, agent)
    if (!agent) phone.state.set({ paused: true })
  })
}

/** Only a phone lets agents ask again, and signs that it does. @param {Phone} phone @param {string} [agent] @param {import('./keys.js').Head} [setBack] */
export function resume(phone, agent, setBack) {
  const me = phone.parts.identity.phone
  return phone.try(async () => {
    await record(phone, 'resume', { id: `record_${crypto.randomUUID()}`, phone: me, ...(agent && { agent }), ...(setBack && { set_back: setBack }) })
    if (!agent) phone.state.set({ paused: false })
  })
}

/** That nod was set back is seen and accepted: agents may ask again. @param {Phone} phone */
export async function accept(phone) {
  const back = phone.link.setBack
  if (!back) return
  phone.state.set({ accepting: true })
  await resume(phone, undefined, back.now)
  await phone.link.accept()
  phone.state.set({ accepting: false })
  phone.router.go('/')
}

/** @param {Phone} phone @param {api.Waiting} w */
export async function allow(phone, w) {
  const { identity } = phone.parts
  await phone.try(async () => {
    await record(phone, 'phone', { phone: w.phone, person: identity.person, name: w.name, host: w.host, key: w.key, signer: identity.phone })
    phone.state.set({ said: t('phones.allowed', { name: w.name }) })
  })
  await lookForPhones(phone)
}

/** @param {Phone} phone @param {api.Waiting} w */
export async function reject(phone, w) {
  await phone.try(async () => {
    await api.reject(phone.link.bearer, w.id)
    phone.state.set({ said: t('phones.rejected', { name: w.name }) })
  })
  await lookForPhones(phone)
}

/** Asks which phones want to join. @param {Phone} phone */
export async function lookForPhones(phone) {
  if (phone.link.state !== 'open') return
  try {
    phone.state.set({ waiting: (await api.pairing(phone.link.bearer)).waiting })
  } catch {
    // The link says whether there is a connection; the page keeps what it had.
  }
}

/** @param {Phone} phone @param {string} kind @param {unknown} body */
async function record(phone, kind, body) {
  const signed = await sign(phone.parts.identity.keys.privateKey, kind, body)
  if (!phone.link.send({ kind: 'records', record: signed })) throw new Error(t('home.disconnected'))
}
