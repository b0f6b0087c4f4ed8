// The service worker keeps the app's own files, so that nod opens without a
// network and can say that there is none. It never answers for the gateway:
// what is not one of the app's files passes by untouched.

const CACHE = 'nod-shell-1'
const PAGES = ['/', '/pair', '/resume', '/phones']

/** @param {string} path */
const isShell = (path) => PAGES.includes(path) || /^\/(app|icons)\/[\w./-]+$/.test(path) || path === '/style.css' || path === '/manifest.webmanifest'

self.addEventListener('install', (event) => {
  self.skipWaiting()
  event.waitUntil(caches.open(CACHE).then((cache) => cache.add('/')))
})

self.addEventListener('activate', (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name !== CACHE) await caches.delete(name)
    await self.clients.claim()
  })())
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== location.origin || url.search !== '' || !isShell(url.pathname)) return
  event.respondWith(shell(request, PAGES.includes(url.pathname) ? '/' : url.pathname))
})

/**
 * The network's answer, kept for later; what was kept where there is no network.
 * @param {Request} request @param {string} key
 */
async function shell(request, key) {
  const cache = await caches.open(CACHE)
  try {
    const response = await fetch(request)
    if (response.ok && response.type === 'basic') await cache.put(key, response.clone())
    return response
  } catch (error) {
    const kept = await cache.match(key)
    if (kept) return kept
    throw error
  }
}
