// Every card, state and page, in all the ways people read: small and zoomed,
// with large text and wide spacing, in German, and from right to left; with
// reduced motion, in which nothing moves.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { launch, phone } from '../browser.mjs'
import { serve } from '../serve.mjs'
import { named, storybook } from '../stories.mjs'

/** @type {Awaited<ReturnType<typeof serve>>} */ let site
/** @type {import('playwright-core').Browser} */ let browser
/** @type {import('playwright-core').Page} */ let page
/** @type {string[]} */ let all
before(async () => {
  site = await serve()
  browser = await launch()
  // Styles of the test's own need the page's rules out of the way.
  const context = await phone(browser, { viewport: { width: 360, height: 640 }, reducedMotion: 'reduce', bypassCSP: true });
  ({ page, shapes: all } = await storybook(context, site.origin))
  await page.evaluate(inspect)
})
after(async () => {
  await browser.close()
  await site.close()
})

const LARGE = ':root { font-size: 212.5% !important }'
/** WCAG 1.4.12. */
const SPACED = '* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important } p { margin-block-end: 2em !important }'

/** By screen and language; in each, ways that a style and a direction make of the same card. @type {[{ width: number, height: number, lang?: string }, Record<string, { dir?: 'rtl', style?: string }>][]} */
const WAYS = [
  [{ width: 360, height: 640 }, { 'as it is': {}, 'with text of 200 %': { style: LARGE }, 'with wide spacing': { style: SPACED }, 'from right to left': { dir: 'rtl' } }],
  [{ width: 320, height: 256 }, { 'at 400 %, which is 320 px': {} }],
  [{ width: 360, height: 640, lang: 'de' }, { 'in German': {} }],
  [{ width: 320, height: 640, lang: 'de' }, { 'in German, at 320 px with text of 200 %': { style: LARGE } }],
  [{ width: 1280, height: 800, lang: 'de' }, { 'on a wide screen, from right to left, in German': { dir: 'rtl' } }],
]

for (const [{ width, height, lang = 'en' }, ways] of WAYS) {
  test(`nothing is cut, covered or too small, and nothing moves, ${Object.keys(ways).join('; ')}`, { timeout: 400_000 }, async () => {
    await page.setViewportSize({ width, height })
    const wrong = await page.evaluate(async ({ all, lang, ways }) => {
      const { show, problems, moving } = /** @type {any} */ (self)
      const sheet = document.createElement('style')
      document.head.append(sheet)
      /** @type {Record<string, string[]>} */ const wrong = {}
      for (const address of all) {
        await show(`${address}&lang=${lang}`)
        for (const [way, { dir = 'ltr', style = '' }] of Object.entries(ways)) {
          document.documentElement.dir = dir
          sheet.textContent = style
          dispatchEvent(new Event('resize')) // what has to look at its size again does so
          const found = [...problems(), ...moving()]
          if (found.length) wrong[`${address} ${way}`] = found
        }
        document.documentElement.dir = 'ltr'
        sheet.textContent = ''
      }
      sheet.remove()
      return wrong
    }, { all, lang, ways })
    assert.deepEqual(Object.fromEntries(Object.entries(wrong).map(([address, found]) => [named(address.replaceAll(' %', ' per cent')), found])), {})
  })
}

test('the inspection finds what is cut, covered or too small', async () => {
  await page.setViewportSize({ width: 360, height: 640 })
  const found = await page.evaluate(async () => {
    const { show, problems } = /** @type {any} */ (self)
    await show('/dev/cards?card=navigate')
    const bad = (/** @type {string} */ css) => {
      const sheet = document.createElement('style')
      sheet.textContent = css
      document.head.append(sheet)
      const found = problems().length > 0
      sheet.remove()
      return found
    }
    return {
      wide: bad('h1 { min-width: 500px }'), cut: bad('h1 { height: 10px; overflow: hidden }'), covered: bad('.foot { margin-top: -200px; }'), small: bad('.link { min-height: 0 !important; font-size: 6px !important; line-height: 1 !important }'),
      behind: bad('.foot { max-height: 30px; overflow: hidden }'), low: bad('.pair-buttons button { min-height: 30px !important; padding: 0 !important }'), sound: bad(''),
    }
  })
  assert.deepEqual(found, { wide: true, cut: true, covered: true, small: true, behind: true, low: true, sound: false })
})

