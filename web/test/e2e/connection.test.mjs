// The link and the page round it: which card comes first, another network, a
// gateway that says nothing, two windows, storage that is gone, another version,
// the end of a pairing.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { eachTest } from './each.mjs'
import { otherVersion } from './house.mjs'

/** @type {import('./house.mjs').House} */ let house
/** @type {import('./house.mjs').PhonePage} */ let phone

const { ruin } = eachTest((h, p) => { [house, phone] = [h, p] })

const LINK = { action: 'open_url', url: 'https://example.com/x' }
/** @param {string} n */
const link = (n) => ({ action: 'open_url', url: `https://example.com/${n}` })
/** @param {string} text @param {import('playwright-core').Page} [page] */
const cardWith = (text, page = phone.page) => page.locator('nod-card', { hasText: text }).waitFor({ timeout: 30_000 })

/** Asks for several while the page is away, and waits until they are in the ledger. The page that comes next waits for all of them, where a person's waits a second. */
async function askedMeanwhile(...names) {
  await phone.leaveFor('about:blank')
  await phone.page.addInitScript(() => {
    const { setTimeout } = self
    Object.assign(self, { setTimeout: (/** @type {() => void} */ act, /** @type {number} */ ms, /** @type {any[]} */ ...more) => setTimeout(act, ms === 1_000 ? 30_000 : ms, ...more) })
  })
  const ids = []
  for (const name of names) ids.push((await house.ask(link(name))).id)
  return ids
}

test('the newest card first for whoever opens nod; then the oldest; one on the screen is not replaced', async () => {
  await askedMeanwhile('one', 'two', 'three')
  await phone.page.goto(house.url)
  await cardWith('example.com/three')
  await phone.page.getByText('2 more').waitFor()
  for (const next of ['one', 'two']) {
    await phone.decline()
    await phone.fold(`example.com/${next}`)
    await cardWith(`example.com/${next}`)
  }
  await phone.leaveFor(house.url)
})

test('the card that a notification names comes first, and its address is Home’s afterwards', async () => {
  const [, two] = await askedMeanwhile('one', 'two', 'three')
  await phone.page.goto(`${house.url}/card/${two}`)
  await cardWith('example.com/two')
  assert.equal(new URL(phone.page.url()).pathname, '/')
  await phone.decline()
  await phone.fold('example.com/one')
  await cardWith('example.com/one')
  await phone.leaveFor(house.url)
})

test('a card that is over is told, not shown', async () => {
  const { id } = await house.ask(LINK)
  await phone.card('Open a link')
  await phone.decline()
  await phone.fold()
  await phone.page.goto(`${house.url}/card/${id}`)
  await phone.page.getByText('That one is not waiting any more').waitFor()
  assert.equal(await phone.page.locator('nod-card').count(), 0)
})

/** From Wi-Fi to mobile: this Chromium has no radio. */
const roam = () => phone.page.evaluate(() => {
  const { connection } = /** @type {any} */ (navigator)
  Object.defineProperty(connection, 'type', { configurable: true, value: 'cellular' })
  connection.dispatchEvent(new Event('change'))
})

test('another network: a new link within five seconds, though the old socket looks open', async (t) => {
  for (const change of [
    async () => {
      await phone.context.setOffline(true)
      await phone.context.setOffline(false)
    },
    roam,
  ]) {
    const began = Date.now()
    const next = phone.page.waitForEvent('websocket', { timeout: 5_000 })
    await change()
    await next
    await phone.ready()
    t.diagnostic(`${Date.now() - began} ms`)
    assert.ok(Date.now() - began < 5_000)
  }
  const { id } = await house.ask(LINK)
  await phone.card('Open a link')
  await phone.decline()
  assert.equal((await house.end(id)).outcome, 'declined')
})

test('another network while a yes is on its way: sent by both ways, decided and carried out once', async () => {
  const { id } = await house.ask(LINK)
  await phone.card('Open a link')
  await phone.page.locator('nod-card[data-open]').waitFor()
  house.freeze()
  await phone.confirm()
  await roam()
  house.thaw()
  const button = phone.page.getByRole('button', { name: 'Open your browser' })
  const opening = phone.page.locator('.foot .busy h2', { hasText: 'Opening' })
  await button.or(opening).waitFor({ timeout: 30_000 })
  if (await button.count()) await phone.tap('.foot .primary')
  await phone.opens('Opening')
  assert.equal((await house.end(id)).outcome, 'opened')
  assert.deepEqual(phone.launched, [LINK.url])
  const kinds = (await house.lines('log', '-n', '0')).filter((e) => e.call === id).map((e) => e.kind)
  assert.equal(kinds.filter((k) => k === 'call.decided').length, 1)
})

