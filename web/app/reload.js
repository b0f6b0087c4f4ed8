// The gateway serves another version of this app, newer or older. It is loaded
// when nothing hangs on this page: no card is open, no result is owed.

import { APP_VERSION } from './contract.js'

/** The same version is left at most once in this time: a cache on the way may hand it out again and again. */
const AGAIN_MS = 3_600_000
const KEY = 'nod-left'

export class Reload {
  #wanted = false
  #fetching = false

  /**
   * @param {{
   *   version: string, idle: () => boolean, fetch: () => Promise<unknown>, go: () => void,
   *   memory: Pick<Storage, 'getItem' | 'setItem'>, now: () => number,
   * }} parts
   *   idle: whether the page can go; fetch: the files of the other version; go: for good; memory: of this window, and outlives a load; now: the date
   */
  constructor(parts) {
    this.parts = parts
  }

  /** The gateway says that there is another version. */
  want() {
    this.#wanted = true
    return this.settle()
  }

  /** Something ended: if it was the last thing that hung on this page, it goes now. */
  async settle() {
    const { version, idle, fetch, go, memory, now } = this.parts
    if (!this.#wanted || this.#fetching || !idle()) return
    const left = JSON.parse(memory.getItem(KEY) ?? '{}')
    if (now() - (left[version] ?? -AGAIN_MS) < AGAIN_MS) return
    this.#fetching = true
    await fetch()
    this.#fetching = false
    if (!idle()) return // a card came meanwhile
    this.#wanted = false
    memory.setItem(KEY, JSON.stringify({ ...left, [version]: now() }))
    go()
  }
}

/** @param {import('./app.js').Phone} phone @param {() => Promise<unknown>} fetch */
export const reload = ({ deck, host, link }, fetch) => new Reload({
  version: APP_VERSION, idle: () => !deck.busy && !owes(host.entries.values()), fetch, memory: sessionStorage, now: Date.now,
  go() {
    link.stop() // this page stays until the other one is there, and takes no card any more
    location.reload()
  },
})

/** Whether a call still needs this page: it waits, is under way, or its end is not acked. @param {Iterable<import('./host.js').Entry>} entries */
export function owes(entries) {
  return [...entries].some(({ state }) => state.phase !== 'closed' && !state.acked)
}
