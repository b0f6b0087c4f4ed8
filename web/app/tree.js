// Whether one head of the log extends another: the proof of RFC 6962, as the
// gateway makes it. A log that was cut or rewritten cannot prove this.

/**
 * @param {Uint8Array[]} proof
 * @param {{ size: number, root: Uint8Array }} old
 * @param {{ size: number, root: Uint8Array }} next
 * @returns {Promise<boolean>}
 */
export async function extendsHead(proof, old, next) {
  if (old.size === 0) return true
  if (old.size > next.size) return false
  if (old.size === next.size) return same(old.root, next.root)
  const roots = await climb(proof, 0, next.size, old.size, old.root)
  return roots !== null && same(roots[0], old.root) && same(roots[1], next.root)
}

/**
 * Rebuilds both roots over the leaves lo to hi, where the old tree ends at n.
 * @param {Uint8Array[]} proof @param {number} lo @param {number} hi @param {number} n @param {Uint8Array} old
 * @returns {Promise<[Uint8Array, Uint8Array] | null>}
 */
async function climb(proof, lo, hi, n, old) {
  if (n === hi) {
    if (lo === 0) return proof.length === 0 ? [old, old] : null
    return proof.length === 1 ? [proof[0], proof[0]] : null
  }
  const last = proof.at(-1)
  if (!last) return null
  const rest = proof.slice(0, -1)
  const half = halfOf(hi - lo)
  if (n <= lo + half) {
    const below = await climb(rest, lo, lo + half, n, old)
    return below && [below[0], await node(below[1], last)]
  }
  const below = await climb(rest, lo + half, hi, n, old)
  return below && [await node(last, below[0]), await node(last, below[1])]
}

/** The largest power of two below n. @param {number} n */
function halfOf(n) {
  let half = 1
  while (half * 2 < n) half *= 2
  return half
}

/** @param {Uint8Array} left @param {Uint8Array} right */
async function node(left, right) {
  const bytes = new Uint8Array(1 + left.length + right.length)
  bytes[0] = 1
  bytes.set(left, 1)
  bytes.set(right, 1 + left.length)
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

/** @param {Uint8Array} a @param {Uint8Array} b */
function same(a, b) {
  return a.length === b.length && a.every((x, i) => x === b[i])
}
