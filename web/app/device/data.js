// What was read, as it goes out: its text, and the name of it under a salt,
// which is what the phone signs.

import { encode64 } from '../wire.js'

const MAX_BYTES = 32 * 1024
/** A frame holds the text as a JSON string, where a quote takes two bytes; the rest of the frame is small. */
const MAX_FRAMED = 60 * 1024
const SALT_BYTES = 16

const encoder = new TextEncoder()

/** Whether a text can travel in a result. @param {string} text */
export function fits(text) {
  return encoder.encode(text).length <= MAX_BYTES && encoder.encode(JSON.stringify(text)).length <= MAX_FRAMED
}

/**
 * The same with as many items of a list as fit, from its beginning.
 * @param {any} data @param {string} list the name of the list in it
 */
export function shortened(data, list) {
  let [low, high] = [0, data[list].length]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (fits(JSON.stringify({ ...data, [list]: data[list].slice(0, middle) }))) low = middle
    else high = middle - 1
  }
  return { ...data, [list]: data[list].slice(0, low) }
}

/** @param {unknown} data */
export async function sealed(data) {
  const text = JSON.stringify(data)
  const bytes = encoder.encode(text)
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES))
  const both = new Uint8Array(SALT_BYTES + bytes.length)
  both.set(salt)
  both.set(bytes, SALT_BYTES)
  return { text, salt: encode64(salt), data: { hash: await hash(both), bytes: bytes.length } }
}

/** @param {Uint8Array<ArrayBuffer> | ArrayBuffer} bytes */
export const hash = async (bytes) => encode64(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
