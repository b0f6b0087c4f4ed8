// A real gateway in a folder of its own, with an agent, and phones in Chromium.
// NOD_BIN names a built nod; without it one is built.

import { execFile, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { phone } from '../browser.mjs'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** @type {Promise<string> | undefined} */ let built

/** The binary, built once a run. */
function binary() {
  if (process.env.NOD_BIN) return Promise.resolve(process.env.NOD_BIN)
  built ??= (async () => {
    const folder = await mkdtemp(join(tmpdir(), 'nod-bin-'))
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
    const bin = join(folder, 'nod')
    await run('go', ['build', '-o', bin, './cmd/nod'], { cwd: ROOT })
    return bin
  })()
  return built
}

/** @type {Promise<string> | undefined} */ let built2

/** The same program with another version of the web app in it. */
export function otherVersion() {
  built2 ??= (async () => {
    const folder = await mkdtemp(join(tmpdir(), 'nod-bin-'))
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
    const [bin, file, overlay] = ['nod', 'marks.svg', 'overlay.json'].map((name) => join(folder, name))
    const marks = join(ROOT, 'web', 'icons', 'marks.svg')
    await writeFile(file, `${await readFile(marks, 'utf8')}<!-- another version -->\n`)
    await writeFile(overlay, JSON.stringify({ Replace: { [marks]: file } }))
    await run('go', ['build', '-overlay', overlay, '-o', bin, './cmd/nod'], { cwd: ROOT })
    return bin
  })()
  return built2
}

/**
 * A port that nobody listens on: none of those that systems give away, which
 * somebody else may have got before the gateway is up, or up again.
 * @returns {Promise<number>}
 */
function freePort() {
  const port = 12_000 + Math.floor(Math.random() * 20_000)
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(freePort()))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(port)))
  })
}

/** A route with two stops, and the one address that carries it out on Android, without its fallback. */
export const ROUTE = { action: 'navigate', destination: { query: 'SFO Airport' }, stops: [{ query: 'Ferry Building' }, { query: 'Dolores Park' }], summary: 'Route with two errands' }
export const ROUTE_URL = 'intent://www.google.com/maps/dir/?api=1&destination=SFO%20Airport&waypoints=Ferry%20Building%7CDolores%20Park&travelmode=driving&dir_action=navigate' +
  '#Intent;scheme=https;package=com.google.android.apps.maps;end'

/** Those that run: a test that fails before it stops its house must not keep the others waiting. @type {Set<House>} */
const houses = new Set()
if (process.env.NODE_TEST_CONTEXT) after(() => Promise.all([...houses].map((house) => house.stop())))

export class House {
  /** @type {import('node:child_process').ChildProcess | undefined} */ process
  log = ''
  token = ''
  /** How many browsers opened a link. */ entered = 0
  /** What serve is started with besides. @type {string[]} */ args = []
  /** The calls that were asked for, each with its agent's token. @type {{ id: string, token: string }[]} */ #asked = []
  /** The agent that asks. */ agentName = ''

  /** Starts a gateway and adds an agent. @param {...string} args what serve is started with besides */
  static async start(...args) {
    const house = new House()
    houses.add(house)
    house.args = args
    house.bin = await binary()
    house.data = await mkdtemp(join(tmpdir(), 'nod-e2e-'))
    house.port = await freePort()
    house.url = `http://localhost:${house.port}`
    await house.up()
    await house.agent('Laptop · Claude Code')
    return house
  }

  /** Asks as a new agent from here on: each may put up ten cards in ten minutes. @param {string} name */
  async agent(name) {
    this.token = (await this.nod('agents', 'add', name)).token
    this.agentName = name
  }

  /** Holds the gateway still, as a network that stalls. */
  freeze() {
    this.process?.kill('SIGSTOP')
  }

  thaw() {
    this.process?.kill('SIGCONT')
  }

