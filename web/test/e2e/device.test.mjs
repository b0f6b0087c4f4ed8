// What is on the phone, from end to end: an MCP client asks, a phone in Chromium
// reads, copies, notifies and lets its person pick, and the client has the
// sentences and the picture. Where the browser, or the person, says no, the
// client hears which of them it was.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

import { eachTest } from './each.mjs'

/** @type {import('./house.mjs').House} */ let house
/** @type {import('./house.mjs').PhonePage} */ let phone

const ALLOWED = ['geolocation', 'clipboard-read', 'clipboard-write', 'notifications']
const ALL = 'location:read,contacts:read,photos:read,clock:read'

eachTest((h, p) => { [house, phone] = [h, p] }, {
  options: { geolocation: { latitude: 38.722252, longitude: -9.139337, accuracy: 12 }, permissions: ALLOWED },
  prepare: (p) => p.context.addInitScript(makePicker),
})

/** In the page: a contact picker as Chrome on Android has it; window.people is who is picked. */
function makePicker() {
  Object.assign(window, { people: [] })
  Object.defineProperty(navigator, 'contacts', { value: {
    getProperties: async () => ['name', 'tel', 'email'],
    async select() {
      if (!navigator.userActivation.isActive) throw new DOMException('A user gesture is required to call this method', 'SecurityError')
      return /** @type {any} */ (window).people
    },
  } })
}

/**
 * A client of an agent, and what it is told.
 * @param {string} name @param {string[]} access what it was added with
 * @param {(ask: (tool: string, args?: object) => Promise<any>, agent: string) => Promise<void>} does
 */
async function asked(name, access, does) {
  const { token, agent: { id } } = await house.nod('agents', 'add', name, ...access)
  const client = new Client({ name: 'nod-e2e', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', house.url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }))
  await does((tool, args = {}) => client.callTool({ name: tool, arguments: args }, undefined, { timeout: 60_000 }), id)
  await client.close()
}

const textOf = (result) => result.content.filter((c) => c.type === 'text').map((c) => c.text).join('\n')
/** What the phone read, between the marks. */
const dataOf = (result) => JSON.parse(/^\{.*\}$/m.exec(textOf(result))?.[0] ?? assert.fail(textOf(result)))

/** Confirms the card of what was asked. @param {Promise<any>} asking @param {string} title @param {string} ending what the card says then @param {RegExp} [says] and the client */
async function confirmed(asking, title, ending, says = /^The phone (did it|read it and answered)\./) {
  await phone.card(title)
  await phone.confirm()
  // On a slow machine the browser has forgotten the tap when the go comes, and wants one more.
  const again = phone.page.locator('nod-card .foot .primary:not(.confirm):not([data-fresh])')
  let told
  while (!(told = await Promise.race([asking, phone.page.waitForTimeout(500)]))) {
    if (await again.count()) await again.tap({ timeout: 1_000 }).catch(() => {}) // it went meanwhile
  }
  assert.match(textOf(told), says)
  await phone.foot(ending)
  await phone.fold()
  return told
}

/** Presses the one button of what needs no card; it takes no touch in its first moment. @param {string} name */
async function press(name) {
  const button = phone.button(name).and(phone.page.locator(':not([aria-disabled])'))
  await button.waitFor({ timeout: 30_000 })
  for (let tries = 0; tries < 20 && (await button.count()); tries++) await button.tap({ timeout: 1_000 }).catch(() => {}) // it went meanwhile
}

/**
 * Until a notification that brings the person to a call is there, or is gone. They
 * are asked for in their turn, after one more was shown: Chromium forgets one that
 * is being shown while it is asked.
 * @param {boolean} is
 */
async function called(is) {
  for (let tries = 0; tries < 40; tries++) {
    const all = await phone.page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready
      const { port1, port2 } = new MessageChannel()
      const turn = new Promise((resolve) => { port1.onmessage = resolve })
      registration.active?.postMessage({ kind: 'show', title: 'nod', options: { tag: 'turn', data: { call: 'turn' } } }, [port2])
      await turn
      return (await registration.getNotifications()).filter(({ tag }) => tag.startsWith('card-')).map(({ title, body }) => `${title}: ${body}`)
    })
    if (all.length === Number(is)) return all[0]
    await phone.page.waitForTimeout(250)
  }
  return assert.fail(`a notification is there: ${!is}`)
}

