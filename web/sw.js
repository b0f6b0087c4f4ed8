// The service worker wakes the person when an agent asks, and keeps the app's
// own files, so that nod opens without a network and can say that there is none.
// It answers for those files only; whatever else is asked for passes by.
//
// A page never gets files of two versions. The files of a version are kept
// together, all of them or none. A page gets the newest version there is, and
// until it is closed everything it loads is of the version it began with, also
// when a newer one came meanwhile.

const sw = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self))

/** Which version is the newest whole one ("/newest"), and with which each open page began ("/page/ID"). */
const KNOWN = 'nod-known'
/** @param {string} version */
const filesOf = (version) => `nod-files-${version}`

const PAGE = /^\/(?:pair|resume|phones|log|log\/[^/]+|agents|agents\/[^/]+(?:\/[^/]+)?|settings|shortcuts|card\/[^/]+|launch-failed\/[^/]+)?$/
const FILE = /^\/(?:(?:app|icons)\/[\w./-]+\.\w+|style\.css|manifest\.webmanifest)$/
/** What a file of the app names: files by their whole path, modules by their relative one. */
const NAMED = /["'`(](\/(?:(?:app|icons)\/[\w./-]+\.\w+|style\.css|manifest\.webmanifest))|(?:from|import)\s*\(?\s*'(\.{1,2}\/[\w./-]+\.js)'/g

/** How long a page waits for a newer version when there is an older one. */
const PATIENCE_MS = 3_000
/** How long one file may take. */
const FILE_MS = 30_000
/** A page that is just being loaded is not listed yet: so many of the last ones are kept in any case. */
const LOADING = 8

sw.addEventListener('install', (event) => {
  sw.skipWaiting()
  event.waitUntil(refresh().catch(() => {})) // the next page tries again
})

sw.addEventListener('activate', (event) => event.waitUntil(tidy().then(() => sw.clients.claim())))

sw.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname, search } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin || search !== '') return
  if (request.mode === 'navigate' && PAGE.test(pathname)) event.respondWith(page(event))
  else if (request.mode !== 'navigate' && FILE.test(pathname)) event.respondWith(file(event, pathname))
})

sw.addEventListener('message', (event) => {
  const { kind, version, call, title, options } = event.data
  if (kind === 'show') event.waitUntil(show(title, options).then((shown) => event.ports[0].postMessage({ shown })))
  if (kind === 'seen') event.waitUntil(inTurn(() => takeAway(call)))
  if (kind === 'version') event.waitUntil(claim(/** @type {Client} */ (event.source).id, version))
  if (kind === 'refresh') event.waitUntil(refresh().catch(() => {}).then(() => event.ports[0].postMessage('done')))
})

/**
 * The start page of the newest version; of the one that is kept, where the
 * newest cannot be had, or not soon. With nothing kept, what the network has.
 * @param {FetchEvent} event
 */
async function page(event) {
  const kept = await newest()
  const soon = refresh().catch(() => kept)
  event.waitUntil(soon)
  const version = kept && (await Promise.race([soon, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS, kept))]))
  const response = version && (await caches.match('/', { cacheName: filesOf(version) }))
  if (!response) return fetch(event.request)
  await pin(event.resultingClientId, version)
  return response
}

/** A page that this worker did not begin says which version it is: it keeps getting that one, if it is here. @param {string} id @param {string} version */
async function claim(id, version) {
  if (version === (await newest()) || version === (await refresh().catch(() => ''))) await pin(id, version)
}

/** A file of the version that its page began with. @param {FetchEvent} event @param {string} path */
async function file(event, path) {
  const pinned = await caches.match(`/page/${event.clientId}`, { cacheName: KNOWN })
  const kept = pinned && (await caches.match(path, { cacheName: filesOf(await pinned.text()) }))
  return kept ?? fetch(event.request)
}

/** @returns {Promise<string | undefined>} */
async function newest() {
  return (await caches.match('/newest', { cacheName: KNOWN }))?.text()
}

/** @param {string} id a page's @param {string} version */
async function pin(id, version) {
  if (id) await (await caches.open(KNOWN)).put(`/page/${id}`, new Response(version))
}

