// When Confirm may be pressed. Pure.

export const REARM_MS = 700

/**
 * @typedef {'offline' | 'kept' | 'unfocused' | 'covered' | 'scroll' | 'settling'} Shut why Confirm is off
 * @param {{
 *   phase: string, since: number, now: number, focused: boolean, covered: boolean, atEnd: boolean, online: boolean,
 * }} card since: when the card was drawn, changed, uncovered or got the focus back (mono)
 * @returns {Shut | null} null when it may
 */
export function shut({ phase, since, now, focused, covered, atEnd, online }) {
  if (phase === 'kept') return 'kept'
  if (!online) return 'offline'
  if (!focused) return 'unfocused'
  if (covered) return 'covered'
  if (!atEnd) return 'scroll'
  if (now - since < REARM_MS) return 'settling'
  return null
}
