// The real app as people use it who do not see it, or do not touch it: axe on
// every page, the keyboard alone, and what a screen reader is given.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, before, test } from 'node:test'

import { launch, phone as context } from '../browser.mjs'
import { House, PhonePage } from './house.mjs'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const LINK = { action: 'open_url', url: 'https://example.com/x', summary: 'The page you asked for.' }
const DESKTOP = { userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36', viewport: { width: 1280, height: 800 }, isMobile: false, hasTouch: false }

/** @type {House} */ let house
/** @type {import('playwright-core').Browser} */ let browser
/** @type {PhonePage} */ let phone

before(async () => {
  house = await House.start()
  browser = await launch()
})
after(async () => {
  await browser?.close()
  await house?.stop()
})

/** What axe finds on a page, in both themes. @param {import('playwright-core').Page} page @param {string} where */
async function axe(page, where) {
  if (!(await page.evaluate(() => 'axe' in self))) await page.addScriptTag({ path: AXE })
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    await page.emulateMedia({ colorScheme })
    await page.locator(`html[data-theme=${colorScheme}]`).waitFor()
    const found = await page.evaluate(async (runOnly) => {
      const { violations } = await /** @type {any} */ (self).axe.run(document, { runOnly, resultTypes: ['violations'] })
      return violations.map((/** @type {any} */ v) => `${v.id}: ${v.nodes.map((/** @type {any} */ n) => `${n.target} ${n.failureSummary}`).join('; ')}`)
    }, colorScheme === 'light' ? WCAG : /** @type {any} */ ({ type: 'rule', values: ['color-contrast', 'link-in-text-block'] }))
    assert.deepEqual(found, [], `${where}, ${colorScheme}`)
  }
}

/** @param {import('playwright-core').Page} page @param {string | RegExp} name */
const heading = (page, name) => page.getByRole('heading', { level: 1, name }).waitFor({ timeout: 30_000 })

/** Where the focus is: what it is called, whether it can be seen, and whether anything lies over it. @param {import('playwright-core').Page} page */
const focus = (page) => page.evaluate(async () => {
  for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame) // what was scrolled to is there
  const e = document.activeElement
  if (!e || e === document.body) return { tag: 'body', name: '', ring: true, clear: true, card: false }
  const box = e.getBoundingClientRect()
  const style = getComputedStyle(e)
  const hit = document.elementFromPoint(box.left + box.width / 2, box.top + Math.min(box.height, innerHeight) / 2)
  return {
    tag: e.tagName, name: (e.getAttribute('aria-label') ?? e.textContent ?? '').trim() || e.id, card: e.closest('nod-card') !== null,
    ring: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2, clear: hit !== null && (e.contains(hit) || hit.contains(e)),
  }
})

/** Tabs until something has the focus; all on the way must be seen. @param {import('playwright-core').Page} page @param {RegExp} name @param {number} [most] */
async function tabTo(page, name, most = 40) {
  for (let i = 0; i < most; i++) {
    await page.keyboard.press('Tab')
    const at = await focus(page)
    assert.ok(at.ring && at.clear, `${at.tag} “${at.name}”: ring ${at.ring}, clear ${at.clear}`)
    if (name.test(at.name)) return
  }
  assert.fail(`the keyboard does not come to ${name}`)
}

test('by keyboard alone: pair, step by step', async () => {
  const { link } = await house.nod('pair', '--no-wait')
  const page = await (await context(browser, { ...DESKTOP, bypassCSP: true })).newPage()
  phone = new PhonePage(page.context(), page)
  await phone.watch()
  await page.goto(house.url)
  await heading(page, 'Paste the code')
  await axe(page, 'the code')
  await tabTo(page, /^code$/)
  await page.keyboard.insertText(link)
  await page.keyboard.press('Enter')
  await heading(page, /as your phone for nod/)
  assert.match((await focus(page)).name, /as your phone for nod/, 'the focus came along')
  await axe(page, 'the name')
  await tabTo(page, /^name$/)
  await page.keyboard.press('Enter')
  await heading(page, 'Let nod reach you on this computer')
  await page.locator('#done').waitFor()
  await axe(page, 'waking')
  await tabTo(page, /^(Done|Not now)$/)
  await page.keyboard.press('Enter')
  await heading(page, 'This phone is ready')
  assert.equal((await focus(page)).name, 'This phone is ready')
  await axe(page, 'home, first day')
})