/** @type {Promise<string> | null} */
let refreshing = null

/** Makes sure that the version the gateway serves now is here, whole. @returns {Promise<string>} it */
function refresh() {
  refreshing ??= take().finally(() => { refreshing = null })
  return refreshing
}

async function take() {
  const { version, response } = await startPage()
  if (version === (await newest())) return version
  const cache = await caches.open(filesOf(version))
  await keep(cache, '/', response, new Set(['/']))
  if ((await startPage()).version !== version) throw new Error('another version came while this one was loaded')
  await (await caches.open(KNOWN)).put('/newest', new Response(version))
  await tidy()
  return version
}

/** What the gateway serves now. A page that does not say which version it is, is not nod's: a proxy's, or a hotel's. */
async function startPage() {
  const response = await load('/')
  const version = response.ok && /<meta name="nod-version" content="([\w.-]+)">/.exec(await response.clone().text())?.[1]
  if (!version) throw new Error('this is not the start page')
  return { version, response }
}

/** A file as the gateway has it now. @param {string} path */
const load = (path) => fetch(path, { cache: 'no-cache', signal: AbortSignal.timeout(FILE_MS) })

/**
 * Keeps a file, and all that it names.
 * @param {Cache} cache @param {string} path @param {Response} response @param {Set<string>} seen
 */
async function keep(cache, path, response, seen) {
  if (!response.ok) throw new Error(`${path} is not there`)
  const text = /(?:\/|\.html|\.js|\.css|\.webmanifest)$/.test(path) ? await response.clone().text() : ''
  await cache.put(path, response)
  await Promise.all([...text.matchAll(NAMED)].map(async ([, whole, module]) => {
    const next = whole ?? new URL(module, new URL(path, location.origin)).pathname
    if (seen.has(next)) return
    seen.add(next)
    await keep(cache, next, await load(next), seen)
  }))
}

/** Drops the versions that no page uses any more. */
async function tidy() {
  const known = await caches.open(KNOWN)
  const pages = (await known.keys()).filter(({ url }) => new URL(url).pathname.startsWith('/page/'))
  const open = new Set((await sw.clients.matchAll({ includeUncontrolled: true })).map(({ id }) => `/page/${id}`))
  for (const old of pages.slice(0, -LOADING)) if (!open.has(new URL(old.url).pathname)) await known.delete(old)
  const used = new Set([KNOWN])
  for (const key of await known.keys()) used.add(filesOf((await (await known.match(key))?.text()) ?? ''))
  for (const name of await caches.keys()) if (name.startsWith('nod-') && !used.has(name)) await caches.delete(name)
}

// Waking. Each message is shown, always: a browser takes the permission away
// from a worker that gets messages and shows nothing, and "the window has the
// focus" is not true of every window that says so.

/** Said where a message cannot be read: 'push.plain' of the contract, which this file does not load. */
const PLAIN = { en: 'Open nod: something may be waiting.', de: 'Öffne nod: Vielleicht wartet etwas.' }

/**
 * @typedef {{ kind: string, call: string, receipt: string }} Told
 * @typedef {{ title: string, options: NotificationOptions & { renotify?: boolean }, told: Told, badge?: number }} Message badge: the number on the app's icon
 */

sw.addEventListener('push', (event) => event.waitUntil(pushed(read(event))))

/** @param {Message} message */
async function pushed({ title, options, told, badge }) {
  const received = receipt(told.receipt, 'received')
  if (badge !== undefined) sw.navigator.setAppBadge?.(badge).catch(() => {})
  await inTurn(() => sw.registration.showNotification(title, options))
  await received
  await receipt(told.receipt, 'shown')
}

/** How long what is done with notifications may hold up what is done next. */
const TURN_MS = 5_000
/** What is under way with them. @type {Promise<unknown>} */
let turn = Promise.resolve()

/**
 * One after the other: a Chromium that is asked for its notifications while one
 * is being shown forgets that one, and a tap on it does nothing.
 * @template T @param {() => Promise<T>} work @returns {Promise<T>}
 */