/** A photo that a camera made: large, lying on its side, with where it was taken. @returns {Promise<Buffer>} */
async function snapshot() {
  const drawn = await phone.page.evaluate(async () => {
    const canvas = new OffscreenCanvas(2400, 1800)
    const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext('2d'))
    for (let i = 0; i < 6000; i++) {
      context.fillStyle = `hsl(${(i * 37) % 360} 80% 50%)`
      context.fillRect((i * 613) % 2400, (i * 389) % 1800, 31, 23)
    }
    const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.95 })).arrayBuffer())
    let text = ''
    for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000))
    return btoa(text)
  })
  const where = Buffer.from('TAKEN AT 38.7223N 9.1393W\0', 'latin1')
  const head = Buffer.from('45786966000049492a0008000000020012010300010000000600000098820200', 'hex')
  const tail = Buffer.alloc(12)
  tail.writeUInt32LE(where.length, 0)
  tail.writeUInt32LE(8 + 2 + 24 + 4, 4)
  const exif = Buffer.concat([head, tail, where])
  const size = Buffer.alloc(2)
  size.writeUInt16BE(exif.length + 2)
  const jpeg = Buffer.from(drawn, 'base64')
  return Buffer.concat([jpeg.subarray(0, 2), Buffer.from([0xff, 0xe1]), size, exif, jpeg.subarray(2)])
}

/** Width and height of a JPEG, and whether it has what a camera writes. @param {Buffer} jpeg */
function looked(jpeg) {
  for (let at = 2; at < jpeg.length; at += 2 + jpeg.readUInt16BE(at + 2)) {
    const marker = jpeg[at + 1]
    if (marker >= 0xc0 && marker <= 0xc3) return { width: jpeg.readUInt16BE(at + 7), height: jpeg.readUInt16BE(at + 5), exif: jpeg.includes('Exif') || jpeg.includes('TAKEN') }
  }
  return assert.fail('not a JPEG')
}