  /** Starts the gateway's process, also after a kill. */
  async up() {
    const child = spawn(this.bin, ['serve', '--data', this.data, '--listen', `127.0.0.1:${this.port}`, '--dev', ...this.args], { stdio: ['ignore', 'pipe', 'pipe'] })
    this.process = child
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (d) => { this.log += d })
    let over = false
    child.once('close', () => { over = true }) // after its last words
    for (const end = Date.now() + 60_000; ;) {
      const ready = await fetch(`http://127.0.0.1:${this.port}/readyz`).then((r) => r.ok, () => false)
      if (ready) return
      if (over || Date.now() > end) throw new Error(`the gateway did not start:\n${this.log}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  /** Kills the gateway as a power cut does. */
  async kill() {
    const child = this.process
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const over = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await over
  }

  async stop() {
    houses.delete(this)
    await this.kill()
    await rm(this.data, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }) // something in it may still be written
  }

  /** Runs a command of the console. @param {...string} args @returns {Promise<any>} */
  async nod(...args) {
    const { stdout } = await run(this.bin, [...args, '--data', this.data, '--json'])
    return stdout.trim() ? JSON.parse(stdout) : {}
  }

  /** Runs a command that prints a line of JSON for each thing. @param {...string} args @returns {Promise<any[]>} */
  async lines(...args) {
    const { stdout } = await run(this.bin, [...args, '--data', this.data, '--json'])
    return stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line))
  }

  /** As the agent. @param {string} method @param {string} path @param {unknown} [body] @param {Record<string, string>} [headers] @returns {Promise<any>} */
  async http(method, path, body, headers = {}) {
    const response = await fetch(`${this.url}${path}`, {
      method, headers: { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json', ...headers }, body: body === undefined ? undefined : JSON.stringify(body),
    })
    return { status: response.status, ...(await response.json()) }
  }

  /** Asks for a phone action and does not wait. @param {Record<string, unknown>} args @param {Record<string, string>} [headers] */
  async ask(args, headers) {
    const call = await this.http('POST', '/v1/calls', { tool: 'phone_action', arguments: args, detached: true, wait_seconds: 0 }, headers)
    if (call.id) this.#asked.push({ id: call.id, token: this.token })
    return call
  }

  /** Takes back what was asked for and still waits. */
  async withdraw() {
    for (const { id, token } of this.#asked.splice(0)) await this.http('POST', `/v1/calls/${id}/cancel`, undefined, { Authorization: `Bearer ${token}` })
  }

  /** How a call ended. @param {string} id */
  async end(id) {
    for (;;) {
      const call = await this.http('GET', `/v1/calls/${id}?wait=20`)
      if (call.outcome || call.error) return call
    }
  }

  /** Waits until nod knows that the card was before somebody. @param {string} id */
  async seen(id) {
    while ((await this.http('GET', `/v1/calls/${id}`)).state !== 'shown') await new Promise((resolve) => setTimeout(resolve, 20))
  }

  /** A browser that becomes a phone of this house. @param {import('playwright-core').Browser} browser @param {object} [options] */
  async pair(browser, options) {
    const { link } = await this.nod('pair', '--no-wait')
    return this.enter(browser, link, options)
  }

  /** Opens a pairing link in a browser of its own, and pairs. An iPhone does so from its home screen. @param {import('playwright-core').Browser} browser @param {string} link @param {object} [options] */
  async enter(browser, link, options) {
    const context = await phone(browser, { reducedMotion: 'reduce', ...options }) // what turns while a test waits costs more than the test
    if (/iPhone|iPad/.test(/** @type {any} */ (options)?.userAgent ?? '')) await context.addInitScript(() => Object.defineProperty(navigator, 'standalone', { value: true }))
    const page = await context.newPage()
    const paired = new PhonePage(context, page)
    await paired.watch()
    await page.goto(link)
    // Two phones of a person have two names.
    const called = page.locator('#name')
    if (this.entered++) await called.fill(`${await called.inputValue()} ${this.entered}`)
    await page.getByRole('button', { name: 'Pair' }).tap()
    return paired
  }
}

/** A phone in Chromium, and what it launched. */
export class PhonePage {
  /** The URLs that the page asked the browser to open, in order; an intent's without its fallback. @type {string[]} */ launched = []
  /** The last intent's fallback: what Android opens instead of an app that is not there. */ fallback = ''
  /** Chromium asks whether it may open another app's address where nobody sees it, and takes no touch until it is somewhere else. */
  #covered = false

  /** @type {import('playwright-core').CDPSession | undefined} */ #cdp
  #launches = 0
  /** How many of them an app has come in front for. */ #gone = 0
  /** @type {(() => void)[]} */ #waiting = []

  /** @param {import('playwright-core').BrowserContext} context @param {import('playwright-core').Page} page */
  constructor(context, page) {
    this.context = context
    this.page = page
    /** @type {string[]} */ this.errors = []
    this.#hear()
  }

  #hear() {
    this.page.on('pageerror', (e) => this.errors.push(String(e)))
    this.page.on('console', (m) => m.type() === 'error' && this.errors.push(m.text()))
  }

  /** Watches launches by the protocol: nothing runs in the page, which would fake a tap. */
  async watch() {
    // A launched page is another app's: it is closed, as a person comes back from it.
    this.page.on('popup', (other) => other.close().catch(() => {}))
    const cdp = await this.context.newCDPSession(this.page)
    this.#cdp = cdp
    await cdp.send('Page.enable')
    cdp.on('Page.windowOpen', ({ url }) => this.#launch(url))
    cdp.on('Page.frameRequestedNavigation', ({ url }) => {
      const { origin, pathname, protocol } = new URL(url)
      if (origin === new URL(this.page.url()).origin && !pathname.startsWith('/file/')) return
      this.#covered ||= !/^(https?|mailto):$/.test(protocol)
      this.#launch(url.replace(/S\.browser_fallback_url=([^;]*);/, (_, fallback) => {
        this.fallback = decodeURIComponent(fallback)
        return ''
      }))
    })
  }

  /** Leaves the page for another one of nod's: what was there is unloaded. In a new tab, which nothing covers. @param {string} url */
  async leaveFor(url) {
    await this.page.close()
    this.page = await this.context.newPage()
    this.#covered = false
    this.#hear()
    await this.watch()
    await this.page.goto(url)
  }

  /** Opens nod anew, with nothing in the way; what was launched before is forgotten. @param {string} url */
  async again(url) {
    await this.context.unrouteAll({ behavior: 'ignoreErrors' })
    for (const other of this.context.pages()) if (other !== this.page) await other.close()
    await (this.#covered ? this.leaveFor(url) : this.page.goto(url))
    this.launched.length = this.errors.length = this.#launches = this.#gone = 0
    this.fallback = ''
  }

  /** Puts off what is left of setting up, and waits until it is connected. */
  async ready() {
    const home = this.page.getByRole('heading', { name: 'This phone is ready' })
    const [later, done] = [this.page.locator('#later'), this.page.locator('#done')]
    await home.or(later).or(done).waitFor({ timeout: 30_000 })
    if (await later.count()) await later.click()
    await home.or(done).waitFor({ timeout: 30_000 })
    if (await done.count()) await done.click()
    await home.waitFor({ timeout: 30_000 })
  }

  /** Waits for a card. @param {string} title */
  card(title) {
    return this.page.getByRole('dialog', { name: title }).waitFor({ timeout: 30_000 })
  }

  async confirm() {
    await this.page.locator('nod-card[data-open]').waitFor({ timeout: 30_000 })
    await this.tap('.confirm')
  }

  /** A finger on an element, which does not wait for where the tap leads: another app never answers. @param {string} selector @param {number} [times] */
  async tap(selector, times = 1) {
    const finger = await this.aim(selector)
    await finger()
    for (let i = 1; i < times; i++) {
      const again = finger()
      again.catch(() => {}) // whenever the page is closed
      await Promise.race([again, new Promise((resolve) => setTimeout(resolve, 500))]) // a page that is covered by now never answers a touch
    }
  }

  /** A finger above an element that can be touched; calling what comes back is the touch. @param {string} selector @returns {Promise<() => Promise<void>>} */
  async aim(selector) {
    const node = this.page.locator(selector).and(this.page.locator(':not([data-fresh])')) // one that was just drawn takes no touch yet
    await node.waitFor({ timeout: 30_000 })
    const box = await node.boundingBox()
    if (!box) throw new Error(`${selector} is not on the screen`)
    return () => this.page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2)
  }

  /** Asks for an action, and confirms its card as soon as that can be done. @param {House} house @param {Record<string, unknown>} args @param {string} title @returns {Promise<string>} the call's id */
  async confirmed(house, args, title) {
    const { id } = await house.ask(args)
    await this.card(title)
    await this.confirm()
    return id
  }

  /** A button that takes a touch: not one that was just drawn. @param {string} name */
  button(name) {
    return this.page.getByRole('button', { name, exact: true }).and(this.page.locator(':not([data-fresh])'))
  }

  async decline() {
    await this.page.getByRole('button', { name: 'Decline', exact: true }).tap()
  }

  /** Folds a card that is over, so that the next can come: one that waits takes its place after four seconds all the same. @param {string} [next] words on that one */
  async fold(next) {
    if (this.#covered) return this.leaveFor(new URL('/', this.page.url()).href)
    const close = this.page.getByRole('button', { name: /^(Close|Next request)$/ }).and(this.page.locator(':not([data-fresh])'))
    if (next === undefined) return close.tap()
    await close.or(this.page.locator('nod-card[data-phase=waiting]', { hasText: next })).first().waitFor()
    const [button] = await close.elementHandles()
    const box = await button?.boundingBox()
    if (box) await this.page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2) // presses nothing of one that has only just come up
  }

  /** Waits for the heading in the foot of the card, and for what it says is opening. @param {string | RegExp} text */
  async foot(text) {
    if (typeof text === 'string' && text.startsWith('Opening')) return this.#opening(text, false)
    await this.page.locator('.foot h2', { hasText: text }).waitFor({ timeout: 40_000 })
  }

  /** Waits for words in the foot of the card. @param {string} text */
  says(text) {
    return this.page.locator('.foot .state p', { hasText: text }).waitFor()
  }

  /**
   * Waits until the card says what is opening, and lets that app come in front in
   * the very turn in which the page asked for it: a card waits three seconds for
   * it, and a busy machine may look later. @param {string} text
   */
  async opens(text) {
    await this.#opening(text, true)
    this.#gone = this.#launches
  }

  /** Waits in the page, which misses nothing that is over soon. @param {string} text @param {boolean} away whether the app comes in front */
  async #opening(text, away) {
    await this.page.evaluate(([words, hides]) => new Promise((resolve, reject) => {
      const look = () => {
        const card = /** @type {HTMLElement | null} */ (document.querySelector('nod-card'))
        if (card?.dataset.phase !== 'launched' || !card.querySelector('.foot h2')?.textContent?.includes(words)) return
        clearTimeout(late)
        watch.disconnect()
        if (hides) {
          Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' })
          document.dispatchEvent(new Event('visibilitychange'))
        }
        resolve(undefined)
      }
      const late = setTimeout(() => reject(new Error(`no “${words}”, but “${/** @type {HTMLElement | null} */ (document.querySelector('.foot'))?.innerText}”`)), 40_000)
      const watch = new MutationObserver(look)
      watch.observe(document, { subtree: true, childList: true, attributeFilter: ['data-phase'] })
      look()
    }), /** @type {[string, boolean]} */ ([text, away]))
    await this.#aLaunch()
  }

  /** As when the page goes out of sight. It counts as a tap: after the one under test only. */
  async hide() {
    await this.page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' })
      document.dispatchEvent(new Event('visibilitychange'))
    })
  }

  /** As when the app that was just launched comes in front: not before the page asked for it. */
  async away() {
    await this.#aLaunch()
    this.#gone = this.#launches
    await this.hide()
  }

  /** Waits until something is true in the page, and does not touch it: to Chromium every other look is a tap. @param {string} expression */
  async untouched(expression) {
    for (const end = Date.now() + 30_000; ;) {
      const { result } = /** @type {any} */ (await this.#cdp?.send('Runtime.evaluate', { expression }))
      if (result.value === true) return
      if (Date.now() > end) throw new Error(`not so: ${expression}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  /** Waits until the page asked for one more launch than an app has come in front for. */
  async #aLaunch() {
    while (this.#launches <= this.#gone) {
      await new Promise((resolve, reject) => {
        const late = setTimeout(() => reject(new Error('nothing was launched')), 30_000)
        this.#waiting.push(() => {
          clearTimeout(late)
          resolve(undefined)
        })
      })
    }
  }

  /** @param {string} url */
  #launch(url) {
    this.launched.push(url)
    this.#launches++
    for (const go of this.#waiting.splice(0)) go()
  }

  async unhide() {
    await this.page.evaluate(() => {
      delete (/** @type {any} */ (document).visibilityState)
      document.dispatchEvent(new Event('visibilitychange'))
    })
  }

  async close() {
    await this.context.close()
  }
}
