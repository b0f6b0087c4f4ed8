// Drawing a page again touches only what differs: it is drawn at every beat, and
// a person may be in the middle of something.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { emptyPage } from './empty.mjs'

const inside = emptyPage()

/** Runs in the page with dom.js. @param {(dom: any) => unknown} work */
const inPage = (work) => inside(`import('/app/dom.js').then(${work})`)

test('what is the same stays: the focus, what was typed, what was unfolded, what is selected', async () => {
  const kept = await inPage(({ el, fill, patch }) => {
    const root = document.createElement('div')
    document.body.append(root)
    const draw = (/** @type {string} */ word) => [
      el('h1', null, word),
      el('section', null, el('input', { id: 'typed' }), el('details', null, el('summary', null, 'more'), 'rest'), el('p', null, word)),
    ]
    fill(root, ...draw('one'))
    const input = /** @type {HTMLInputElement} */ (root.querySelector('input'))
    const details = /** @type {HTMLDetailsElement} */ (root.querySelector('details'))
    input.value = 'half a sen'
    input.focus()
    details.open = true
    patch(root, draw('two'))
    return {
      same: root.querySelector('input') === input && root.querySelector('details') === details, value: input.value, focused: document.activeElement === input,
      open: details.open, text: [root.querySelector('h1')?.textContent, root.querySelector('p')?.textContent],
    }
  })
  assert.deepEqual(kept, { same: true, value: 'half a sen', focused: true, open: true, text: ['two', 'two'] })
})

test('what is more comes, what is less goes, and a button has the listener that was drawn with it', async () => {
  const found = await inPage(({ el, fill, patch }) => {
    const root = document.createElement('div')
    const said = /** @type {string[]} */ ([])
    const draw = (/** @type {string[]} */ words) => [el('ul', null, words.map((w) => el('li', null, el('button', { click: () => said.push(w) }, w))))]
    fill(root, ...draw(['a', 'b', 'c']))
    patch(root, draw(['a', 'x']))
    for (const b of root.querySelectorAll('button')) b.click()
    patch(root, draw(['a', 'x', 'y', 'z']))
    for (const b of root.querySelectorAll('button')) b.click()
    return { said, html: root.textContent }
  })
  assert.deepEqual(found, { said: ['a', 'x', 'a', 'x', 'y', 'z'], html: 'axyz' })
})

test('a button that looks the same does what was drawn last', async () => {
  const said = await inPage(({ el, fill, patch }) => {
    const root = document.createElement('div')
    const said = /** @type {string[]} */ ([])
    const draw = (/** @type {string} */ digits, /** @type {string} */ key) => [el('section', null,
      el('p', null, digits), el('div', null, el('button', { click: () => said.push(key) }, 'Allow')), el('input', { type: 'radio', id: 'r', change: () => said.push(`${key}!`) }))]
    fill(root, ...draw('111 111', 'a'))
    patch(root, draw('222 222', 'b'))
    const press = () => {
      root.querySelector('button')?.click()
      root.querySelector('input')?.dispatchEvent(new Event('change'))
    }
    press()
    patch(root, draw('222 222', 'c'))
    press()
    return said
  })
  assert.deepEqual(said, ['b', 'b!', 'c', 'c!'])
})

test('a choice is made in place: the one that has the focus keeps it', async () => {
  const found = await inPage(({ el, fill, patch }) => {
    const root = document.createElement('div')
    document.body.append(root)
    const draw = (/** @type {string} */ chosen) => ['a', 'b'].map((v) => el('input', { type: 'radio', id: `c-${v}`, name: 'c', value: v, checked: v === chosen }))
    fill(root, ...draw('a'))
    const b = /** @type {HTMLInputElement} */ (root.querySelector('#c-b'))
    b.focus()
    b.click()
    patch(root, draw('b'))
    const chosen = [b.checked, document.activeElement === b]
    patch(root, draw('a')) // it was not kept
    return [...chosen, b.checked, /** @type {HTMLInputElement} */ (root.querySelector('#c-a')).checked]
  })
  assert.deepEqual(found, [true, true, false, true])
})