test('switched on by the person: where the phone is, its clipboard both ways; a notification and the time without', async () => {
  await asked('Reader', [], async (ask, agent) => {
    assert.match(textOf(await ask('location')), /is off, so the person was not asked\. Nothing was done\. .* under Agents and this agent's name\./)
    await phone.page.goto(`${house.url}/agents/${agent}`)
    for (const app of ['location', 'clipboard']) {
      await phone.page.locator(`#switch-${app}-read[aria-checked=false]:not(:disabled)`).tap({ timeout: 30_000 })
      await phone.page.locator(`#switch-${app}-read[aria-checked=true]:not([aria-busy])`).waitFor({ timeout: 30_000 })
    }

    const place = await confirmed(ask('location'), 'Tell where you are', 'Reader was given it')
    const { age_s: age, ...fine } = dataOf(place)
    assert.deepEqual(fine, { latitude: 38.722252, longitude: -9.139337, accuracy_m: 12, provider: 'browser' })
    assert.ok(age >= 0 && age < 120, `${age} s`)
    assert.equal(place.isError ?? false, false)

    await confirmed(ask('clipboard_write', { text: 'Tea at four, "sharp" 🍵' }), 'Copy to the clipboard', 'Done')
    const read = await confirmed(ask('clipboard_read'), 'Read the clipboard', 'Reader was given it')
    assert.deepEqual(dataOf(read), { text: 'Tea at four, "sharp" 🍵', chars: 22, cut: false })

    assert.match(textOf(await ask('notify', { title: 'Booked', body: 'Table for two' })), /^The phone did it\./)
    const shown = await phone.page.evaluate(async () => (await (await navigator.serviceWorker.ready).getNotifications()).map((n) => [n.title, n.body]))
    assert.deepEqual(shown, [['Reader: Booked', 'Table for two']])

    const time = dataOf(await ask('phone_now'))
    assert.deepEqual([time.zone, time.locale, time.hour12], ['Europe/Lisbon', 'en-GB', false])
    assert.ok(Math.abs(Date.parse(time.time) - Date.now()) < 60_000, time.time)
  })
  assert.deepEqual(phone.errors, [])
})

test('people and photos that the person picks: no card, one button, and the picture itself, small and without what the camera wrote', async () => {
  await asked('Picker', ['--apps', ALL], async (ask) => {
    await phone.page.evaluate(() => Object.assign(window, { people: [{ name: ['Anna Lindqvist'], tel: ['+46 70 123 45 67'], email: [] }] }))
    const people = ask('contacts_search', { query: 'Anna' })
    await press('Choose a contact')
    assert.deepEqual(dataOf(await people), { query: 'Anna', count: 1, people: [{ name: 'Anna Lindqvist', phones: [{ value: '+46 70 123 45 67', type: '' }], emails: [] }] })

    const jpeg = await snapshot()
    assert.ok(jpeg.length > 1_100_000 && jpeg.includes('TAKEN'), `${jpeg.length} bytes`)
    await phone.hide()
    const photos = ask('photo_pick', { max: 2, why: 'To see the stain' })
    assert.equal(await called(true), 'Picker: Choose photos', 'behind, a notification brings the person here')
    await phone.unhide()
    const chooser = phone.page.waitForEvent('filechooser', { timeout: 30_000 })
    await press('Choose photos')
    await (await chooser).setFiles([{ name: 'IMG_20261130_home.jpg', mimeType: 'image/jpeg', buffer: jpeg }])
    const told = await photos
    const image = told.content.find((c) => c.type === 'image') ?? assert.fail(textOf(told))
    const small = Buffer.from(image.data, 'base64')
    assert.equal(image.mimeType, 'image/jpeg')
    assert.deepEqual(looked(small), { width: 1176, height: 1568, exif: false }, 'upright')
    assert.ok(small.length <= 700_000, `${small.length} bytes`)
    assert.ok(!textOf(told).includes('IMG_2026'), 'its name on the phone stays there')
    assert.match(textOf(told), /attachments\//)
    await called(false)
  })
  assert.deepEqual(phone.errors, [])
})

test('a no of the browser, a picker that is closed, and a page behind that may not ring: each has its words, at once', async () => {
  await phone.context.clearPermissions()
  await asked('Asker', ['--apps', ALL], async (ask) => {
    await confirmed(ask('location'), 'Tell where you are', 'It did not work',
      /^The phone's system did not let nod know where the phone is\. Nothing was done\. Do not ask again now: the person can allow it in the phone's settings\.$/)
    const photos = ask('photo_pick')
    const chooser = phone.page.waitForEvent('filechooser', { timeout: 30_000 })
    await press('Choose photos')
    await chooser
    await phone.page.locator('input[type=file]').dispatchEvent('cancel')
    assert.match(textOf(await photos), /^The person closed the picker without picking anything\. Nothing was done\./)
    const left = ask('photo_pick')
    await press('Not now')
    assert.match(textOf(await left), /^The person closed the picker without picking anything\. Nothing was done\./)

    await phone.hide()
    assert.match(textOf(await ask('photo_pick')), /^nod is not on the phone's screen and may not show notifications there, so nobody could be asked\. Nothing was done\./)
    assert.match(dataOf(await ask('phone_now')).zone, /Lisbon/, 'which needs nobody')
    await phone.unhide()
  })
})
