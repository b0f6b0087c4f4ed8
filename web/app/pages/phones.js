// Another phone asks to join: its name, its kind, and six digits to compare.

import { allow, lookForPhones, reject } from '../acts.js'
import { iso } from '../card-body.js'
import { el } from '../dom.js'
import { t } from '../text.js'
import { digits } from './digits.js'
import { notices } from './state.js'

/** @typedef {import('../api.js').Waiting} Waiting */

/** @param {import('../app.js').Phone} phone @returns {import('../router.js').View} */
export function open(phone) {
  lookForPhones(phone)
  const acts = { allow: (/** @type {Waiting} */ w) => allow(phone, w), reject: (/** @type {Waiting} */ w) => reject(phone, w), back: () => phone.router.go('/') }
  return {
    title: t('phones.title'),
    draw: () => phonesPage(phone.state.get().waiting, phone.state.get(), acts),
  }
}

/**
 * @param {Waiting[] | null} waiting null while it is not known
 * @param {{ problem: string | null, said: string | null }} known what became of the last one
 * @param {{ allow: (w: Waiting) => void, reject: (w: Waiting) => void, back: () => void }} acts
 */
export function phonesPage(waiting, known, acts) {
  const none = waiting?.length === 0
  return [
    el('h1', { tabindex: '-1' }, t(none ? 'phones.none' : 'phones.title')),
    ...notices(known),
    el('p.second', null, t(none ? 'phones.none_why' : 'phones.why')),
    (waiting ?? []).map((w) => el('section.stack', { 'aria-label': w.name },
      el('dl.box', null,
        row('phones.name', el('strong', null, iso(w.name))),
        row('phones.host', el('span', null, t(`phones.host.${w.host}`))),
        row('phones.digits', digits(w.digits))),
      el('div.pair-buttons', null,
        el('button.plain', { type: 'button', id: `reject-${w.id}`, click: () => acts.reject(w) }, t('phones.reject')),
        el('button.plain', { type: 'button', id: `allow-${w.id}`, click: () => acts.allow(w) }, t('phones.allow'))))),
    el('div.grow'),
    el('button.plain.wide', { type: 'button', id: 'back', click: acts.back }, t('phones.back')),
  ]
}

/** @param {string} label @param {HTMLElement} value */
const row = (label, value) => el('div.row', null, el('dt', null, t(label)), el('dd', null, value))
