// Waking, end to end: the gateway sends to a push service that checks and
// decrypts, Chromium's own service worker is handed the message, shows it, and a
// tap on it leads to the card. The push service and the subscription are
// stand-ins: this Chromium is signed up with nobody.
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'

import { launch } from '../browser.mjs'
import { PushService } from '../push-service.mjs'
import { House } from './house.mjs'

/** @type {House} */ let house
/** @type {PushService} */ let service
/** @type {import('playwright-core').Browser} */ let browser
/** @type {import('./house.mjs').PhonePage} */ let phone
/** Hands a message to the service worker, and resolves when that has done with it. @type {(body: any) => Promise<unknown>} */ let deliver

const LINK = { action: 'open_url', url: 'https://example.com/secret-path' }
const AGENT = 'Laptop · Claude Code'

/** The browser's part, with keys that the service has the other half of. */
function subscribeWith({ endpoint, p256dh, auth }) {
  const bytes = (/** @type {string} */ text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0)).buffer
  /** @type {any} */ let mine = null
  Object.assign(PushManager.prototype, {
    async subscribe(/** @type {any} */ options) {
      if (localStorage.getItem('test-refuses')) throw new DOMException('it wants a tap', 'NotAllowedError')
      mine = {
        endpoint, options: { applicationServerKey: options.applicationServerKey.buffer, userVisibleOnly: options.userVisibleOnly },
        getKey: (/** @type {string} */ name) => bytes(name === 'auth' ? auth : p256dh), unsubscribe: async () => { mine = null },
      }
      return mine
    },
    getSubscription: async () => mine,
  })
}

before(async () => { browser = await launch() })
after(() => browser?.close())
beforeEach(async () => {
  service = await PushService.start()
  house = await House.start('--push-subject', 'mailto:ana@example.org', '--push-host', service.host)
  phone = await house.pair(browser, { permissions: ['notifications'] })
  await phone.ready()
  await phone.context.addInitScript(subscribeWith, service.subscription)
  await subscribed(() => phone.page.reload())
  phone.errors.length = 0 // before it was replaced, the browser's own refusal
  deliver = await courier()
})
afterEach(async () => {
  assert.deepEqual(service.faults, [])
  await phone?.close()
  await house?.stop()
  service?.stop()
})

/** Until the page has told the gateway its subscription. @param {() => Promise<unknown>} act */
async function subscribed(act) {
  const told = phone.page.waitForResponse((r) => r.request().method() === 'PUT' && r.url().endsWith('/phone/push') && r.ok(), { timeout: 30_000 })
  await act()
  await told
}

/**
 * The way from the push service to the service worker, which needs no page of
 * nod's. It ends where the worker has shown the message: to ask Chromium for its
 * notifications while one is being shown makes it forget that one.
 */
async function courier() {
  const blank = await phone.context.newPage()
  const cdp = await phone.context.newCDPSession(blank)
  const registration = new Promise((resolve) => {
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const mine = registrations.find((r) => r.scopeURL.startsWith(house.url) && !r.isDeleted)
      if (mine) resolve(mine.registrationId)
    })
  })
  await cdp.send('ServiceWorker.enable')
  await cdp.send('BackgroundService.startObserving', { service: 'pushMessaging' })
  await cdp.send('BackgroundService.setRecording', { service: 'pushMessaging', shouldRecord: true })
  const registrationId = await registration
  await phone.page.bringToFront()
  return async (body) => {
    const done = completed(cdp)
    await cdp.send('ServiceWorker.deliverPushMessage', { origin: house.url, registrationId, data: typeof body === 'string' ? body : JSON.stringify(body) })
    assert.equal(await done, 'Success', 'the worker took the message')
  }
}

