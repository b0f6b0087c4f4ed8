// The two proofs of RFC 6962, as the gateway makes them: that one head of the log
// extends another, and that an entry is in the log of a head. A log that was cut
// or rewritten can prove neither.

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
 * Whether an entry is in the log of a head.
 * @param {Uint8Array[]} proof from the leaf to the root
 * @param {Uint8Array} leaf the entry's public part
 * @param {number} seq the entry's number, from 1
 * @param {{ size: number, root: Uint8Array }} head
 * @returns {Promise<boolean>}
 */
export async function holdsEntry(proof, leaf, seq, head) {
  if (seq < 1 || seq > head.size) return false
  const root = await ascend(proof, 0, head.size, seq - 1, await hash(0, leaf))
  return root !== null && same(root, head.root)
}

/**
 * Rebuilds the root over the leaves lo to hi from the one at n.
 * @param {Uint8Array[]} proof @param {number} lo @param {number} hi @param {number} n @param {Uint8Array} leaf
 * @returns {Promise<Uint8Array | null>}
 */
async function ascend(proof, lo, hi, n, leaf) {
  if (hi - lo === 1) return proof.length === 0 ? leaf : null
  const last = proof.at(-1)
  if (!last) return null
  const half = halfOf(hi - lo)
  const left = n < lo + half
  const below = await ascend(proof.slice(0, -1), left ? lo : lo + half, left ? lo + half : hi, n, leaf)
  return below && (left ? node(below, last) : node(last, below))
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
const node = (left, right) => hash(1, left, right)

/** @param {number} kind 0 for a leaf, 1 for a node @param {...Uint8Array} parts */
async function hash(kind, ...parts) {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', await new Blob([Uint8Array.of(kind), ...parts].map((p) => new Uint8Array(p))).arrayBuffer()))
}

/** @param {Uint8Array} a @param {Uint8Array} b */
function same(a, b) {
  return a.length === b.length && a.every((x, i) => x === b[i])
}
