// The service worker's shell in a real browser: whole without a network, and
// never of two versions, whenever a new one is put up.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'

import { launch } from '../browser.mjs'

const WEB = new URL('../../', import.meta.url)
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.webmanifest': 'application/manifest+json', '.svg': 'image/svg+xml', '.png': 'image/png' }

/** A small app in which each file says its version, round the real worker and the page's side of it. */
const small = (v) => ({
  '/': `<meta name="nod-version" content="${v}"><link rel="stylesheet" href="/style.css"><script type="module" src="/app/main.js"></script>`,
  '/style.css': 'p { color: red }',
  '/app/main.js': `import { a } from './a.js'
    import { keepShell, loadAgain } from './worker.js'
    const meta = document.querySelector('meta').content
    self.versions = () => [meta, '${v}', a].join()
    self.more = () => import('./deep/b.js').then(({ b }) => b)
    self.again = loadAgain
    keepShell()`,
  '/app/a.js': `export const a = '${v}'`,
  '/app/deep/b.js': `export { a as b } from '../a.js'`,
})
const REAL = ['/sw.js', '/app/worker.js', '/app/contract.js', '/app/spec.js']

/** @type {import('playwright-core').Browser} */ let browser
/** @type {import('playwright-core').BrowserContext} */ let context
/** @type {import('node:http').Server} */ let server
let origin = ''
/** What the server answers: a path to its text, to a number for a status, or to nothing. */ let answer
/** @type {string[]} */ let asked
/** How long the worker waits for a newer version, in ms. */ let patience

before(async () => { browser = await launch() })
after(() => browser?.close())
beforeEach(async () => {
  patience = 30_000
  put('v1')
  server = createServer(async ({ method, url }, response) => {
    asked.push(`${method} ${url}`)
    const path = url.split('?')[0]
    const body = REAL.includes(path) ? await real(path) : await answer(path)
    if (typeof body === 'number' || body === undefined) return response.writeHead(body ?? 404).end()
    response.writeHead(200, { 'Content-Type': TYPES[extname(path)] ?? 'text/html', 'Cache-Control': 'no-cache' }).end(body)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://localhost:${server.address().port}`
  context = await browser.newContext()
})
afterEach(async () => {
  await context.close()
  server.closeAllConnections()
  server.close()
})

/** A file of the real app. The worker waits three seconds for a newer version: to find it whole in them is no matter of a busy machine, but where that is what is tested. */
async function real(path) {
  const text = await readFile(new URL(`.${path}`, WEB), 'utf8')
  if (path !== '/sw.js') return text
  assert.match(text, PATIENCE)
  return text.replace(PATIENCE, `PATIENCE_MS = ${patience}\n`)
}
const PATIENCE = /PATIENCE_MS = 3_000\n/

/** Puts a version up. @param {string} v @param {(path: string) => any} [change] what else is answered, for some paths */
function put(v, change = () => undefined) {
  asked = []
  answer = (path) => change(path) ?? small(v)[PAGES.test(path) ? '/' : path]
}
const PAGES = /^\/(card\/.*|log|settings|pair)?$/

async function open(path = '/') {
  const page = await context.newPage()
  await page.goto(origin + path)
  await page.waitForFunction(() => self.versions)
  return page
}

/** The first page, with the worker at work and everything kept. */
async function first() {
  const page = await open()
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready
    if (!navigator.serviceWorker.controller) await new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true }))
  })
  await kept(page)
  return page
}

/** Until the worker has a version, whole. */
const kept = (page) => page.evaluate(async () => {
  while (!(await (await caches.open('nod-known')).match('/newest'))) await new Promise((resolve) => setTimeout(resolve, 20))
})

const versions = (page) => page.evaluate(() => self.versions())
const more = (page) => page.evaluate(() => self.more())
const down = () => { answer = () => 503 }

/** Ends the worker, as a browser does after half a minute. */
async function stopWorker(page) {
  const cdp = await context.newCDPSession(page)
  await cdp.send('ServiceWorker.enable')
  await cdp.send('ServiceWorker.stopAllWorkers')
}

test('without a network every page of the app opens, and what it loads later', async () => {
  await first()
  down()
  for (const path of ['/', '/card/call_a', '/log', '/settings', '/pair']) {
    const page = await open(path)
    assert.equal(await versions(page), 'v1,v1,v1', path)
    assert.equal(new URL(page.url()).pathname, path)
    assert.equal(await more(page), 'v1', path)
  }
})

test('a new version is taken at the next load, whole; a page that is open stays with its own', async () => {
  const old = await first()
  const second = await open()
  put('v2')
  const next = await open()
  assert.equal(await versions(next), 'v2,v2,v2')
  await stopWorker(next)
  assert.equal(await more(second), 'v1', 'a page that the worker loaded')
  assert.equal(await more(old), 'v1', 'a page that was there before the worker')
  assert.equal(await more(next), 'v2')
  await old.close()
  await second.close()
  await next.reload()
  assert.equal(await versions(next), 'v2,v2,v2')
})