/** How the worker ended with the next message. @param {import('playwright-core').CDPSession} cdp @returns {Promise<string>} */
const completed = (cdp) => new Promise((resolve) => {
  const late = setTimeout(resolve, 30_000, 'nothing came of it')
  cdp.on('BackgroundService.backgroundServiceEventReceived', ({ backgroundServiceEvent: { eventName, eventMetadata } }) => {
    if (eventName !== 'Push event completed') return
    clearTimeout(late)
    resolve(eventMetadata.find(({ key }) => key === 'Status')?.value ?? '')
  })
})

/**
 * Something in the service worker. The browser may stop it while it is asked,
 * and then no answer ever comes: it is asked again, so that what is asked must
 * bear to be done twice. @param {(arg: any) => any} what @param {any} [arg]
 */
async function inWorker(what, arg) {
  for (let tries = 0; tries < 3; tries++) {
    const [worker] = phone.context.serviceWorkers()
    const answer = (worker ?? (await phone.context.waitForEvent('serviceworker'))).evaluate(what, arg).then((value) => ({ value }))
    const came = await Promise.race([answer, phone.page.waitForTimeout(10_000)])
    if (came) return came.value
    answer.catch(() => {}) // whatever it says by now
  }
  throw new Error('the service worker does not answer')
}

/** Until the notifications are as they should be. @param {(all: any[]) => boolean} fits */
async function until(fits) {
  for (const end = Date.now() + 30_000; ;) {
    const all = await notifications()
    if (fits(all)) return all
    if (Date.now() > end) throw new Error(`the notifications are ${JSON.stringify(all)}`)
    await phone.page.waitForTimeout(50)
  }
}

/** What is on the screen of notifications. */
const notifications = () => inWorker(async () => (await self.registration.getNotifications()).map(({ title, body, tag, data, silent, requireInteraction, actions }) => ({ title, body, tag, kind: data.kind, call: data.call, silent, requireInteraction, buttons: actions.length })))

/** Until a notification is there that fits. @param {(n: any) => boolean} fits */
const shown = (fits) => until((all) => all.some(fits))

/** A tap on a call's notification; where the worker led. @param {string} call */
const tapOn = (call) => inWorker(async (id) => {
  const there = () => self.registration.getNotifications({ tag: `card-${id}` })
  if (!(await there()).length) await self.registration.showNotification('again', { tag: `card-${id}`, data: { kind: 'card', call: id } }) // the worker was stopped in the tap
  const [n] = await there()
  const opened = new Promise((resolve) => {
    Object.assign(self.clients, { openWindow: async (path) => resolve(path) }) // only a real tap may open a window
    setTimeout(resolve, 8_000, null)
  })
  self.dispatchEvent(new NotificationEvent('notificationclick', { notification: n }))
  return opened
}, call)

/** The kinds of a call's log entries, in order. @param {string} call @returns {Promise<string[]>} */
const logged = async (call) => (await house.lines('log', '-n', '0')).filter((e) => e.call === call).map((e) => e.kind)

/** How long it took until the phone had an offer, in ms. @param {string} call */
async function took(call) {
  const at = Object.fromEntries((await house.lines('log', '-n', '0')).filter((e) => e.call === call).map((e) => [e.kind, Date.parse(e.at)]))
  return at['call.delivered'] - at['call.offered']
}

/** Until a call's log has a kind of entry. @param {string} call @param {string} kind */
async function untilLogged(call, kind) {
  for (const end = Date.now() + 30_000; ;) {
    const kinds = await logged(call)
    if (kinds.includes(kind)) return
    if (Date.now() > end) throw new Error(`no ${kind} in ${kinds}`)
    await phone.page.waitForTimeout(50)
  }
}

/** Until the window at a path is the one that was used last. @param {string} path */
async function inFront(path) {
  for (const end = Date.now() + 30_000; ;) {
    const [first] = await inWorker(async () => (await self.clients.matchAll({ type: 'window', includeUncontrolled: true })).map(({ url }) => new URL(url).pathname))
    if (first === path) return
    if (Date.now() > end) throw new Error(`${first} is in front`)
    await phone.page.waitForTimeout(50)
  }
}

