// The storybook: /dev/cards lists everything, /dev/cards?card=…&state=… shows
// one card as a person would meet it. What the person does is written to the
// page, so that tests can read it without touching the card.

import { NodCard } from '../app/card.js'
import { el, fill } from '../app/dom.js'
import { useLanguage } from '../app/text.js'
import { CARDS, STATES } from './samples.js'

const EVENTS = ['decide', 'press', 'answer', 'again', 'pause', 'dismiss', 'drawn']

const asked = new URL(location.href).searchParams
document.documentElement.lang = useLanguage([asked.get('lang') ?? 'en'])
const page = /** @type {HTMLElement} */ (document.getElementById('page'))
const sheet = /** @type {HTMLElement} */ (document.getElementById('sheet'))
const name = asked.get('card')
if (name) show(CARDS[name], asked.get('state') ?? 'waiting')
else contents()

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
  fill(page, log)
  page.inert = true
  sheet.append(card)
  card.show(model, STATES[state]())
  card.focus()
}

function contents() {
  const link = (/** @type {string} */ card, /** @type {string} */ state, /** @type {string} */ text) =>
    el('li', null, el('a', { href: `/dev/cards?${new URLSearchParams({ card, state })}` }, text))
  fill(page,
    el('h1', null, 'Cards'), el('ul.box.sub', null, Object.keys(CARDS).map((c) => link(c, 'waiting', c))),
    el('h1', null, 'States'), el('ul.box.sub', null, Object.keys(STATES).map((s) => link('navigate', s, s))))
}
