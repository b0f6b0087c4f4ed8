// Whether this browser was paired, kept apart from what was paired: a browser
// that makes room often takes the database and leaves this.

const KEY = 'nod-paired'

/** @param {string} name what the phone is called */
export function rememberPaired(name) {
  try {
    localStorage.setItem(KEY, name)
  } catch {
    // Then nobody can tell a browser that forgot from a new one.
  }
}

/** The name of the phone that this browser was paired as, and forgot; null where nothing says so. */
export function wasPaired() {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}

/** The person starts anew, or ends it: nothing of it stays, nor does anything else that was kept outside the database. */
export function forgetPaired() {
  try {
    localStorage.clear()
  } catch {
    // There was nothing kept.
  }
}