test('a gateway that says nothing: not connected within 30 seconds, on the page', { timeout: 120_000 }, async (t) => {
  house.freeze()
  const began = Date.now()
  await phone.page.getByRole('heading', { name: 'This phone is not connected' }).waitFor({ timeout: 30_000 })
  t.diagnostic(`${Date.now() - began} ms`)
  house.thaw()
  await phone.ready()
})

test('taking over with a card open, from an installed app’s window: the card moves, and one of two taps decides', async () => {
  const { id } = await house.ask(LINK)
  await phone.card('Open a link')
  const second = await phone.context.newPage()
  const cdp = await phone.context.newCDPSession(second)
  await cdp.send('Emulation.setEmulatedMedia', { features: [{ name: 'display-mode', value: 'standalone' }] })
  await second.goto(house.url)
  await second.getByRole('heading', { name: 'nod is open in another window' }).waitFor()
  await phone.page.locator('nod-card[data-open]').waitFor()
  // The tap in one window and the take-over in the other race: whichever wins, one decision is made.
  const tap = () => phone.page.evaluate(() => { // a window in the back takes no touch
    for (const b of document.querySelectorAll('nod-card button')) if (b.textContent === 'Decline') /** @type {HTMLElement} */ (b).click()
  })
  await Promise.all([tap(), second.getByRole('button', { name: 'Use here' }).tap()])
  await phone.page.getByRole('heading', { name: 'nod is open in another window' }).waitFor()
  assert.equal(await phone.page.locator('nod-card').count(), 0)
  const card = second.getByRole('dialog', { name: 'Open a link' })
  const home = second.getByRole('heading', { name: 'This phone is ready' })
  await card.or(home).first().waitFor({ timeout: 30_000 })
  const call = await Promise.race([house.end(id), (async () => {
    await second.locator('nod-card[data-open]').waitFor()
    await second.getByRole('button', { name: 'Decline', exact: true }).tap()
    return house.end(id)
  })().catch(() => house.end(id))])
  assert.equal(call.outcome, 'declined')
  const decided = (await house.lines('log', '-n', '0')).filter((e) => e.call === id && e.kind === 'call.decided')
  assert.equal(decided.length, 1)
})

test('a card that is open moves with the link', async () => {
  const { id } = await house.ask(LINK)
  await phone.card('Open a link')
  const second = await phone.context.newPage()
  await second.goto(house.url)
  await second.getByRole('button', { name: 'Use here' }).tap()
  await cardWith('example.com/x', second)
  await phone.page.getByRole('heading', { name: 'nod is open in another window' }).waitFor()
  await second.getByRole('button', { name: 'Decline', exact: true }).tap()
  assert.equal((await house.end(id)).outcome, 'declined')
})

test('nod opens without its gateway, says so on every page, and is back by itself', { timeout: 120_000 }, async () => {
  await phone.page.evaluate(async () => {
    while (!(await caches.match('/newest', { cacheName: 'nod-known' }))) await new Promise((resolve) => setTimeout(resolve, 20))
  })
  await house.kill()
  for (const path of ['/', '/log', '/settings', '/card/call_x']) {
    await phone.page.goto(house.url + path)
    await phone.page.locator('main h1').first().waitFor()
    await phone.page.getByText(/not connected/i).first().waitFor()
  }
  await phone.page.getByRole('heading', { name: 'This phone is not connected' }).waitFor()
  await house.up()
  await phone.ready()
})

/** Takes what the browser keeps, as it does to make room. @param {string} types */
async function clear(types) {
  const cdp = await phone.context.newCDPSession(phone.page)
  await cdp.send('Storage.clearDataForOrigin', { origin: house.url, storageTypes: types })
}

test('the database is gone under the page: nothing more is signed, and it says what happened', async () => {
  ruin()
  const { id } = await house.ask({ ...LINK }, { 'Nod-Wait': '8' })
  await phone.card('Open a link')
  await house.seen(id)
  await clear('indexeddb')
  await phone.page.getByRole('heading', { name: 'This browser has forgotten that it was paired' }).waitFor({ timeout: 30_000 })
  assert.equal(await phone.page.locator('nod-card').count(), 0)
  assert.equal((await house.end(id)).outcome, 'expired')
  await phone.page.getByRole('button', { name: 'Pair again' }).tap()
  await phone.page.locator('#code').waitFor()
})

test('the database is gone while the page was away; all of it gone: a browser like a new one', async () => {
  ruin()
  await phone.page.goto('about:blank')
  await clear('indexeddb')
  await phone.page.goto(house.url)
  await phone.page.getByRole('heading', { name: 'This browser has forgotten that it was paired' }).waitFor()
  await phone.page.goto('about:blank')
  await clear('all')
  await phone.page.goto(house.url)
  await phone.page.locator('#code').waitFor()
})