async function pageAway() {
  await phone.page.goto('about:blank')
}

test('the page is closed, an agent asks: a notification without a value, a tap, the card, confirmed, opened', async () => {
  await pageAway()
  const { id } = await house.ask(LINK)
  const { body, headers } = await service.next()
  assert.equal(headers.urgency, 'high')
  assert.deepEqual([body.web_push, body.notification.title, body.notification.body, body.notification.tag], [8030, AGENT, 'Open a link', `card-${id}`])
  assert.equal(body.notification.navigate, `${house.url}/card/${id}`)
  assert.doesNotMatch(JSON.stringify(body), /secret|example\.com/)
  await untilLogged(id, 'push.accepted') // the message is here before the gateway has heard that it was taken
  await deliver(body)
  assert.deepEqual(await shown((n) => n.call === id), [{ title: AGENT, body: 'Open a link', tag: `card-${id}`, kind: 'card', call: id, silent: false, requireInteraction: true, buttons: 0 }])
  const path = await tapOn(id)
  assert.equal(path, `/card/${id}`)
  await until((all) => all.length === 0)

  await phone.page.goto(house.url + path)
  await phone.card('Open a link')
  await phone.confirm()
  await phone.opens('Opening your browser')
  const call = await house.end(id)
  assert.equal(call.outcome, 'opened', call.text)
  assert.deepEqual(phone.launched, [LINK.url])
  const kinds = await logged(id)
  const order = ['push.accepted', 'push.received', 'push.shown', 'call.delivered', 'call.shown', 'call.decided'].map((k) => kinds.indexOf(k))
  assert.ok(order.every((at, i) => at >= 0 && (i === 0 || at > order[i - 1])), `${kinds}`)
})

test('taken back: the notification is replaced, quietly', async () => {
  await pageAway()
  const { id } = await house.ask(LINK)
  const first = await service.next()
  await deliver(first.body)
  await shown((n) => n.kind === 'card')
  await house.http('POST', `/v1/calls/${id}/cancel`)
  const second = await service.next()
  assert.equal(second.body.nod.kind, 'over')
  assert.equal(second.headers.topic, first.headers.topic, 'an undelivered one is replaced on the way')
  await deliver(second.body)
  assert.deepEqual(await shown((n) => n.kind === 'over'), [{ title: AGENT, body: 'Taken back', tag: `card-${id}`, kind: 'over', call: id, silent: true, requireInteraction: false, buttons: 0 }])
})

/** A message that no gateway sent. @param {string} call */
const card = (call) => ({ web_push: 8030, notification: { title: AGENT, body: 'Open a link', navigate: `${house.url}/card/${call}`, tag: `card-${call}` }, nod: { kind: 'card', call, receipt: 'unknown' } })

test('messages while the window has the focus, and messages that say nothing: each is shown', async () => {
  assert.equal(await phone.page.evaluate(() => document.hasFocus() && document.visibilityState), 'visible')
  for (const call of ['call_a', 'call_b', 'call_c']) await deliver(card(call))
  await shown((n) => n.call === 'call_c')
  assert.deepEqual((await notifications()).map((n) => n.call).sort(), ['call_a', 'call_b', 'call_c'])
  for (const bad of ['', 'no json', 'null', '[]', '{"notification":{"title":7,"dir":"up"},"nod":{"kind":"card"}}']) {
    await inWorker(async () => (await self.registration.getNotifications()).forEach((n) => n.close()))
    await until((all) => all.length === 0)
    await deliver(bad)
    assert.deepEqual((await shown(() => true)).map(({ title, body }) => [title, body]), [['nod', 'Open nod: something may be waiting.']], bad)
  }
})

