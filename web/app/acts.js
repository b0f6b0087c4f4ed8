// What the person does on a page that others must hear of: pausing, letting
// agents ask again, answering a phone that wants to join. What is signed here
// counts only because this phone signed it.

import * as api from './api.js'
import { row, write } from './journal.js'
import { speak, writeSettings } from './settings.js'
import { t } from './text.js'
import { sign } from './wire.js'

/** @typedef {import('./app.js').Phone} Phone */

/** @param {Phone} phone @param {string} [agent] one, or all */
export function pause(phone, agent) {
  return phone.try(async () => {
    await api.pause(phone.link.bearer, agent)
    if (!agent) phone.state.set({ paused: true })
  })
}

/** Only a phone lets agents ask again, and signs that it does. @param {Phone} phone @param {string} [agent] one, or all */
export const resume = (phone, agent) => phone.try(() => resumed(phone, agent ? { agent } : {}))

/** @param {Phone} phone @param {{ agent?: string, set_back?: import('./keys.js').Head }} what */
async function resumed(phone, what) {
  await record(phone, 'resume', { id: `record_${crypto.randomUUID()}`, phone: phone.parts.identity.phone, ...what })
  if (!what.agent) phone.state.set({ paused: false })
}

/** That nod was set back is seen and accepted, by a record that nod has: agents may ask again. @param {Phone} phone */
export function accept(phone) {
  const back = phone.link.setBack
  if (!back) return
  return phone.try(async () => {
    phone.state.set({ accepting: true })
    try {
      await resumed(phone, { set_back: back.now })
      await phone.link.accept()
      phone.router.go('/')
    } finally {
      phone.state.set({ accepting: false })
    }
  })
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

/** Puts a test card on this phone, by the way every card comes. @param {Phone} phone */
export function testCard(phone) {
  return phone.try(async () => {
    const { outcome } = await phone.ask('POST', '/phone/test')
    if (outcome) throw new Error(t(`outcome.${outcome}`)) // it ended before it was a card
  })
}

/**
 * What this phone would open for an offer of the log; null where it is another
 * phone's, or nothing that is opened.
 * @param {Phone} phone @param {import('./offer.js').Offer | null | undefined} offer
 */
function planOf({ host, parts }, offer) {
  if (offer?.phone !== parts.identity.phone) return null
  const plan = host.parts.plan(offer.action, offer.fields)
  return 'do' in plan && (plan.do === 'open' || plan.do === 'shortcut') ? plan : null
}

/** @param {Phone} phone @param {import('./offer.js').Offer | null | undefined} offer */
export const canOpen = (phone, offer) => planOf(phone, offer) !== null

/**
 * Opens it once more, after it failed or nobody knows: the person's own act, in
 * the journal, and nothing an agent hears of.
 * @param {Phone} phone @param {import('./offer.js').Offer} offer @param {import('./journal.js').Row} [did] what this phone did with it then
 */
export function openAgain(phone, offer, did) {
  const plan = planOf(phone, offer)
  if (!plan) return
  return phone.try(async () => {
    phone.host.parts.launch(plan, { token: did?.token })
    const now = await row(offer.call)
    if (now) await write({ ...now, again: [...(now.again ?? []), Date.now()] }, now.state)
  })
}

/** What the person chose for this phone holds at once, here and for what agents may ask. @param {Phone} phone @param {Partial<import('./settings.js').Settings>} change */
export function choose(phone, change) {
  return phone.try(async () => {
    const settings = await writeSettings(change)
    if ('language' in change) speak(settings.language)
    phone.redeclare({ settings })
    if ('language' in change) phone.link.start() // it is the language of notifications too, and said in hello
  })
}

/** How long a card waits, for every phone of this person. @param {Phone} phone @param {number} seconds @returns {Promise<number>} what holds now */
export const chooseWait = async (phone, seconds) => (await phone.ask('PUT', '/phone/settings', { wait_seconds: seconds })).wait_seconds

/** How long nod may take to have what this phone signed. */
const KEPT_MS = 10_000

/**
 * Changes what an agent may ask for. Only what a phone signed widens it.
 * @param {Phone} phone @param {string} agent @param {Record<string, 'ask' | 'off'>} switches
 * @returns {Promise<boolean>} whether nod has it
 */
export async function changeAccess(phone, agent, switches) {
  const id = `record_${crypto.randomUUID()}`
  const kept = phone.hears(id, KEPT_MS)
  await record(phone, 'access', { id, phone: phone.parts.identity.phone, agent, switches })
  return kept
}

/** @param {Phone} phone @param {string} kind @param {unknown} body */
async function record(phone, kind, body) {
  const signed = await sign(phone.parts.identity.keys.privateKey, kind, body)
  if (!phone.link.send({ kind: 'records', record: signed })) throw new Error(t('home.disconnected'))
}
