// Which card is on the screen, with calls in memory and a page of the real
// browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { emptyPage } from './empty.mjs'

const inside = emptyPage()

/** Runs in the page with a deck. @param {(bench: any) => unknown} work */
const withDeck = (work) => inside(`Promise.all([import('/app/deck.js'), import('/app/card.js')]).then(([{ Deck }, { NodCard }]) => {
  const sheet = document.createElement('div')
  document.body.append(sheet)
  const entries = new Map()
  const offer = (call) => ({ call, agent_name: 'Laptop', phone: 'p', tool: 'phone_action', action: 'dial', fields: { number: call }, summary: '', rule: 'always', risk: 'medium', badges: [], ttl_seconds: 120 })
  const b = {
    entries, sheet, plan: {},
    add(call, order, more = {}) {
      entries.set(call, { state: { call, phase: 'waiting', acts: true, way: 'open', deadline: performance.now() + 60_000, until: null }, offer: offer(call), plan: null, order, ...more })
      b.deck.refresh()
    },
    to(call, phase) {
      entries.get(call).state = { ...entries.get(call).state, phase }
      b.deck.refresh()
    },
    shown: () => sheet.querySelector('nod-card dd')?.textContent ?? null,
    close: () => sheet.querySelector('nod-card').dispatchEvent(new CustomEvent('dismiss', { bubbles: true })),
  }
  b.deck = new Deck({
    sheet, page: document.createElement('div'), host: { entries, parts: { plan: () => b.plan }, dispatch() {}, forget: (call) => entries.delete(call) }, zone: 'UTC', card: () => new NodCard(),
    phoneName: (id) => id, online: () => true, pauseAll() {}, release() {}, folded() {}, shown() {}, title: () => 'nod',
  })
  return Promise.resolve((${work})(b)).finally(() => {
    b.deck.stop()
    sheet.remove()
  })
})`)

test('the same act again takes the place of its card that was kept, also where another has waited longer', async () => {
  assert.deepEqual(await withDeck((b) => {
    b.deck.expect(['1', '2'])
    b.add('1', 0)
    b.add('2', 1) // the newest comes first
    const seen = [b.shown()]
    b.to('2', 'kept')
    b.entries.delete('2')
    b.add('3', 1, { takes: '2' })
    return [...seen, b.shown()]
  }), ['2', '3'])
})

test('a card that was asked for is told to be over only when it is', async () => {
  assert.deepEqual(await withDeck((b) => {
    b.add('1', 0)
    b.deck.want('1') // it is there already
    b.add('2', 1)
    b.deck.want('2') // next, but it ends before
    b.to('2', 'closed')
    b.to('1', 'closed')
    b.close()
    const over = [b.deck.expect([])]
    b.deck.want('3')
    return [...over, b.deck.expect([]), b.deck.expect([])]
  }), [true, false, true])
})

test('a route that was started since an offer came is warned of on its card', async () => {
  assert.deepEqual(await withDeck((b) => {
    const plan = { do: 'open', url: 'https://maps.example/', how: 'window', app: 'app.google_maps' }
    b.add('1', 0)
    b.add('2', 1, { plan })
    b.plan = { ...plan, app: 'app.waze', warning: { key: 'card.badge.route_running', values: { name: 'Harbour' } } }
    b.to('1', 'closed')
    b.close()
    const text = b.sheet.textContent
    return [b.shown(), text.includes('Harbour'), text.includes('Google Maps'), text.includes('Waze')]
  }), ['2', true, true, false])
})

test('a window that lost the link shows no card any more', async () => {
  assert.deepEqual(await withDeck((b) => {
    b.add('1', 0)
    b.to('1', 'closed')
    b.deck.stop()
    b.close = null
    b.add('2', 1)
    b.entries.delete('1')
    b.deck.refresh()
    return b.shown()
  }), null)
})
