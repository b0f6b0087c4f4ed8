// What the browser says of the network and of this page's sleep, told to the link.

/** @typedef {{ type?: string } & EventTarget} Connection the Network Information API, where there is one; type is told on phones only */

/**
 * Watches until stopped. "online" and another kind of network make a new link
 * though the old socket looks open: nobody closes a socket of a network that is
 * gone. The connection's other changes (a guess at its speed) say nothing.
 * @param {import('./gateway.js').Link} link @param {AbortSignal} signal
 */
export function watchNetwork(link, signal) {
  const connection = /** @type {Connection | undefined} */ (/** @type {any} */ (navigator).connection)
  let type = connection?.type
  connection?.addEventListener('change', () => {
    if (connection.type === type) return
    type = connection.type
    if (type !== 'none') link.moved()
  }, { signal })
  addEventListener('online', () => link.moved(), { signal })
  document.addEventListener('freeze', () => link.sleep(), { signal })
  document.addEventListener('resume', () => link.poke(), { signal })
  addEventListener('pagehide', (e) => e.persisted && link.sleep(), { signal })
  addEventListener('pageshow', (e) => e.persisted && link.poke(), { signal })
}
