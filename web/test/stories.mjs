// The storybook in one page: from story to story without loading it again, so
// that a test can look at all of them in many ways.

/** Opens the storybook; shapes: without the stories that look like another. @param {import('playwright-core').BrowserContext} context @param {string} origin */
export async function storybook(context, origin) {
  const page = await context.newPage()
  await page.goto(`${origin}/dev/cards`)
  await page.locator('html[data-story]').waitFor()
  const all = /** @type {string[]} */ (await page.locator('#page a').evaluateAll((as) => as.map((a) => a.getAttribute('href'))))
  await page.evaluate(() => {
    Object.assign(self, {
      /** Shows a story and waits until it is drawn. @param {string} address */
      show: async (address) => {
        history.pushState(null, '', address)
        dispatchEvent(new PopStateEvent('popstate'))
        while (document.documentElement.dataset.story !== location.search) await new Promise(requestAnimationFrame)
      },
    })
  })
  return { page, all, shapes: all.filter((a) => !a.includes('alike=')) }
}

/** A story's name. @param {string} address */
export const named = (address) => decodeURIComponent(address.replace(/\+/g, ' ').split('?')[1] ?? '')
