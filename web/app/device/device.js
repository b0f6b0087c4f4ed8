// The tools that this page does itself, each in a file of its own that is loaded
// when it is asked for. Loading and looking up come first; what is left then
// begins in the turn of the person's tap.

import { english } from '../text.js'
import { sealed } from './data.js'

/**
 * @typedef {import('../host.js').Did} Did
 * @typedef {import('../host.js').Doing} Doing
 * @typedef {{ call: string, agentName: string, upload: string, live: () => boolean, platform: import('../uris.js').Platform, left: () => void }} About
 *   upload: the token for files; live: whether what is read may still go out; left: told when what was done ends with nod's turn in front
 * @typedef {{ ok: boolean, started?: boolean, reason: string, note?: string, values?: Record<string, string>, data?: unknown, blobs?: import('../host.js').Blob[] }} Made
 *   what a tool made of it; started: whether anything began where it failed; note: a key of texts for the agent; data: what was read
 * @typedef {{ needs: import('../phone.js').Needs, start: () => Promise<Made> }} Tool
 * @typedef {(fields: Record<string, any>, about: About) => Promise<Tool>} Prepare
 */

/** @type {Record<import('../uris.js').DeviceTool, () => Promise<Prepare>>} */
const TOOLS = {
  clipboard_read: async () => (await import('./clipboard.js')).prepareRead,
  clipboard_write: async () => (await import('./clipboard.js')).prepareWrite,
  contacts_search: async () => (await import('./contacts.js')).prepare,
  location: async () => (await import('./location.js')).prepare,
  notify: async () => (await import('./notify.js')).prepare,
  phone_now: async () => (await import('./now.js')).prepare,
  photo_pick: async () => (await import('./photos.js')).prepare,
}

/**
 * Makes ready what a plan says.
 * @param {import('../host.js').Here} plan @param {About} about
 * @returns {Promise<Doing>}
 */
export async function ready(plan, about) {
  if (plan.do === 'torch') {
    const { torch } = await import('../torch.js')
    return { needs: 'nothing', start: () => torch(plan.on, about.left).then((did) => ({ ...did, message: english(`result.${did.reason}`) })) }
  }
  const prepare = await TOOLS[plan.what]()
  const { needs, start } = await prepare(plan.fields, about)
  return { needs, start: () => start().then(told) }
}

/** @param {Made} made @returns {Promise<Did>} */
async function told({ ok, started = false, reason, note, values, data, blobs }) {
  const message = note ? english(note, values) : ok ? undefined : english(`result.${reason}`)
  return { ok, started, reason, message, blobs, gave: blobs?.length ?? amount(data ?? {}), ...(ok && data !== undefined && (await sealed(data))) }
}

/** How many things are in what goes out, or letters; fewer than there were, where not all of them fit. @param {object} data */
function amount(data) {
  const list = Object.values(data).find(Array.isArray)
  const { text } = /** @type {{ text?: string }} */ (data)
  return list?.length ?? (text === undefined ? undefined : [...text].length)
}
