// Which page is on the screen. A page is a module with one function, open(phone,
// ...parts of its path), that makes a view. Pages are loaded when they are first
// needed, and once more in advance when there is time, so that they are there
// without a network.

import { el, fill, mark, patch } from './dom.js'
import { loadFailedPage } from './pages/state.js'
import { t } from './text.js'

/**
 * @typedef {import('./app.js').Phone} Phone
 * @typedef {(import('./dom.js').Child | import('./dom.js').Child[])[]} Nodes
 * @typedef {{ title?: string, alone?: boolean, look?: () => void, draw: () => Nodes, ticks?: Record<string, () => string>, leave?: () => void }} View
 *   what is on the screen; alone: without the bar; look: something is known that was not; leave: it is not on the screen any more;
 *   ticks: the words that move with time, for nodes with data-tick=NAME
 * @typedef {{ open: (phone: Phone, ...parts: string[]) => View }} PageModule
 */

/** One line for each page. @type {[RegExp, () => Promise<PageModule>][]} */
const PAGES = [
  [/^\/log$/, () => import('./pages/log.js')],
  [/^\/log\/([\w-]+)$/, () => import('./pages/call.js')],
  [/^\/agents$/, () => import('./pages/agents.js')],
  [/^\/agents\/([\w-]+)(?:\/([a-z]+-(?:read|act)))?$/, () => import('./pages/access.js')],
  [/^\/pair$/, () => import('./pages/setup.js')],
  [/^\/settings$/, () => import('./pages/settings.js')],
  [/^\/shortcuts$/, () => import('./pages/shortcuts.js')],
  [/^\/phones$/, () => import('./pages/phones.js')],
  [/^\/resume$/, () => import('./pages/resume.js')],
  [/^/, () => import('./pages/home.js')],
]

/** What the bar at the bottom leads to. @type {[string, string][]} */
const BAR = [['/', 'nav.home'], ['/log', 'nav.log'], ['/settings', 'nav.settings']]

/** So many views are kept to go back to. */
const KEPT = 10

/** @param {string} [at] where one is */
export const barLinks = (at) => BAR.map(([path, key]) => el('a', { href: path, 'aria-current': path === at && 'page' }, mark(key.slice(4)), t(key)))

export class Router {
  /** @type {View} */ #view = { draw: () => [] }
  #path = ''
  /** Views one can go back to, by their place in the history. @type {Map<number, View>} */ #kept = new Map()
  #place = 0
  #turn = 0
  #stopped = false

  /** @param {Phone} phone @param {HTMLElement} page @param {HTMLElement} bar */
  constructor(phone, page, bar) {
    this.phone = phone
    this.page = page
    this.bar = bar
    history.scrollRestoration = 'manual'
  }

  /** Shows the page that the address names, and follows links and Back until stopped. @param {AbortSignal} signal */
  start(signal) {
    addEventListener('popstate', (e) => this.#back(e.state), { signal })
    addEventListener('click', (e) => this.#click(e), { signal })
    signal.addEventListener('abort', () => {
      this.#stopped = true
      this.#view.leave?.()
      fill(this.bar)
    })
    this.#place = history.state?.place ?? 0
    history.replaceState({ place: this.#place }, '')
    return this.#show(location.pathname)
  }

  /** @param {string} path */
  go(path) {
    this.phone.state.set({ said: null })
    if (location.pathname !== path) {
      history.replaceState({ place: this.#place, y: scrollY }, '')
      history.pushState({ place: ++this.#place }, '', path)
    }
    return this.#show(path, 0, true)
  }

  /** Draws the page again, touching only what has changed. */
  paint() {
    if (this.#stopped) return
    const state = this.phone.whole() // one thing is the matter, and nothing else can be done here
    const focused = this.page.contains(document.activeElement) ? document.activeElement?.id : ''
    patch(this.page, state ?? this.#view.draw())
    if (focused && document.activeElement?.id !== focused) document.getElementById(focused)?.focus({ preventScroll: true })
    this.#drawBar(state !== null || this.#view.alone === true)
  }

  /** Moves the words that move with time. */
  tick() {
    for (const node of this.page.querySelectorAll('[data-tick]')) node.textContent = this.#view.ticks?.[String(node.getAttribute('data-tick'))]?.() ?? ''
  }

  /** Something is known that was not: the page may want more of it, and is drawn. */
  changed() {
    if (!this.#stopped && this.phone.whole() === null) this.#view.look?.()
    this.paint()
  }

  /** The name of the page for the window's title. */
  title() {
    return this.#view.title ? t('title.page', { name: this.#view.title }) : t('home.title')
  }

  /** Puts the focus on what the page is about, for keyboards and screen readers. */
  focus() {
    this.page.querySelector('h1')?.focus({ preventScroll: true })
  }

  /** Loads every page in advance. */
  warm() {
    for (const [, load] of PAGES) load().catch(() => {})
  }

  /** @param {{ place?: number, y?: number } | null} state */
  #back(state) {
    this.#place = state?.place ?? 0
    return this.#show(location.pathname, state?.y ?? 0, true, this.#kept.get(this.#place))
  }

  /** Links within the app do not load it anew. @param {Event} e */
  #click(e) {
    const { button, metaKey, ctrlKey, shiftKey, target } = /** @type {MouseEvent} */ (e)
    const link = target instanceof Element ? target.closest('a') : null
    if (!link || e.defaultPrevented || button || metaKey || ctrlKey || shiftKey || link.origin !== location.origin || link.target || link.download) return
    e.preventDefault()
    this.go(link.pathname)
  }

  /** @param {string} path @param {number} [y] where to scroll @param {boolean} [moved] the person went there @param {View} [kept] */
  async #show(path, y = 0, moved = false, kept) {
    const turn = ++this.#turn
    const view = kept ?? (await this.#open(path))
    if (turn !== this.#turn || this.#stopped) return // they went on meanwhile
    if (view !== this.#view) this.#view.leave?.()
    this.#view = view
    this.#path = path
    this.#keep(view)
    fill(this.page)
    this.changed()
    this.phone.deck.refresh() // the window's title
    scrollTo(0, y)
    if (moved) this.focus()
  }

  /** Keeps the last few to go back to, with what they fetched; one that has left for good is made anew. @param {View} view */
  #keep(view) {
    this.#kept.delete(this.#place)
    if (!view.leave) this.#kept.set(this.#place, view)
    if (this.#kept.size > KEPT) this.#kept.delete(/** @type {number} */ (this.#kept.keys().next().value))
  }

  /** @param {string} path @returns {Promise<View>} */
  async #open(path) {
    const [pattern, load] = /** @type {typeof PAGES[0]} */ (PAGES.find(([p]) => p.test(path)))
    try {
      return (await load()).open(this.phone, .../** @type {RegExpExecArray} */ (pattern.exec(path)).slice(1))
    } catch (e) {
      console.warn('nod:', e)
      return { draw: () => loadFailedPage(() => this.go(path)) }
    }
  }

  /** @param {boolean} alone nothing to go to */
  #drawBar(alone) {
    const at = BAR.findLast(([path]) => this.#path.startsWith(path))?.[0]
    patch(this.bar, alone ? [] : barLinks(at))
  }
}