test('no room: the request is not taken, and the page says why', async () => {
  await phone.page.evaluate(() => { // this Chromium's contexts ignore a smaller quota
    IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError') }
  })
  const { id } = await house.ask(LINK, { 'Nod-Wait': '4' })
  await phone.page.getByText('This browser has no room left').waitFor({ timeout: 30_000 })
  await phone.page.locator('nod-card').waitFor({ state: 'detached' })
  assert.equal((await house.end(id)).outcome, 'unseen')
})

test('no room to tidy up: nod opens all the same', async () => {
  await phone.page.evaluate(`import('/app/journal.js').then(({ write }) => write({ call: 'old', state: 'received', digest: '', acts: true, body: '{}', at: 1, deadline: 1 }))`)
  await phone.page.addInitScript(() => {
    const { put } = IDBObjectStore.prototype
    IDBObjectStore.prototype.put = function (value, key) {
      if (value.call === 'old') throw new DOMException('full', 'QuotaExceededError')
      return key === undefined ? put.call(this, value) : put.call(this, value, key)
    }
  })
  await phone.page.reload()
  await phone.ready()
})

test('a browser that keeps nothing says so', async () => {
  const page = await phone.context.newPage()
  await page.addInitScript(() => {
    IDBFactory.prototype.open = () => { throw new DOMException('private', 'InvalidStateError') }
  })
  await page.goto(house.url)
  await page.getByRole('heading', { name: 'This browser is too old for nod' }).waitFor()
  await page.getByText('Or it keeps nothing, as in some private windows').waitFor()
})

test('the phone is removed while it is away: it says so when it is opened', async () => {
  ruin()
  await phone.page.goto('about:blank')
  const { phones } = await house.nod('phones', 'list').then((r) => ({ phones: r.phones ?? r }))
  await house.nod('phones', 'revoke', phones[0].id)
  await phone.page.goto(house.url)
  await phone.page.getByRole('heading', { name: 'This phone was removed' }).waitFor({ timeout: 30_000 })
})

/** What this browser still keeps of nod. */
const left = () => phone.page.evaluate(async () => {
  const rows = await new Promise((resolve) => {
    const request = indexedDB.open('nod')
    request.onsuccess = () => {
      if (!request.result.objectStoreNames.length) return resolve(0)
      const all = request.result.transaction('phone').objectStore('phone').count()
      all.onsuccess = () => resolve(all.result)
    }
  })
  return { rows, caches: await caches.keys(), local: { ...localStorage }, workers: (await navigator.serviceWorker.getRegistrations()).length }
})
const NOTHING = { rows: 0, caches: [], local: {}, workers: 0 }

async function unpair() {
  await phone.page.goto(`${house.url}/settings`)
  await phone.page.locator('#erase').tap()
  await phone.page.locator('#erase-now').tap()
  await phone.page.getByRole('heading', { name: 'This phone is unpaired' }).waitFor({ timeout: 30_000 })
}

test('unpair and erase: removed at the gateway, and nothing is left here', async () => {
  ruin()
  await unpair()
  await phone.page.getByText('nothing of it is left in this browser').waitFor()
  assert.deepEqual(await left(), NOTHING)
  const { phones } = await house.nod('phones', 'list').then((r) => ({ phones: r.phones ?? r }))
  assert.ok(phones.every((p) => p.revoked))
})

test('unpair and erase without the gateway: it says what stays', async () => {
  ruin()
  await phone.page.goto(`${house.url}/settings`)
  await phone.page.locator('#erase').waitFor()
  await house.kill()
  await phone.page.locator('#erase').tap()
  await phone.page.locator('#erase-now').tap()
  await phone.page.getByText('was not in reach and still lists it').waitFor({ timeout: 30_000 })
  assert.deepEqual(await left(), NOTHING)
})

const version = () => phone.page.evaluate(() => document.querySelector('meta[name=nod-version]')?.getAttribute('content'))

test('another version of nod, newer or older: the page is loaded again, but not under a card', { timeout: 120_000 }, async () => {
  const first = await version()
  const [mine, other] = [house.bin, await otherVersion()]
  house.bin = other
  await house.kill()
  await house.up()
  await phone.page.waitForFunction((v) => document.querySelector('meta[name=nod-version]')?.getAttribute('content') !== v, first, { timeout: 40_000 })
  await phone.ready()
  const second = await version()

  await house.ask(LINK)
  await phone.card('Open a link')
  house.bin = mine
  await house.kill()
  await house.up()
  await phone.page.locator('nod-card[data-open]').waitFor({ timeout: 30_000 }) // connected again
  assert.equal(await version(), second, 'a card is open')
  await phone.decline()
  await phone.foot('You said no')
  assert.equal(await version(), second, 'it is being read')
  await phone.fold()
  await phone.page.waitForFunction((v) => document.querySelector('meta[name=nod-version]')?.getAttribute('content') === v, first, { timeout: 40_000 })
  await phone.ready()
})
