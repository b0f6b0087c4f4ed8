// The torch, on the real page in Chromium, with a camera track whose settings
// are made up. No camera of a phone was ever switched by a test.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { eachTest } from './each.mjs'

/** @type {import('./house.mjs').House} */ let house
/** @type {import('./house.mjs').PhonePage} */ let phone

eachTest((h, p) => { [house, phone] = [h, p] }, { prepare: (p) => p.context.addInitScript(makeCamera) })

/** In the page: a camera with a light, whose track says what it is told to; window.camera holds it. */
function makeCamera() {
  const canvas = document.createElement('canvas')
  canvas.getContext('2d')
  const camera = { lit: false, asked: 0, allowed: true, tells: true, track: /** @type {any} */ (null) }
  Object.assign(window, { camera })
  Object.defineProperty(navigator, 'mediaDevices', { value: {
    enumerateDevices: async () => [{ kind: 'videoinput', deviceId: '', label: '' }],
    async getUserMedia() {
      camera.asked++
      if (!camera.allowed) throw new DOMException('Permission denied', 'NotAllowedError')
      const stream = canvas.captureStream()
      const track = /** @type {any} */ (stream.getVideoTracks()[0])
      const stop = track.stop.bind(track)
      camera.track = Object.assign(track, {
        getCapabilities: () => ({ torch: true }), getSettings: () => ({ torch: camera.tells && camera.lit }),
        applyConstraints: async (/** @type {any} */ { advanced: [{ torch }] }) => { camera.lit = torch },
        stop: () => { camera.lit = false; stop() },
      })
      return stream
    },
  } })
}

const camera = () => phone.page.evaluate(() => ({ .../** @type {any} */ (window).camera, track: /** @type {any} */ (window).camera.track?.readyState }))
const change = (/** @type {object} */ to) => phone.page.evaluate((c) => { Object.assign(/** @type {any} */ (window).camera, c) }, to)
const on = (/** @type {boolean} */ is = true) => phone.confirmed(house, { action: 'torch', on: is }, 'Switch the torch')

test('on, read back, told as done with the words that it goes off; off when nod is left', async () => {
  const { id } = await house.ask({ action: 'torch', on: true })
  await phone.card('Switch the torch')
  assert.match(await phone.page.getByRole('dialog').innerText(), /The light goes off when you leave nod\./)
  await phone.confirm()
  await phone.foot('Done')
  const call = await house.end(id)
  assert.equal(call.outcome, 'done')
  assert.match(call.text, /The phone did it\.\s+The phone says: The torch is on\. It goes off when the person leaves nod on the phone\./)
  assert.deepEqual(await camera(), { lit: true, asked: 1, allowed: true, tells: true, track: 'live' })
  await phone.hide()
  assert.deepEqual([(await camera()).lit, (await camera()).track], [false, 'ended'])
  await phone.unhide()
  await phone.says('The torch was on. It is off again.')
  assert.equal((await house.end(id)).text, call.text)
  assert.deepEqual(phone.launched, [])
})

test('one camera is kept; off lets it go; off again is not claimed', async () => {
  for (let i = 0; i < 2; i++) {
    assert.equal((await house.end(await on())).outcome, 'done')
    await phone.fold()
    await house.agent(`Other ${i}`) // the same twice is not asked twice
  }
  assert.equal((await camera()).asked, 1)
  assert.equal((await house.end(await on(false))).outcome, 'done')
  assert.deepEqual([(await camera()).lit, (await camera()).track], [false, 'ended'])
  await phone.fold()
  await house.agent('Another agent')
  const call = await house.end(await on(false))
  assert.equal(call.outcome, 'failed')
  assert.match(call.text, /Nothing was done\. Tell the person, and try again only if they ask\.\s+The phone says: nod has no torch on/)
})

test('the person switches it off on the card', async () => {
  await house.end(await on())
  await phone.button('Turn it off').tap()
  await phone.says('The torch was on. It is off again.')
  assert.equal((await camera()).lit, false)
})

test('the camera is not allowed: the agent is not to ask again; the person may try again', async () => {
  await change({ allowed: false })
  const call = await house.end(await on())
  assert.equal(call.outcome, 'failed')
  assert.match(call.text, /Nothing was done\. Tell the person, and try again only if they ask\.\s+The phone says: It is not allowed to use the camera.*Do not ask again now: the person can allow it in the phone's settings\./s)
  await phone.foot('It did not work')
  await change({ allowed: true })
  await phone.button('Try again').tap()
  await phone.says('You did it once more yourself.')
  await phone.page.waitForFunction(() => /** @type {any} */ (window).camera.lit)
  assert.equal((await house.end(call.call_id ?? call.id)).text, call.text)
})

test('a camera that does not say that it is on: begun, not done, and closed again', async () => {
  await change({ tells: false })
  const call = await house.end(await on())
  assert.equal(call.outcome, 'failed')
  assert.match(call.text, /began it and could not finish.*The camera did not say that its light is on, so it was closed again\./s)
  assert.deepEqual([(await camera()).lit, (await camera()).track], [false, 'ended'])
})
