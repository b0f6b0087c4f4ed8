// What this phone knows now, in one place. Pages draw it; whoever learns more
// calls set(), and the page on the screen is drawn again. What is not known yet
// is null, and pages never draw it as if it were.

import { UNPROBED } from './probe.js'

/**
 * @typedef {{
 *   home: import('./api.js').Home | null, waiting: import('./api.js').Waiting[] | null, paused: boolean,
 *   problem: string | null, said: string | null, install: any, accepting: boolean,
 *   settings: import('./settings.js').Settings, push: import('./push.js').PushState | null,
 *   probed: import('./probe.js').Probed, moved: (() => import('./router.js').Nodes) | null,
 * }} Known
 *   home: what GET /phone/home last said; waiting: phones that ask to join; problem and said: a sentence for the person, bad or good;
 *   install: the browser's offer to install this page; accepting: that nod was set back is being accepted; push: whether this phone can be woken;
 *   probed: what the browser says of the device; moved: what to draw where nod no longer goes by this address
 */

/** A place for what is known, that calls back when it changes. @param {import('./settings.js').Settings} settings @param {() => void} changed */
export function makeState(settings, changed) {
  /** @type {Known} */
  const known = { home: null, waiting: null, paused: false, problem: null, said: null, install: null, accepting: false, settings, push: null, probed: UNPROBED, moved: null }
  return {
    get: () => known,
    /** @param {Partial<Known>} change */
    set(change) {
      Object.assign(known, change)
      changed()
    },
  }
}
