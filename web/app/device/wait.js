// Waiting for a person who may never answer, and what the browser says of a
// permission.

export const SECOND = 1_000

/**
 * Settles as the work does, or as null after so long.
 * @template T
 * @param {Promise<T>} work @param {number} ms
 * @returns {Promise<T | null>}
 */
export function within(work, ms) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */ let timer
  const late = new Promise((/** @type {(v: null) => void} */ resolve) => { timer = setTimeout(resolve, ms, null) })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/**
 * What the browser says; undefined where it knows no such permission.
 * @param {string} name @param {{ permissions?: Pick<Permissions, 'query'> }} nav
 * @returns {Promise<PermissionStatus | undefined>}
 */
export async function permission(name, nav) {
  try {
    return await nav.permissions?.query({ name: /** @type {PermissionName} */ (name) })
  } catch {
    return undefined
  }
}

/** @param {unknown} e @param {...string} names */
export const isError = (e, ...names) => e instanceof Error && names.includes(e.name)
