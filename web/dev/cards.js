// The storybook: /dev/cards lists everything, /dev/cards?card=…&state=… shows
// one card as a person would meet it, ?page=… one page. What the person does is written to the
// page, so that tests can read it without touching the card. Going from one story to another
// by the history loads nothing anew; data-story says which one is drawn.

import { NodCard } from '../app/card.js'
import { el, fill } from '../app/dom.js'
import { useLanguage } from '../app/text.js'
import { ALIKE, CARDS, ON, STATES } from './samples.js'

const EVENTS = ['decide', 'press', 'leave', 'answer', 'again', 'release', 'pause', 'dismiss', 'drawn']

/** @param {string} id */
const node = (id) => /** @type {HTMLElement} */ (document.getElementById(id))
const [page, sheet, nav, quiet] = ['page', 'sheet', 'bar', 'quiet'].map(node)

addEventListener('popstate', story)
await story()

/** Shows what the address asks for. */
async function story() {
  const asked = new URL(location.href).searchParams
  const lang = asked.get('lang')
  document.documentElement.lang = useLanguage(lang ? [lang] : navigator.languages)
  for (const old of [page, sheet, nav]) fill(old)
  fill(quiet, el('div', { role: 'status' }))
  for (const part of [page, nav]) part.inert = false
  const card = asked.get('card')
  const given = asked.get('model')
  if (given) return show(JSON.parse(given), 'waiting')
  if (card) return show(CARDS[card], asked.get('state') ?? 'waiting')
  await pages(asked.get('page'))
  drawn()
}

function drawn() {
  document.documentElement.dataset.story = location.search
}

/** @param {import('../app/card.js').Model} model @param {string} state */
function show(model, state) {
  const card = new NodCard()
  const log = el('output', { id: 'events', hidden: true })
  for (const type of EVENTS) {
    card.addEventListener(type, (e) => {
      log.append(el('span', { 'data-type': type }, JSON.stringify(/** @type {CustomEvent} */ (e).detail ?? null)))
      const status = card.status
      // As the machine would: the first answer takes the card out of waiting.
      if (type === 'decide' && status) card.update({ ...status, phase: /** @type {CustomEvent} */ (e).detail.choice === 'confirm' ? 'confirmed' : 'declining' })
    })
  }
  card.addEventListener('drawn', drawn)
  fill(page, log)
  page.inert = true
  sheet.append(card)
  card.show(model, STATES[state]())
  card.focus()
}

/** Pages are loaded when one is asked for: a card needs none. @param {string | null} name */
async function pages(name) {
  const { bar, PAGES } = await import('./pages.js')
  if (name !== null) {
    fill(page, ...PAGES[name]())
    fill(nav, ...bar(name))
  } else contents(Object.keys(PAGES))
}

/** @param {string[]} names of pages */
function contents(names) {
  /** @param {string} title @param {string[]} names @param {(name: string) => Record<string, string>} query */
  const list = (title, names, query) => [
    el('h1', null, title),
    el('ul.box.sub', null, names.map((n) => el('li', null, el('a', { href: `/dev/cards?${new URLSearchParams({ ...query(n), ...(ALIKE.includes(n) && { alike: '1' }) })}` }, n)))),
  ]
  fill(page,
    ...list('Cards', Object.keys(CARDS), (c) => ({ card: c })),
    ...list('States', Object.keys(STATES), (state) => ({ card: ON[state] ?? 'navigate', state })),
    ...list('Pages', names, (p) => ({ page: p })))
}