test('a card by keyboard: the focus stays in it, Escape is no answer, and it comes back afterwards', async () => {
  const { page } = phone
  const { id } = await house.ask(LINK)
  await phone.card('Open a link')
  assert.deepEqual({ ...(await focus(page)), ring: null, clear: null }, { tag: 'H1', name: 'Open a link', card: true, ring: null, clear: null }, 'never on a button')
  await axe(page, 'a card')
  const visited = new Set()
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press(i < 8 ? 'Tab' : 'Shift+Tab')
    const at = await focus(page)
    assert.ok(at.card || at.tag === 'body', `${at.tag} “${at.name}” is behind the card`)
    if (at.card) assert.ok(at.ring, `nobody sees the focus on “${at.name}”`)
    visited.add(at.name)
  }
  for (const name of ['Decline', 'Confirm', 'Pause all agents', 'Decline and say why']) assert.ok(visited.has(name), `${name} is not reached: ${[...visited]}`)
  await page.keyboard.press('Escape')
  assert.equal((await house.http('GET', `/v1/calls/${id}`)).outcome ?? '', '', 'Escape answered')
  assert.equal(await page.locator('nod-card').count(), 1)
  await tabTo(page, /^Decline$/)
  await page.keyboard.press('Enter')
  assert.equal((await house.end(id)).outcome, 'declined')
  await phone.foot('You said no')
  assert.ok((await focus(page)).card, 'the focus is not lost with the button')
  await axe(page, 'a card that is over')
  await page.locator('.foot button:not([data-fresh])').first().waitFor()
  await tabTo(page, /^Close$/)
  await page.keyboard.press('Enter')
  await page.locator('nod-card').waitFor({ state: 'detached' })
  assert.equal((await focus(page)).tag, 'H1')
})

test('confirm, and pause all agents, by keyboard', async () => {
  const { page } = phone
  const first = await house.ask(LINK)
  await phone.card('Open a link')
  await page.locator('nod-card[data-open]').waitFor()
  await tabTo(page, /^Confirm$/)
  await page.keyboard.press('Enter')
  await phone.opens('Opening your browser')
  assert.equal((await house.end(first.id)).outcome, 'opened')
  await phone.unhide()
  await page.locator('.foot button:not([data-fresh])').first().waitFor()
  await tabTo(page, /^Close$/)
  await page.keyboard.press('Enter')

  const { id } = await house.ask({ ...LINK, url: 'https://example.com/y' })
  await phone.card('Open a link')
  await tabTo(page, /^Pause all agents$/)
  await page.keyboard.press('Enter')
  assert.equal((await house.end(id)).outcome, 'denied')
  await phone.foot('Taken back')
  await page.locator('.foot button:not([data-fresh])').first().waitFor()
  await tabTo(page, /^Close$/)
  await page.keyboard.press('Enter')
  await heading(page, 'All agents are paused')
  await axe(page, 'home, paused')
  await tabTo(page, /^Resume agents$/)
  await page.keyboard.press('Enter')
  await heading(page, 'This phone is ready')
})

