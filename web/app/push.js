// Whether this phone can be woken, and how it comes to be. Three must agree: the
// browser has a subscription, the person allows notifications, the gateway knows
// the subscription. Browsers lose and change it without a word, so it is told to
// the gateway again at every start.

import { ApiError } from './api.js'
import { decode64, encode64 } from './wire.js'

/**
 * @typedef {{
 *   state: 'unsupported' | 'ask' | 'denied' | 'off' | 'on' | 'broken', reason: string, values?: Record<string, string>,
 * }} PushState reason: a sentence of the person's texts, with what can be done
 *   unsupported: not in this browser, or not here. ask: nobody was asked yet. denied: the person or the browser said no.
 *   off: allowed, but there is no subscription. broken: it was tried, and did not work.
 * @typedef {(method: string, path: string, body?: unknown, signal?: AbortSignal) => Promise<any>} Ask the phone API
 * @typedef {{ ask: Ask, parts: { platform: { os: string, standalone?: boolean } } }} Phone
 * @typedef {{ accepted_ms?: number, received_ms?: number, shown_ms?: number, problem?: string }} Step how far a test came; ms since it was sent
 *
 * @typedef {{
 *   supported: () => boolean, permission: () => NotificationPermission, request: () => Promise<NotificationPermission>,
 *   subscription: () => Promise<PushSubscription | null>, subscribe: (key: string) => Promise<PushSubscription>,
 * }} Browser
 */

/** A browser without a push service may never answer. */
const SUBSCRIBE_MS = 10_000
const TEST_MS = 60_000
const TEST_WAIT_S = 10

/** This browser. @type {Browser} */
export const browser = {
  supported: () => 'serviceWorker' in navigator && 'PushManager' in self && 'Notification' in self,
  permission: () => Notification.permission,
  request: () => Notification.requestPermission(),
  subscription: async () => (await navigator.serviceWorker.ready).pushManager.getSubscription(),
  subscribe: async (key) => (await navigator.serviceWorker.ready).pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: /** @type {Uint8Array<ArrayBuffer>} */ (decode64(key)) }),
}

/**
 * How it stands, and the gateway told what it does not know. It asks the person
 * nothing. For every start of a link, and when the browser changed something.
 * @param {Phone} phone @param {Browser} [b] @returns {Promise<PushState>}
 */
export async function readPush(phone, b = browser) {
  const { os, standalone } = phone.parts.platform
  if (!b.supported()) return { state: 'unsupported', reason: os === 'ios' && !standalone ? 'push.why.ios_home' : 'push.why.unsupported' }
  const told = await phone.ask('GET', '/phone/push')
  // A person is not asked to allow what cannot come.
  if (!told.enabled) return { state: 'off', reason: 'push.why.disabled', values: { reason: told.reason ?? '' } }
  const permission = b.permission()
  if (permission !== 'granted') {
    if (told.subscribed) await phone.ask('DELETE', '/phone/push')
    return permission === 'denied' ? { state: 'denied', reason: `push.why.denied_${os}` } : { state: 'ask', reason: 'push.why.ask' }
  }
  return subscribed(phone.ask.bind(phone), told, b)
}

/**
 * Turns notifications on. Only in the person's tap: browsers ask them once, and
 * take a question at a bad moment for a no.
 * @param {Phone} phone @param {Browser} [b] @returns {Promise<PushState>}
 */
export async function turnOn(phone, b = browser) {
  if (b.supported() && b.permission() === 'default') await b.request()
  return readPush(phone, b)
}

/** @param {Ask} ask @param {any} told what the gateway says @param {Browser} b @returns {Promise<PushState>} */
async function subscribed(ask, told, b) {
  try {
    let subscription = await inTime(b.subscription())
    const key = subscription?.options.applicationServerKey
    const over = told.last?.status === 'gone' && !told.subscribed // by its push service's own word
    if (subscription && (over || (key && encode64(new Uint8Array(key)) !== told.key))) {
      await inTime(subscription.unsubscribe()) // or made for a key that the gateway no longer has
      subscription = null
    }
    subscription ??= await inTime(b.subscribe(told.key))
    await ask('PUT', '/phone/push', { endpoint: subscription.endpoint, p256dh: part(subscription, 'p256dh'), auth: part(subscription, 'auth') })
  } catch (e) {
    return problem(e)
  }
  const { status, detail } = told.last ?? {}
  if (told.subscribed && (status === 'refused' || status === 'failed')) return { state: 'broken', reason: 'push.why.refused', values: { reason: detail ?? '' } }
  return { state: 'on', reason: 'push.why.on' }
}

/** @param {unknown} e @returns {PushState} */
function problem(e) {
  const { name, message } = /** @type {Error} */ (e)
  if (name === 'TimeoutError') return { state: 'broken', reason: 'push.why.timeout' }
  if (name === 'NotAllowedError' || name === 'InvalidStateError') return { state: 'off', reason: 'push.why.off' } // it wants a tap
  return { state: 'broken', reason: e instanceof ApiError ? 'push.why.not_taken' : 'push.why.no_service', values: { reason: message } }
}

/** @template T @param {Promise<T>} work @returns {Promise<T>} */
function inTime(work) {
  return Promise.race([work, new Promise((_, reject) => {
    setTimeout(() => reject(new DOMException('no answer', 'TimeoutError')), SUBSCRIBE_MS)
  })])
}

/** @param {PushSubscription} subscription @param {PushEncryptionKeyName} name */
const part = (subscription, name) => encode64(new Uint8Array(/** @type {ArrayBuffer} */ (subscription.getKey(name))))

/**
 * Sends a message to this phone by the way that wakes it, and tells each step:
 * taken by the push service, come in here, on the screen. A browser that shows
 * the message by itself never tells the last two.
 * @param {Phone} phone @param {(step: Step) => void} onStep @param {AbortSignal} [signal]
 * @returns {Promise<Step>} how far it came in the end
 */
export async function testPush(phone, onStep, signal) {
  const { id } = await phone.ask('POST', '/phone/push/test', undefined, signal)
  const until = performance.now() + TEST_MS
  for (;;) {
    const step = await phone.ask('GET', `/phone/push/test/${id}?wait=${TEST_WAIT_S}`, undefined, signal)
    onStep(step)
    if (step.problem || step.shown_ms || performance.now() > until) return step
  }
}

/** Ends the subscription on this side. It needs no network to be forgotten here. */
export async function forgetPush() {
  const registration = await navigator.serviceWorker?.getRegistration()
  await (await registration?.pushManager?.getSubscription())?.unsubscribe()
}
