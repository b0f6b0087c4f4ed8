// Builds the page from nodes and text, never from markup: what an agent wrote
// can then never become an element, and Trusted Types has nothing to object to.

/** @typedef {Node | string | null | undefined | false} Child */

/** What a node does when something happens to it. @type {WeakMap<EventTarget | Node, Record<string, EventListener>>} */
const doing = new WeakMap()

/** The one listener of every node. @param {Event} e */
const heard = (e) => doing.get(/** @type {EventTarget} */ (e.currentTarget))?.[e.type]?.(e)

/** @param {Node} node @param {Record<string, EventListener> | undefined} acts */
function listen(node, acts = {}) {
  doing.set(node, acts)
  for (const type in acts) node.addEventListener(type, heard)
}

/** A node that stays does what was drawn for it last. @param {Node} old @param {Node} next of the same shape */
function adopt(old, next) {
  if (doing.has(old) || doing.has(next)) listen(old, doing.get(next))
  old.childNodes.forEach((child, i) => adopt(child, next.childNodes[i]))
}

/**
 * Makes an element. `tag` may carry classes: "button.primary.wide".
 * A property that is a function is an event listener, `true` an empty attribute,
 * and null, undefined or false no attribute at all.
 * @param {string} tag
 * @param {Record<string, unknown> | null} [props]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElement}
 */
export function el(tag, props, ...children) {
  const [name, ...classes] = tag.split('.')
  const node = document.createElement(name)
  if (classes.length) node.className = classes.join(' ')
  for (const [key, value] of Object.entries(props ?? {})) {
    if (typeof value === 'function') listen(node, { ...doing.get(node), [key]: /** @type {EventListener} */ (value) })
    else if (value === true) node.setAttribute(key, '')
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, String(value))
  }
  node.append(...kept(children))
  return node
}

/**
 * Replaces everything inside a node.
 * @param {Element} node
 * @param {...(Child | Child[])} children
 */
export function fill(node, ...children) {
  node.replaceChildren(...kept(children))
}

/** What holds other nodes and listens to nothing: only these are opened by patch. */
const HOLDERS = ['DIV', 'SECTION', 'UL', 'OL', 'DL', 'NAV']

/**
 * Brings what is inside a node in step, touching only what differs: what has the
 * focus, was typed, was unfolded or is being read aloud stays.
 * @param {Element} node
 * @param {(Child | Child[])[]} children
 */
export function patch(node, children) {
  const next = kept(children)
  next.forEach((child, i) => {
    const old = node.childNodes[i]
    if (old instanceof HTMLDetailsElement && child instanceof HTMLDetailsElement) child.open = old.open // the person unfolded it
    if (!old) node.append(child)
    else if (typeof child !== 'string' && old.isEqualNode(child)) adopt(old, child)
    else if (sameHolder(old, child)) patch(/** @type {Element} */ (old), [...(/** @type {Element} */ (child)).childNodes])
    else if (sameChoice(old, child)) check(/** @type {HTMLInputElement} */ (old), /** @type {HTMLInputElement} */ (child))
    else old.replaceWith(child)
  })
  while (node.childNodes.length > next.length) node.lastChild?.remove()
}

/** @param {Node} old @param {Node | string} next */
const sameChoice = (old, next) => old instanceof HTMLInputElement && next instanceof HTMLInputElement && old.type === 'radio' && old.id === next.id

/** A choice keeps the focus while it is made. @param {HTMLInputElement} old @param {HTMLInputElement} next */
function check(old, next) {
  adopt(old, next)
  for (const name of ['checked', 'disabled']) old.toggleAttribute(name, next.hasAttribute(name))
  old.checked = next.checked
}

/** @param {Node} old @param {Node | string} next */
function sameHolder(old, next) {
  return old instanceof Element && next instanceof Element && HOLDERS.includes(next.tagName) && old.cloneNode().isEqualNode(next.cloneNode())
}

/** @param {(Child | Child[])[]} children */
function kept(children) {
  return /** @type {(Node | string)[]} */ (children.flat().filter((c) => c !== null && c !== undefined && c !== false))
}

/** A small drawing from icons/marks.svg, hidden from screen readers: words say the same. @param {string} id */
export function mark(id) {
  const ns = 'http://www.w3.org/2000/svg'
  const svg = document.createElementNS(ns, 'svg')
  svg.setAttribute('class', 'mark')
  svg.setAttribute('aria-hidden', 'true')
  svg.setAttribute('viewBox', '0 0 24 24')
  const use = document.createElementNS(ns, 'use')
  use.setAttribute('href', `/icons/marks.svg#${id}`)
  svg.append(use)
  return svg
}
