// Confirming something risky takes a second of holding, so that no stray tap
// does it. A screen reader's press cannot be held: it is asked for twice.

export const HOLD_MS = 1_000
const TWICE_MS = 8_000
const APART_MS = 700

/**
 * @param {HTMLElement} button
 * @param {{ may: () => boolean, done: () => void, again: string }} acts again: the words before the second press
 */
export function holdToConfirm(button, { may, done, again }) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  let lastTouch = -Infinity
  let firstPress = -Infinity

  const stop = () => {
    clearTimeout(timer)
    timer = undefined
    button.classList.remove('holding')
  }
  /** @param {Event} e */
  const start = (e) => {
    lastTouch = performance.now()
    if (!e.isTrusted || !may() || timer !== undefined) return
    button.classList.add('holding')
    timer = setTimeout(() => {
      stop()
      if (button.isConnected && may()) done() // another card may have come meanwhile
    }, HOLD_MS)
  }

  button.addEventListener('pointerdown', start)
  for (const type of ['pointerup', 'pointercancel', 'pointerleave', 'blur', 'keyup']) {
    button.addEventListener(type, () => {
      lastTouch = performance.now()
      stop()
    })
  }
  button.addEventListener('contextmenu', (e) => e.preventDefault())
  button.addEventListener('keydown', (e) => {
    if (e.key !== 'Enter' && e.key !== ' ') return
    e.preventDefault()
    if (!e.repeat) start(e)
  })
  button.addEventListener('click', (e) => {
    const now = performance.now()
    if (!e.isTrusted || !may() || now - lastTouch < APART_MS) return
    if (now - firstPress > APART_MS && now - firstPress < TWICE_MS) return done()
    firstPress = now
    button.replaceChildren(again)
  })
}
