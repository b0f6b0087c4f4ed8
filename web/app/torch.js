// The torch: the light of a camera that this page holds open. It is on only when
// the camera's own settings say so, and it goes off with the page's turn in
// front, whatever the page wants.

import { within } from './device/wait.js'

/** How long the browser may ask for the camera. */
const PERMISSION_MS = 75_000
/** How long a camera takes until it says that it has a light, and that it is on. */
const SETTLE_MS = 2_000
const LOOK_MS = 100

/**
 * @typedef {{ ok: boolean, started: boolean, reason: string }} Did
 * @typedef {Pick<MediaDevices, 'getUserMedia'>} Camera
 */

/** The one camera track that is kept while the light is on. @type {MediaStreamTrack | null} */
let held = null
/** Ends the watch over it. */ let watching = new AbortController()
/** Told when it goes off by itself. */ let told = () => {}

/** @param {string} reason @param {boolean} [started] @returns {Did} */
const failed = (reason, started = false) => ({ ok: false, started, reason })

/**
 * Switches the light. Never rejects.
 * @param {boolean} on
 * @param {() => void} gone called when the light goes off: nod was left, or off() was called
 * @param {Camera | undefined} [camera]
 * @returns {Promise<Did>}
 */
export async function torch(on, gone, camera = navigator.mediaDevices) {
  if (!on) return release() ? { ok: true, started: true, reason: 'torch_off' } : failed('torch_not_ours')
  if (held?.readyState !== 'live') {
    const track = await opened(camera)
    if ('ok' in track) return track
    held = track
  }
  const did = await lit(held)
  if (did.ok) watch(held, gone)
  else release()
  return did
}

/** The person switches it off. */
export function off() {
  if (release()) told()
}

/** Lets go of the camera, and with it of the light. @returns {boolean} whether there was one */
function release() {
  const was = held?.readyState === 'live'
  watching.abort()
  held?.stop()
  held = null
  return was
}

/** @param {Camera | undefined} camera @returns {Promise<MediaStreamTrack | Did>} */
async function opened(camera) {
  if (!camera) return failed('torch_no_camera')
  let late = false
  const stream = camera.getUserMedia({ video: { facingMode: 'environment' } })
  // A yes after that is of no use: the camera closes at once.
  stream.then((s) => late && s.getTracks().forEach((t) => t.stop()), () => {})
  try {
    const got = await within(stream, PERMISSION_MS)
    late = got === null
    return got?.getVideoTracks()[0] ?? failed('torch_no_answer')
  } catch (e) {
    return failed(e instanceof DOMException && e.name === 'NotAllowedError' ? 'torch_not_allowed' : 'torch_no_camera')
  }
}

/** @param {MediaStreamTrack} track @returns {Promise<Did>} */
async function lit(track) {
  const light = () => /** @type {any} */ (track.getCapabilities?.())?.torch === true
  if (!(await becomes(light))) return failed('torch_no_light')
  try {
    await within(track.applyConstraints({ advanced: [/** @type {any} */ ({ torch: true })] }), SETTLE_MS)
    const on = await becomes(() => /** @type {any} */ (track.getSettings()).torch === true)
    if (on && document.visibilityState === 'visible') return { ok: true, started: true, reason: 'torch_on' }
  } catch {
    // As where it says that it is not on: the camera is closed, and it was begun.
  }
  return failed('torch_not_lit', true)
}

/** @param {() => boolean} is */
async function becomes(is) {
  for (const end = performance.now() + SETTLE_MS; !is();) {
    if (performance.now() > end) return false
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  return true
}

/**
 * The light does not outlive nod's turn in front: browsers cut it then, each at
 * its own time, so nod does it at once.
 * @param {MediaStreamTrack} track @param {() => void} gone
 */
function watch(track, gone) {
  watching.abort()
  watching = new AbortController()
  const { signal } = watching
  told = gone
  addEventListener('pagehide', off, { signal })
  document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && off(), { signal })
  track.addEventListener('ended', () => {
    release()
    gone()
  }, { signal })
}
