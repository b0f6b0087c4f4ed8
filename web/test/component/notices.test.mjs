// What did not work is said on the page where it was tried.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { emptyPage } from './empty.mjs'

const inside = emptyPage()

for (const name of ['home', 'log', 'settings', 'shortcuts', 'phones', 'resume']) {
  test(name, async () => {
    assert.equal(await inside(`Promise.all([import('/app/pages/${name}.js'), import('/app/dom.js'), import('/app/state.js'), import('/app/settings.js')]).then(([{ open }, { fill }, { makeState }, { defaults }]) => {
      const head = { size: 3, root: '', at: 1 }
      const state = makeState(defaults('ios'), () => {})
      state.set({ problem: 'It did not work: no room.', waiting: [] })
      const phone = {
        state, router: { paint() {} }, ask: async () => ({}), phoneKey() {}, phoneName: () => 'Pixel',
        link: { state: 'open', seen: 0, retryAt: 0, setBack: { old: head, now: head, changed: false, to: 1 } }, host: { parts: { plan: () => ({ reason: 'x' }) } },
        parts: { platform: { os: 'ios', zone: 'UTC', version: 1804, standalone: true }, identity: { name: 'Pixel', phone: 'p', personName: 'Ana' } },
      }
      const root = document.createElement('div')
      fill(root, ...open(phone, 'call_a').draw())
      return [...root.querySelectorAll('[role=alert]')].map((n) => n.textContent).join()
    })`), 'It did not work: no room.')
  })
}

test('notifications that could not be turned on, by a tap', async () => {
  assert.match(await inside(`Promise.all([import('/app/app.js'), import('/app/settings.js')]).then(async ([{ Phone }, { defaults }]) => {
    const node = () => document.createElement('div')
    const { publicKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify'])
    const phone = new Phone({ shell: node(), page: node(), bar: node(), sheet: node(), platform: { os: 'android', zone: 'UTC' }, identity: { phone: 'p', name: 'Pixel' } }, publicKey, defaults('android'))
    await phone.push() // not by a tap: the next connection asks again
    const before = phone.state.get().problem
    await phone.push(true)
    phone.deck.stop()
    return before + '; ' + phone.state.get().problem
  })`), /^null; That did not work/)
})
