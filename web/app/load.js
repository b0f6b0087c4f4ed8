// Something a page fetches, and how that stands. A page that waits less than a
// blink shows nothing for it; then a shape of what comes; and what went wrong.

import { ApiError } from './api.js'
import { t } from './text.js'

const BLINK_MS = 300

/** @template T */
export class Load {
  /** @type {'none' | 'loading' | 'slow' | 'ready' | 'failed'} */ state = 'none'
  /** What was fetched last; kept while more is fetched. @type {T | null} */ value = null
  reason = ''
  #turn = 0

  /** @param {() => void} changed */
  constructor(changed) {
    this.changed = changed
  }

  /** Fetches; what was fetched later wins. @param {() => Promise<T>} work */
  async run(work) {
    const turn = ++this.#turn
    this.#to('loading')
    const slow = setTimeout(() => turn === this.#turn && this.#to('slow'), BLINK_MS)
    try {
      const value = await work()
      if (turn !== this.#turn) return
      this.value = value
      this.#to('ready')
    } catch (e) {
      if (turn !== this.#turn) return
      this.reason = !(e instanceof ApiError) ? t('load.network') : e.code === 'not_found' ? t('load.gone') : e.message
      this.#to('failed')
    } finally {
      clearTimeout(slow)
    }
  }

  /** @param {'loading' | 'slow' | 'ready' | 'failed'} state */
  #to(state) {
    this.state = state
    this.changed()
  }
}