function inTurn(work) {
  const done = turn.then(work)
  turn = Promise.race([done.catch(() => {}), new Promise((resolve) => setTimeout(resolve, TURN_MS))])
  return done
}

/** How long a browser may take until it lists what it shows. */
const LISTED_MS = 2_000

/**
 * Shows what the page has, and looks whether it is there: some browsers say that
 * they show one where the phone lets them show none.
 * @param {string} title @param {NotificationOptions} options
 */
function show(title, options) {
  return inTurn(async () => {
    await sw.registration.showNotification(title, options)
    for (const end = performance.now() + LISTED_MS; performance.now() < end; await new Promise((resolve) => setTimeout(resolve, 100))) {
      if ((await sw.registration.getNotifications()).some((n) => n.data?.call === options.data.call)) return true
    }
    return false
  }).catch(() => null)
}

/** Takes the notification of a call away: the person has its card before them. @param {string} call */
async function takeAway(call) {
  for (const n of await sw.registration.getNotifications({ tag: `card-${call}` })) n.close()
}

/**
 * Reads a message: the declarative form with nod's own part beside it. Where
 * Safari has read it already there is no text, and that part is in the data.
 * @param {PushEvent} event @returns {Message}
 */
function read(event) {
  const all = parsed(event)
  const shown = all.notification ?? /** @type {any} */ (event).notification ?? {}
  const own = all.nod ?? shown.data
  const told = { kind: words(own?.kind), call: words(own?.call), receipt: words(own?.receipt) }
  const lang = words(shown.lang) || sw.navigator.language
  const over = told.kind === 'over'
  const tag = words(shown.tag) || (told.call ? `card-${told.call}` : 'nod')
  return {
    title: words(shown.title) || 'nod', told, badge: /^\d{1,2}$/.test(words(shown.app_badge)) ? Number(shown.app_badge) : undefined,
    options: {
      body: words(shown.body) || (words(shown.title) ? '' : PLAIN[lang.startsWith('de') ? 'de' : 'en']),
      lang, dir: shown.dir === 'rtl' || shown.dir === 'ltr' ? shown.dir : 'auto', tag, icon: '/icons/icon-192.png', badge: '/icons/badge-96.png',
      renotify: !over, silent: over || shown.silent === true, requireInteraction: told.kind === 'card', data: told,
    },
  }
}

/** @param {PushEvent} event @returns {any} */
function parsed({ data }) {
  try {
    const value = data?.json()
    return typeof value === 'object' && value ? value : {}
  } catch {
    return {}
  }
}

/** @param {unknown} value */
const words = (value) => (typeof value === 'string' ? value.slice(0, 300) : '')

/** Tells the gateway how far a message came. That it cannot be told is no reason to show less. @param {string} token @param {'received' | 'shown'} what */
async function receipt(token, what) {
  if (!token) return
  await fetch('/push/receipt', {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ token, what }), signal: AbortSignal.timeout(10_000),
  }).catch(() => {})
}

sw.addEventListener('notificationclick', (event) => {
  event.notification.close()
  const { kind, call } = event.notification.data ?? {}
  const path = { card: `/card/${call}`, over: `/log/${call}`, test: '/settings' }[/** @type {'card'} */ (kind)] ?? '/'
  event.waitUntil(bring(path))
})

/** Brings nod to the front, at a path. @param {string} path */
async function bring(path) {
  const windows = /** @type {WindowClient[]} */ (await sw.clients.matchAll({ type: 'window', includeUncontrolled: true }))
  const app = windows.find(({ url }) => PAGE.test(new URL(url).pathname)) // the one last used first; a plain page of nod has no cards
  app?.postMessage({ kind: 'open', path })
  if (!(await app?.focus().catch(() => null))) await sw.clients.openWindow(path)
}

// The browser changed the subscription by itsw. A page has the right to tell
// the gateway, so an open one does it now, and else the next one when it starts.
sw.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil((async () => {
    const options = event.oldSubscription?.options
    if (!event.newSubscription && options) await sw.registration.pushManager.subscribe(options).catch(() => null)
    for (const window of await sw.clients.matchAll({ type: 'window' })) window.postMessage({ kind: 'subscription' })
  })())
})
