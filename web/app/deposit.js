// What a launch needs is left with nod before it: a file for the calendar, and
// the results of a Shortcut, signed beforehand, one of which counts when the
// Shortcut opens its address. Safari opens it, which has no key of this phone.

/** @typedef {import('./host.js').Endings} Endings */

/** @param {(method: string, path: string, body?: unknown) => Promise<any>} ask the phone's own requests */
export const deposits = (ask) => ({
  /** @param {string} call @param {Endings} results @returns {Promise<string>} the one-time token of the address */
  callback: async (call, results) => (await ask('POST', '/phone/callback', { call, results })).token,
  /** @param {import('./uris.js').FileOpen} file @returns {Promise<string>} where it is, for a short while */
  file: async ({ name, type, text }) => (await ask('POST', '/phone/file', { name, type, text })).path,
  /** What a Shortcut said at its end. @param {string} token @returns {Promise<'waiting' | 'ok' | 'cancel' | 'error'>} */
  async called(token) {
    try {
      return (await ask('GET', `/phone/callback/${token}`)).state
    } catch (e) {
      // Forgotten: nothing was heard, and nothing will be.
      if (e instanceof Error && 'code' in e && e.code === 'not_found') return 'waiting'
      throw e
    }
  },
})