test('messages that come while the cards of others are seen: none is forgotten', async () => {
  await phone.page.evaluate(`import('/app/worker.js').then(({ dismiss }) => {
    self.seeing = true
    const see = () => dismiss('call_other').then(() => self.seeing && setTimeout(see))
    see()
  })`)
  const calls = Array.from({ length: 12 }, (_, n) => `call_${n}`)
  for (const call of calls) await deliver(card(call))
  await phone.page.evaluate(() => { Object.assign(self, { seeing: false }) })
  assert.deepEqual((await notifications()).map((n) => n.call).sort(), calls.sort())
})

test('a message that Safari has read already: the same notification', async () => {
  await inWorker(async () => {
    const event = new PushEvent('push')
    const data = { kind: 'card', call: 'call_safari', receipt: 'unknown' }
    Object.defineProperty(event, 'notification', { value: { title: 'Laptop', body: 'Open a link', lang: 'en', dir: 'auto', tag: 'card-call_safari', data } })
    const shown = new Promise((resolve) => Object.defineProperty(event, 'waitUntil', { value: resolve }))
    self.dispatchEvent(event)
    await shown
  })
  const [n] = (await shown((s) => s.call === 'call_safari')).filter((s) => s.call === 'call_safari')
  assert.deepEqual(n, { title: 'Laptop', body: 'Open a link', tag: 'card-call_safari', kind: 'card', call: 'call_safari', silent: false, requireInteraction: true, buttons: 0 })
})

/** Asks while nobody looks, and puts the notification up. @param {string} n @returns {Promise<string>} the call */
async function rung(n) {
  const { id } = await house.ask({ ...LINK, url: `https://example.com/${n}` })
  await deliver((await service.next()).body)
  await shown((s) => s.call === id)
  return id
}

/** @param {string} n @param {import('playwright-core').Page} [page] */
const cardOf = (n, page = phone.page) => page.locator('nod-card', { hasText: `example.com/${n}` }).waitFor({ timeout: 30_000 })

test('a tap while nod is open: that card is next, the one on the screen stays, and a notification goes when its card is seen', async () => {
  await phone.hide()
  const [a, b, c] = [await rung('a'), await rung('b'), await rung('c')]
  await tapOn(c)
  await phone.unhide()
  await cardOf('a')
  const left = (/** @type {string[]} */ calls) => until((all) => all.map((n) => n.call).sort().join() === [...calls].sort().join())
  await left([b])
  for (const [call, next] of [[a, 'c'], [c, 'b']]) {
    await phone.decline()
    assert.equal((await house.end(call)).outcome, 'declined')
    await phone.fold(`example.com/${next}`)
    await cardOf(next)
  }
  await left([])
})

test('a tap that brings a window which does not hold the link: the card comes there', async () => {
  await phone.hide()
  const id = await rung('a')
  const second = await phone.context.newPage()
  await second.goto(`${house.url}/settings`)
  await second.getByRole('heading', { name: 'nod is open in another window' }).waitFor()
  await second.bringToFront()
  await inFront('/settings')
  await tapOn(id)
  await cardOf('a', second)
  await second.getByRole('button', { name: 'Decline', exact: true }).tap()
  assert.equal((await house.end(id)).outcome, 'declined')
})

test('a tap while the last window is a plain page of nod: the app comes, not that page', async () => {
  await phone.hide()
  const id = await rung('a')
  const plain = await phone.context.newPage()
  await plain.goto(`${house.url}/tested`)
  await plain.bringToFront()
  await inFront('/tested')
  await phone.page.evaluate(() => {
    const told = new Promise((resolve) => {
      navigator.serviceWorker.addEventListener('message', ({ data }) => data.kind === 'open' && resolve(data.path))
      setTimeout(resolve, 30_000, null)
    })
    Object.assign(self, { told })
  })
  await tapOn(id)
  assert.equal(await phone.page.evaluate(() => /** @type {any} */ (self).told), `/card/${id}`)
})

