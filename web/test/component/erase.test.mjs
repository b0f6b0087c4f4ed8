// What is erased when a pairing ends, also where the browser refuses a part of it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { launch, phone } from '../browser.mjs'
import { serve } from '../serve.mjs'

/** @type {Awaited<ReturnType<typeof serve>>} */ let site
/** @type {import('playwright-core').Browser} */ let browser
before(async () => {
  site = await serve()
  browser = await launch()
})
after(async () => {
  await browser.close()
  await site.close()
})

/** What is left after everything was put there and erased. @param {string} refused what the browser refuses, as code */
async function left(refused) {
  const page = await (await phone(browser)).newPage()
  await page.goto(`${site.origin}/dev/cards?page=broken`)
  const found = await page.evaluate(`(async () => {
    const [{ eraseAll }, { transact }] = await Promise.all([import('/app/unpair.js'), import('/app/db.js')])
    await transact('phone', 'readwrite', (s) => s.put({ phone: 'p' }, 'identity'))
    await transact('journal', 'readwrite', (s) => s.put({ call: 'c', state: 'acked' }))
    localStorage.setItem('nod-paired', 'Pixel')
    sessionStorage.setItem('nod-left', '{}')
    await caches.open('nod-known')
    const keys = caches.keys.bind(caches)
    ${refused}
    const failed = await eraseAll().then(() => null, (e) => e.message)
    return {
      failed, local: localStorage.length, session: sessionStorage.length, caches: (await keys()).length,
      key: (await transact('phone', 'readonly', (s) => s.getAllKeys())).length, journal: (await transact('journal', 'readonly', (s) => s.getAllKeys())).length,
    }
  })()`)
  await page.close()
  return found
}

const NOTHING = { failed: null, local: 0, session: 0, caches: 0, key: 0, journal: 0 }

test('nothing is left', async () => {
  assert.deepEqual(await left(''), NOTHING)
})

test('one part that the browser refuses keeps no other', async () => {
  assert.deepEqual(await left("navigator.serviceWorker.getRegistration = () => Promise.reject(new Error('no'))"), NOTHING)
  assert.deepEqual(await left("caches.keys = () => Promise.reject(new Error('no'))"), { ...NOTHING, caches: 1 })
  assert.deepEqual(await left("Storage.prototype.clear = () => { throw new Error('no') }"), { ...NOTHING, local: 1, session: 1 })
})

test('the key that cannot be erased is told, and all the rest goes', async () => {
  const { failed, key, local, caches } = await left("IDBObjectStore.prototype.clear = () => { throw new Error('not the key') }")
  assert.deepEqual({ failed, key, local, caches }, { failed: 'not the key', key: 1, local: 0, caches: 0 })
})