test('an older version that is put up again is taken as well', async () => {
  await first()
  for (const v of ['v2', 'v1', 'v3']) {
    put(v)
    assert.equal(await versions(await open()), `${v},${v},${v}`)
  }
})

test('a version that comes in the middle of a load, a file that is missing, a file that never comes: the old one, whole', async () => {
  patience = 3_000
  await first()
  const half = () => { // two files of v2, then v3
    let given = 0
    return (path) => (REAL.includes(path) ? undefined : small(++given > 2 ? 'v3' : 'v2')[path])
  }
  for (const [what, change, allowed] of [
    ['in the middle', half(), ['v1,v1,v1', 'v3,v3,v3']],
    ['missing', (path) => (path === '/app/a.js' ? 404 : undefined), ['v1,v1,v1']],
    ['never', (path) => (path === '/app/a.js' ? new Promise(() => {}) : undefined), ['v1,v1,v1']],
  ]) {
    put('v2', change)
    const page = await open()
    assert.ok(allowed.includes(await versions(page)), `${what}: ${await versions(page)}`)
    assert.equal(await more(page), (await versions(page)).slice(0, 2), what)
    await page.close()
  }
})

test('a hotel’s page or a proxy’s error is not nod', async () => {
  await first()
  for (const said of [() => '<h1>Accept our terms</h1>', () => 502]) {
    answer = said
    assert.equal(await versions(await open()), 'v1,v1,v1')
  }
})

test('nothing is kept and a file never comes: the page is not held back for it', async () => {
  const page = await first()
  await page.evaluate(async () => {
    for (const name of await caches.keys()) await caches.delete(name)
  })
  await stopWorker(page)
  put('v2', (path) => (path === '/manifest.webmanifest' ? new Promise(() => {}) : undefined))
  const list = small('v2')['/'].replace('<link', '<link rel="manifest" href="/manifest.webmanifest"><link')
  const plain = answer
  answer = (path) => (path === '/' ? list : plain(path))
  assert.equal(await versions(await open()), 'v2,v2,v2')
})

test('to load again is to get what the gateway serves now', async () => {
  const page = await first()
  put('v2')
  await page.evaluate(() => self.again())
  await page.waitForFunction(() => self.versions?.() === 'v2,v2,v2')
})

test('what is not a file of the app passes by', async () => {
  await first()
  const page = await open()
  answer = (path) => small('v1')[path] ?? 'plain'
  asked = []
  /** @type {Record<string, boolean>} */ const byWorker = {}
  page.on('response', (r) => { byWorker[`${r.request().method()} ${new URL(r.url()).pathname}${new URL(r.url()).search}`] = r.fromServiceWorker() })
  const paths = ['/phone/home', '/v1/calls', '/mcp', '/healthz', '/file/x/e.ics', '/app/a.js?x', '/sw.js', '/spec/tools.json', '/', '/cb/x/ok']
  await page.evaluate(async (all) => {
    for (const path of all) await fetch(path).catch(() => {})
    await fetch('/app/a.js', { method: 'POST' }).catch(() => {})
    await fetch('/app/a.js')
  }, paths)
  for (const path of paths) {
    assert.equal(byWorker[`GET ${path}`], false, path)
    assert.ok(asked.includes(`GET ${path}`), path)
  }
  assert.equal(byWorker['POST /app/a.js'], false)
  assert.equal(byWorker['GET /app/a.js'], true)
  for (const path of ['/cb/token/ok', '/errors', '/tested']) {
    assert.equal((await page.goto(origin + path)).fromServiceWorker(), false, path)
  }
})

test('every file of the real app is kept, and nothing else', async () => {
  answer = async (path) => {
    const file = PAGES.test(path) ? '/index.html' : path
    const body = await readFile(new URL(`.${file}`, WEB)).catch(() => undefined)
    return file === '/index.html' ? String(body).replace('name="nod-version" content=""', 'name="nod-version" content="real"') : body
  }
  const page = await context.newPage()
  await page.goto(origin)
  await kept(page)
  const all = await page.evaluate(async () => (await (await caches.open('nod-files-real')).keys()).map(({ url }) => new URL(url).pathname))
  const app = readdirSync(new URL('app/', WEB), { recursive: true }).map(String).filter((f) => f.includes('.')).map((f) => `/app/${f}`)
  assert.deepEqual(app.filter((f) => !all.includes(f)), [])
  for (const f of ['/', '/style.css', '/manifest.webmanifest', '/icons/marks.svg', '/icons/icon-192.png']) assert.ok(all.includes(f), f)
  assert.deepEqual(all.filter((f) => f !== '/' && !app.includes(f) && !/^\/(icons\/|style|manifest)/.test(f)), [])
})