test('a message that is late, for a card that is there already: its notification goes with the card', async () => {
  const { id } = await house.ask({ action: 'open_url', url: 'https://example.com/x' })
  await phone.card('Open a link')
  // The page takes away what is there when the card is first seen; what comes after that stays.
  await untilLogged(id, 'call.shown')
  await phone.page.evaluate("import('/app/worker.js').then(({ fetchFiles }) => fetchFiles())") // answered after what the worker was told then
  await inWorker((call) => /** @type {any} */ (self).inTurn(() => self.registration.showNotification('Laptop', { tag: `card-${call}`, data: { kind: 'card', call } })), id)
  assert.equal((await notifications()).length, 1)
  await phone.decline()
  assert.equal((await house.end(id)).outcome, 'declined')
  await until((all) => all.length === 0)
})

test('a hidden window that has the offer is woken as well; a seen one is not', async () => {
  // A page in front has two seconds to say that it has the card. One that a busy machine held up is woken, and asked again.
  for (let n = 0, late = true; late; n++) {
    assert.ok(n < 5, 'the page had each card too late')
    const before = service.count
    const { id } = await house.ask({ ...LINK, url: `https://example.com/seen-${n}` })
    await cardOf(`seen-${n}`)
    await phone.decline()
    await house.end(id)
    await phone.fold()
    late = (await took(id)) > 1_900
    if (!late) assert.equal(service.count, before)
  }
  await phone.hide()
  const { id } = await house.ask({ ...LINK, url: 'https://example.com/hidden' })
  for (;;) if ((await service.next()).body.nod.call === id) break
})

test('the push service says that the subscription is over: it is removed, and Home says so', async () => {
  await pageAway()
  service.status = 410
  const { id } = await house.ask(LINK, { 'Nod-Wait': '5' })
  await untilLogged(id, 'push.gone')
  assert.equal((await house.end(id)).outcome, 'unseen')
  await phone.page.goto(`${house.url}/healthz`)
  await phone.page.evaluate(() => localStorage.setItem('test-refuses', '1'))
  await phone.page.goto(house.url)
  await phone.page.getByText('This browser forgot them. Turn them on again.').waitFor()
  // Where the browser gives a new one, nobody has to do anything.
  await phone.page.evaluate(() => localStorage.removeItem('test-refuses'))
  service.status = 201
  await subscribed(() => phone.page.reload())
  await phone.page.locator('#push').waitFor({ state: 'detached' })
})

test('the test from Settings tells each step', async () => {
  await phone.page.goto(`${house.url}/settings`)
  await phone.page.locator('#push-test').tap()
  const { body } = await service.next()
  assert.equal(body.nod.kind, 'test')
  await deliver(body)
  await shown((n) => n.kind === 'test')
  await phone.page.waitForFunction(() => {
    const times = [...document.querySelectorAll('.push-test .second')].map((n) => n.textContent ?? '')
    return times.length === 3 && times.every((time) => /\d/.test(time))
  }, undefined, { timeout: 40_000 })
  assert.deepEqual(phone.errors, [])
})

test('the phone is removed: nobody can wake it any more', async () => {
  const { phones } = await house.nod('phones', 'list').then((r) => ({ phones: r.phones ?? r }))
  await house.nod('phones', 'revoke', phones[0].id)
  await phone.page.getByRole('heading', { name: 'This phone was removed' }).waitFor({ timeout: 30_000 })
  await phone.page.evaluate(async () => {
    const { pushManager } = await navigator.serviceWorker.ready
    while (await pushManager.getSubscription()) await new Promise((resolve) => setTimeout(resolve, 20))
  })
})

test('notifications are forbidden meanwhile: the gateway forgets the subscription', async () => {
  await phone.context.clearPermissions()
  await phone.page.reload()
  await phone.page.getByText('Turn on').first().waitFor()
  await pageAway()
  const { id } = await house.ask(LINK, { 'Nod-Wait': '3' })
  await house.end(id)
  assert.equal(service.count, 0)
})
