// The gateway serves another version of this app, newer or older. It is loaded
// when nothing hangs on this page: no card is open, no result is owed.

import { APP_VERSION } from './contract.js'

/** The same version is left at most once in this time: a cache on the way may hand it out again and again. */
const AGAIN_MS = 3_600_000
const KEY = 'nod-left'

export class Reload {
  #wanted = false

  /**
   * @param {{ version: string, idle: () => boolean, load: () => void, memory: Pick<Storage, 'getItem' | 'setItem'>, now: () => number }} parts
   *   idle: whether the page can go; memory: of this window, and outlives a load; now: the date
   */
  constructor(parts) {
    this.parts = parts
  }

  /** The gateway says that there is another version. */
  want() {
    this.#wanted = true
    this.settle()
  }

  /** Something ended: if it was the last thing that hung on this page, it goes now. */
  settle() {
    const { version, idle, load, memory, now } = this.parts
    if (!this.#wanted || !idle()) return
    this.#wanted = false
    const left = JSON.parse(memory.getItem(KEY) ?? '{}')
    if (now() - (left[version] ?? -AGAIN_MS) < AGAIN_MS) return
    memory.setItem(KEY, JSON.stringify({ ...left, [version]: now() }))
    load()
  }
}

/** @param {import('./app.js').Phone} phone @param {() => void} load */
export const reload = ({ deck, host }, load) =>
  new Reload({ version: APP_VERSION, idle: () => !deck.busy && !owes(host.entries.values()), load, memory: sessionStorage, now: Date.now })

/** Whether a call still needs this page: it waits, is under way, or its end is not acked. @param {Iterable<import('./host.js').Entry>} entries */
export function owes(entries) {
  return [...entries].some(({ state }) => state.phase !== 'closed' && !state.acked)
}
