// How long to wait before the next try to connect: doubling from one second to
// five minutes, to ten seconds while somebody looks at the page. Where there is no
// network at all the longest wait comes at once: the browser says when there is one.

const FIRST = 1_000
const LONGEST = 300_000
const LONGEST_SEEN = 10_000

/**
 * @param {number} failures how many tries in a row failed, from 1
 * @param {boolean} visible whether the page is on a screen
 * @param {boolean} offline whether the browser says that there is no network
 * @param {number} random from 0 to 1; adds at most 10 %
 */
export function delay(failures, visible, offline, random) {
  const longest = visible ? LONGEST_SEEN : LONGEST
  const base = offline ? longest : Math.min(FIRST * 2 ** Math.min(failures - 1, 20), longest)
  return Math.round(base * (1 + random / 10))
}
