// Photos that the person picks in the system's own picker. What goes out is
// drawn anew: small, and without what a camera writes into a file, such as where
// it was taken.

import { hash } from './data.js'
import { SECOND, within } from './wait.js'

const PICK_MS = 240 * SECOND
/** The longer side, in pixels. */
const SIDE = 1_568
/** What is aimed at, so that it stays under a client's megabyte as base64; and what is never passed. */
const AIM_BYTES = 700_000
const MAX_BYTES = 1_048_576
const QUALITIES = [0.85, 0.72, 0.6, 0.45]
const SMALLER = 0.75
const LEAST_SIDE = 320
const TYPE = 'image/jpeg'
const TRIES = 3

/**
 * @typedef {import('./device.js').Made} Made
 * @typedef {{ data: globalThis.Blob, width: number, height: number }} Picture
 * @typedef {{ input: () => HTMLInputElement, picture: (file: File) => Promise<Picture | null>, send: (n: number, data: globalThis.Blob) => Promise<void>, live: () => boolean }} Parts live: whether they are still wanted
 */

/** @type {import('./device.js').Prepare} */
export async function prepare(fields, { call, upload, live, platform }) {
  const parts = { input: () => chooser(platform.os, fields.max ?? 1), picture, send: (/** @type {number} */ n, /** @type {globalThis.Blob} */ data) => put(call, n, data, upload), live }
  return { needs: 'tap', start: () => pick(fields, parts) }
}

/**
 * The input that opens the picker. Chrome on Android shows one without the
 * camera unless a type is among those that no picture has.
 * @param {string} os @param {number} max
 */
function chooser(os, max) {
  const input = document.createElement('input')
  Object.assign(input, { type: 'file', accept: os === 'android' ? 'image/*,android/allowCamera' : 'image/*', multiple: max > 1, hidden: true })
  document.body.append(input) // an iPhone forgets one that is nowhere
  return input
}

/** @param {{ max?: number }} fields @param {Parts} parts @returns {Promise<Made>} */
export async function pick({ max = 1 }, { input, picture, send, live }) {
  const files = await picked(input())
  if (files === null) return failed('nobody_answered')
  if (!files.length) return failed('not_picked')
  /** @type {import('../host.js').Blob[]} */
  const blobs = []
  for (const file of files.slice(0, max)) {
    const made = live() ? await picture(file) : null
    if (!live()) return failed('disarmed') // a picker stays open when its call is over
    if (!made) continue
    try {
      await send(blobs.length, made.data)
    } catch {
      return failed('not_sent')
    }
    const { data, width, height } = made
    blobs.push({ hash: await hash(await data.arrayBuffer()), bytes: data.size, mime: TYPE, name: `photo-${blobs.length + 1}.jpg`, width, height })
  }
  if (!blobs.length) return failed('no_picture')
  const less = files.length > blobs.length
  return { ok: true, reason: 'read', blobs, ...(less && { note: 'result.photos_less', values: { count: String(blobs.length), total: String(files.length) } }) }
}

/** Opens the picker in this turn. @param {HTMLInputElement} input @returns {Promise<File[] | null>} none where it was closed; null where nobody answers */
function picked(input) {
  const choice = new Promise((/** @type {(files: File[]) => void} */ resolve) => {
    input.addEventListener('change', () => resolve([...(input.files ?? [])]))
    input.addEventListener('cancel', () => resolve([]))
  })
  input.click()
  return within(choice, PICK_MS).finally(() => input.remove())
}

/** A file as a small picture, upright; null for what this browser cannot read. @param {File} file @returns {Promise<Picture | null>} */
export async function picture(file) {
  let bitmap
  const canvas = document.createElement('canvas')
  try {
    bitmap = await createImageBitmap(file, { imageOrientation: 'from-image' })
    for (let side = SIDE; side >= LEAST_SIDE; side *= SMALLER) {
      draw(canvas, bitmap, side)
      for (const quality of QUALITIES) {
        const data = await new Promise((/** @type {(b: globalThis.Blob | null) => void} */ resolve) => canvas.toBlob(resolve, TYPE, quality))
        if (data?.type !== TYPE) return null
        if (data.size <= AIM_BYTES || (side * SMALLER < LEAST_SIDE && data.size <= MAX_BYTES)) return { data, width: canvas.width, height: canvas.height }
      }
    }
    return null
  } catch {
    return null
  } finally {
    bitmap?.close()
    canvas.width = 0 // a phone has little room for ten of them
  }
}

/** @param {HTMLCanvasElement} canvas @param {ImageBitmap} bitmap @param {number} side */
function draw(canvas, bitmap, side) {
  const scale = Math.min(1, side / Math.max(bitmap.width, bitmap.height))
  canvas.width = Math.max(1, Math.round(bitmap.width * scale))
  canvas.height = Math.max(1, Math.round(bitmap.height * scale))
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'))
  context.imageSmoothingQuality = 'high'
  context.fillStyle = '#fff' // what is transparent would come out black
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
}

/**
 * Leaves one with nod. A second try after a lost answer may find it there.
 * @param {string} call @param {number} n @param {globalThis.Blob} data @param {string} token @param {typeof fetch} [send]
 */
export async function put(call, n, data, token, send = fetch) {
  for (let tries = 1; ; tries++) {
    const response = await send(`/link/blob/${call}/${n}`, { method: 'PUT', body: data, cache: 'no-store', redirect: 'error', headers: { Authorization: `Bearer ${token}`, 'Content-Type': TYPE } }).catch(() => null)
    if (response?.ok || (tries > 1 && response?.status === 409)) return
    if (tries >= TRIES || (response && response.status < 500)) throw new Error(`the upload was not taken: ${response?.status ?? 'no answer'}`)
    await new Promise((resolve) => setTimeout(resolve, SECOND))
  }
}

/** @param {string} reason @returns {Made} */
const failed = (reason) => ({ ok: false, reason })
