// This page's dealings with the service worker (sw.js): the app's files, and
// what a tap on a notification brings.

import { APP_VERSION } from './contract.js'

const worker = navigator.serviceWorker

/** How long the worker may take to fetch a version before the page is loaded all the same. */
const REFRESH_MS = 10_000

/** Registers the worker. Trusted Types wants its address vouched for. */
export async function keepShell() {
  if (!worker) return
  const types = /** @type {any} */ (self).trustedTypes
  const policy = types?.createPolicy('nod', { createScriptURL: (/** @type {string} */ url) => (url === '/sw.js' ? url : '') })
  try {
    // A page says which version it is, so that it keeps getting files of that one.
    const say = () => worker.controller?.postMessage({ kind: 'version', version: APP_VERSION })
    worker.addEventListener('controllerchange', say)
    say()
    await worker.register(policy ? policy.createScriptURL('/sw.js') : '/sw.js')
  } catch {
    // Without it nod works as long as there is a network, and cannot be woken.
  }
}

/**
 * Listens to the worker until stopped. open: a notification was tapped, and leads
 * to a path. subscription: the browser changed it by itself.
 * @param {{ open: (path: string) => void, subscription: () => void }} on @param {AbortSignal} signal
 */
export function hearWorker(on, signal) {
  worker?.addEventListener('message', ({ data }) => {
    if (data?.kind === 'open') on.open(data.path)
    if (data?.kind === 'subscription') on.subscription()
  }, { signal })
  worker?.startMessages()
}

/** Has the worker take the notification of a call away: the person has its card before them. @param {string} call */
export async function dismiss(call) {
  const registration = await worker?.getRegistration()
  registration?.active?.postMessage({ kind: 'seen', call })
}

/** Has the worker fetch the files that the gateway serves now. */
export async function fetchFiles() {
  const controller = worker?.controller
  if (!controller) return
  await new Promise((done) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = done
    setTimeout(done, REFRESH_MS)
    controller.postMessage({ kind: 'refresh' }, [port2])
  })
}

/** Loads this page again, with those files. */
export async function loadAgain() {
  await fetchFiles()
  location.reload()
}