test('through every page by keyboard, and nothing for axe to find', async () => {
  const { page } = phone
  await axe(page, 'home')
  for (const [bar, title] of [['Log', 'Log'], ['Settings', 'Settings']]) {
    await tabTo(page, new RegExp(`^${bar}$`), 60)
    await page.keyboard.press('Enter')
    await heading(page, title)
    assert.equal((await focus(page)).tag, 'H1')
    await page.waitForFunction(() => !document.querySelector('.skeleton'))
    await axe(page, bar)
    // Round the whole page and out of it again: nothing holds the focus.
    const stops = await page.locator('#shell :is(a, button, input, select, summary)').count()
    let body = false
    for (let i = 0; i < stops + 3 && !body; i++) {
      await page.keyboard.press('Tab')
      const at = await focus(page)
      assert.ok(at.ring && at.clear, `${bar}: ${at.tag} “${at.name}”: ring ${at.ring}, clear ${at.clear}`)
      body = at.tag === 'body'
    }
    assert.ok(body, `${bar}: the focus does not come out of the page`)
  }
  await page.goto(`${house.url}/log`)
  const row = page.locator('#page a[href^="/log/"]').first()
  await row.waitFor()
  await row.focus()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/log/*')
  await page.waitForFunction(() => !document.querySelector('.skeleton'))
  await heading(page, /./)
  await axe(page, 'a request of the log')
  for (const path of ['/phones', '/shortcuts']) {
    await page.goto(house.url + path)
    await heading(page, /./)
    await axe(page, path)
  }
  await page.goto(house.url)
  await heading(page, 'This phone is ready')
})

test('a screen reader is told who asks what, with which words, and the end once', async () => {
  const { page } = phone
  await house.agent('Laptop · Another')
  const { id } = await house.ask(LINK)
  await phone.card('Open a link')
  const cdp = await page.context().newCDPSession(page)
  const { nodes } = await cdp.send('Accessibility.getFullAXTree')
  const seen = nodes.filter((n) => !n.ignored)
  const value = (/** @type {any} */ v) => String(v?.value ?? '')
  const dialog = seen.find((n) => value(n.role) === 'dialog')
  assert.ok(dialog)
  assert.equal(value(dialog.name), 'Open a link')
  const about = value(dialog.description)
  for (const words of ['Laptop · Another', 'asks Computer', 'Address', 'example.com', '/x', 'Opens Your browser']) assert.ok(about.includes(words), `${words} is not in “${about}”`)
  assert.equal(value(dialog.properties?.find((p) => p.name === 'modal')?.value), 'true')
  assert.ok(!seen.some((n) => value(n.role) === 'link' && value(n.name) === 'Log'), 'what is behind the card is not there')
  for (const name of ['Decline', 'Confirm']) assert.ok(seen.some((n) => value(n.role) === 'button' && value(n.name) === name), name)
  assert.ok(value(seen.find((n) => value(n.role) === 'button' && value(n.name) === 'Confirm')?.description).length > 0, 'why Confirm is off')
  assert.ok(!seen.some((n) => value(n.role) === 'graphic' || (value(n.role) === 'image' && !value(n.name))), 'a picture without a name')

  // The time moves every second; nobody is told of it each time.
  const spoken = await page.evaluate(() => {
    const live = (/** @type {Node} */ n) => (n instanceof Element ? n : n.parentElement)?.closest('[role=status], [role=alert], [role=log], [role=timer], [aria-live]:not([aria-live=off])')
    /** @type {string[]} */ const spoken = []
    Object.assign(self, { spoken })
    let last = ''
    new MutationObserver((records) => {
      for (const { target } of records) {
        const region = live(target)
        const text = region?.textContent?.trim() ?? ''
        if (region && text && text !== last) spoken.push(last = text)
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true })
    return live(/** @type {Element} */ (document.querySelector('.time-words'))) === null
  })
  assert.ok(spoken, 'the time left is not in a place that is read out')
  const time = () => page.locator('.time-words').textContent()
  const before = await time()
  await page.waitForFunction((t) => document.querySelector('.time-words')?.textContent !== t, before)
  await page.waitForFunction((t) => document.querySelector('.time-words')?.textContent !== t, await time())
  assert.deepEqual(await page.evaluate(() => /** @type {any} */ (self).spoken), [])
  await page.getByRole('button', { name: 'Decline', exact: true }).click()
  assert.equal((await house.end(id)).outcome, 'declined')
  await phone.foot('You said no')
  const told = await page.evaluate(() => /** @type {any} */ (self).spoken)
  assert.equal(told.filter((/** @type {string} */ s) => s.startsWith('You said no. Nothing was done.')).length, 1, String(told))
  assert.ok(told.length <= 2, String(told))
})
