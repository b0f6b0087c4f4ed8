// The torch with a camera that can be told what to do. No real one was ever
// switched here: what browsers and cameras really say is in docs/phones.md.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, mock, test } from 'node:test'

/** @type {typeof import('../../app/torch.js')} */ let light
/** @type {EventTarget} */ let page
let loads = 0

beforeEach(async () => {
  globalThis.document = Object.assign(new EventTarget(), { visibilityState: 'visible' })
  page = new EventTarget()
  globalThis.addEventListener = (type, ...rest) => page.addEventListener(type, ...rest)
  light = await import(`../../app/torch.js?${++loads}`) // each test has a page of its own
})
afterEach(() => mock.timers.reset())

/** A camera track. */
class Track extends EventTarget {
  readyState = 'live'
  lit = false
  /** What it is, what it does when asked, and what it says then. */
  has = true
  obeys = true
  says = () => this.lit
  getCapabilities = () => ({ torch: this.has })
  getSettings = () => ({ torch: this.says() })
  applyConstraints({ advanced: [{ torch }] }) {
    this.lit = this.obeys && torch
    return Promise.resolve()
  }

  stop() {
    this.readyState = 'ended'
    this.lit = false
  }
}

/** @param {Track} track */
const camera = (track) => ({ asked: [], getUserMedia(wish) { this.asked.push(wish); return Promise.resolve({ getVideoTracks: () => [track], getTracks: () => [track] }) } })
const refusing = (name) => ({ getUserMedia: () => Promise.reject(new DOMException('no', name)) })
const never = () => assert.fail('the light did not go off')

/** Runs the clock until something is settled. @template T @param {Promise<T>} work @returns {Promise<T>} */
async function later(work) {
  let over = false
  const done = work.finally(() => { over = true })
  while (!over) {
    await new Promise((resolve) => setImmediate(resolve))
    mock.timers.tick(1_000)
  }
  return done
}

/** Time stands still unless later() moves it. */
function freeze() {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  mock.method(performance, 'now', () => Date.now())
}

test('on, read back from the camera; off, by letting the camera go', async () => {
  const track = new Track()
  const cam = camera(track)
  assert.deepEqual(await light.torch(true, never, cam), { ok: true, started: true, reason: 'torch_on' })
  assert.deepEqual([track.lit, cam.asked], [true, [{ video: { facingMode: 'environment' } }]])
  assert.deepEqual(await light.torch(true, never, cam), { ok: true, started: true, reason: 'torch_on' })
  assert.equal(cam.asked.length, 1, 'one camera is kept')
  assert.deepEqual(await light.torch(false, never, cam), { ok: true, started: true, reason: 'torch_off' })
  assert.deepEqual([track.lit, track.readyState], [false, 'ended'])
})

test('off, where nod has none on: nothing is claimed', async () => {
  assert.deepEqual(await light.torch(false, never, camera(new Track())), { ok: false, started: false, reason: 'torch_not_ours' })
})

test('a camera that is slow to say what it can, and that it is on', async () => {
  const track = new Track()
  let looks = 0
  track.getCapabilities = () => ({ torch: ++looks > 2 })
  track.says = () => track.lit && ++looks > 6
  assert.equal((await light.torch(true, never, camera(track))).ok, true)
})

for (const [name, reason] of [['NotAllowedError', 'torch_not_allowed'], ['NotFoundError', 'torch_no_camera'], ['NotReadableError', 'torch_no_camera'], ['OverconstrainedError', 'torch_no_camera']]) {
  test(`${name}: not started`, async () => {
    assert.deepEqual(await light.torch(true, never, refusing(name)), { ok: false, started: false, reason })
  })
}

test('a browser without cameras: not started', async () => {
  assert.deepEqual(await light.torch(true, never, null), { ok: false, started: false, reason: 'torch_no_camera' })
})

test('a camera without a light: not started, and closed', async () => {
  freeze()
  const track = new Track()
  track.has = false
  assert.deepEqual(await later(light.torch(true, never, camera(track))), { ok: false, started: false, reason: 'torch_no_light' })
  assert.equal(track.readyState, 'ended')
})

test('a light that is not read back is not done: it was begun, and the camera is closed', async () => {
  freeze()
  for (const change of [{ says: () => undefined }, { obeys: false }, { applyConstraints: () => Promise.reject(new TypeError('no')) }, { applyConstraints: () => new Promise(() => {}) }]) {
    const track = Object.assign(new Track(), change)
    assert.deepEqual(await later(light.torch(true, never, camera(track))), { ok: false, started: true, reason: 'torch_not_lit' })
    assert.deepEqual([track.lit, track.readyState], [false, 'ended'])
  }
})

test('nobody answers the browser: not started, and a late yes lights nothing', async () => {
  freeze()
  const track = new Track()
  let allow = () => {}
  const asking = new Promise((resolve) => { allow = () => resolve({ getVideoTracks: () => [track], getTracks: () => [track] }) })
  assert.deepEqual(await later(light.torch(true, never, { getUserMedia: () => asking })), { ok: false, started: false, reason: 'torch_no_answer' })
  allow()
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([track.lit, track.readyState], [false, 'ended'])
})

for (const [how, leave] of [
  ['the page is hidden', () => { document.visibilityState = 'hidden'; document.dispatchEvent(new Event('visibilitychange')) }],
  ['the page is left', () => page.dispatchEvent(new Event('pagehide'))],
  ['the browser takes the camera', (track) => { track.readyState = 'ended'; track.dispatchEvent(new Event('ended')) }],
  ['the person switches it off', () => light.off()],
]) {
  test(`it goes off when ${how}, and that is told once`, async () => {
    const track = new Track()
    let told = 0
    await light.torch(true, () => told++, camera(track))
    leave(track)
    leave(track)
    assert.deepEqual([track.readyState, told], ['ended', 1])
    assert.equal((await light.torch(false, never, null)).reason, 'torch_not_ours')
  })
}

test('hidden before it was on: begun, and off again', async () => {
  const track = new Track()
  document.visibilityState = 'hidden'
  assert.deepEqual(await light.torch(true, never, camera(track)), { ok: false, started: true, reason: 'torch_not_lit' })
  assert.equal(track.readyState, 'ended')
})