test('without reduced motion something moves, and is found', async () => {
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  const moving = await page.evaluate(async () => {
    const { show, moving } = /** @type {any} */ (self)
    await show('/dev/cards?card=navigate&state=sending')
    return moving().length
  })
  await page.emulateMedia({ reducedMotion: 'reduce' })
  assert.ok(moving > 0, 'the mark that turns')
})

/** Puts into the page what looks at it. */
function inspect() {
  const SLACK = 1.5
  const name = (/** @type {Element} */ e) => `${e.tagName.toLowerCase()}${e.id && `#${e.id}`}${[...e.classList].map((c) => `.${c}`).join('')} “${(e.textContent ?? '').trim().slice(0, 30)}”`
  const seen = (/** @type {Element} */ e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !e.closest('.unseen, svg, [hidden]')

  const sideways = () => {
    const root = /** @type {Element} */ (document.scrollingElement)
    return root.scrollWidth > innerWidth ? [`the page is ${root.scrollWidth} wide, of ${innerWidth}`] : []
  }
  /** Text, edge by edge: outside the screen, or in a box that hides what is too much. */
  const cut = (/** @type {Element} */ e) => {
    const box = e.getBoundingClientRect()
    const style = getComputedStyle(e)
    /** @type {string[]} */ const found = []
    if (box.width && (box.left < -SLACK || box.right > innerWidth + SLACK)) found.push(`outside the screen: ${name(e)} ${box.left}–${box.right}`)
    if (!e.textContent?.trim()) return found
    const [x, y] = [style.overflowX, style.overflowY].map((o) => o === 'hidden' || o === 'clip')
    if (x && e.scrollWidth > e.clientWidth + SLACK) found.push(`cut at the side: ${name(e)}`)
    if (y && e.scrollHeight > e.clientHeight + SLACK && e.tagName !== 'NOD-CARD') found.push(`cut at the end: ${name(e)}`)
    if (style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none') found.push(`may be cut: ${name(e)}`)
    return found
  }
  /** Text and controls that stand beside each other must not lie over each other. */
  const covered = (/** @type {Element} */ e) => {
    const children = [...e.children].filter((c) => seen(c) && getComputedStyle(c).position === 'static' && c.getClientRects().length === 1)
    return children.flatMap((a, i) => children.slice(i + 1).filter((b) => {
      const [p, q] = [a.getBoundingClientRect(), b.getBoundingClientRect()]
      return p.width && q.width && Math.min(p.right, q.right) - Math.max(p.left, q.left) > SLACK && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > SLACK
    }).map((b) => `${name(a)} lies over ${name(b)}`))
  }
  const small = (/** @type {Element} */ e) => {
    const { width, height } = e.getBoundingClientRect()
    const least = e.matches('.plain, .primary, #bar a, input, textarea, select') ? 44 : 24
    return width < 24 || height < least - 0.5 ? [`too small: ${name(e)} ${width}x${height}`] : []
  }
  /** Whether a finger can come to a control, perhaps after scrolling. */
  const unreachable = (/** @type {HTMLElement} */ e) => {
    if (e.closest('[inert]')) return [] // a sheet lies over it
    if (!e.closest('#bar')) e.scrollIntoView({ block: 'center', inline: 'nearest' }) // the bar is there wherever one is
    const box = e.getBoundingClientRect()
    const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)
    return hit && (e.contains(hit) || hit.contains(e) && hit.closest('label')) ? [] : [`out of reach: ${name(e)}, ${hit && name(hit)} is there`]
  }

  Object.assign(self, {
    moving: () => {
      const slow = (/** @type {Element} */ e) => ['', '::before', '::after'].some((p) => getComputedStyle(e, p || null).transitionDuration.split(',').some((d) => parseFloat(d) > 0))
      return [...[...document.querySelectorAll('body *')].filter(slow).map((e) => `slow: ${name(e)}`), ...document.getAnimations().map(() => 'something moves')]
    },
    problems: () => {
      const top = document.querySelector('nod-card') ?? document.body
      const everything = [...top.querySelectorAll('*')].filter(seen)
      const controls = /** @type {HTMLElement[]} */ (everything.filter((e) => e.matches('button, a[href], input:not([type=radio], [type=checkbox]), select, textarea, summary')))
      const found = [...sideways(), ...everything.flatMap(cut), ...[top, ...everything].flatMap(covered), ...controls.flatMap(small), ...controls.flatMap(unreachable)]
      document.scrollingElement?.scrollTo(0, 0)
      return [...new Set(found)].slice(0, 6)
    },
  })
}
