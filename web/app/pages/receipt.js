// What the check of a receipt found, in one sentence, and for those who want to
// see it, how. One that does not hold is loud.

import { el, mark } from '../dom.js'
import { localeInUse, t } from '../text.js'
import { clock, day } from '../words.js'

/**
 * @typedef {import('../receipt.js').Checked} Checked
 * @typedef {import('../receipt.js').Receipt} Receipt
 * @typedef {{ receipt: Receipt, checked: Checked, phone: string, phoneName: (id: string) => string, now: number, zone: string }} Model phone: the id of this one
 */

/** @param {Model} m @param {{ save: () => void, pauseAll: () => void }} acts */
export function receiptBox(m, acts) {
  const { flaw } = m.checked
  const save = el('button.plain.wide', { type: 'button', id: 'save', click: acts.save }, t('receipt.save'))
  if (!m.receipt.entries.length && !flaw) return el('section.box', null, el('p.empty', null, t('receipt.none')))
  if (flaw) {
    return el('section.badge.alarm', { role: 'alert' }, mark('look'), el('div.stack', null,
      el('h2', null, t('receipt.bad')), el('p', null, t(`receipt.flaw.${flaw}`)), el('p', null, t('receipt.bad_what')),
      save, el('button.plain.wide', { type: 'button', id: 'pause', click: acts.pauseAll }, t('home.pause_all'))))
  }
  return el('section.box', null,
    el('div.item', null, mark('seal'), el('div', null, el('p.title', null, t('receipt.ok')), el('p.second', null, sentence(m)))),
    el('details.proof', null, el('summary', null, t('receipt.show')), el('ul', null, proof(m).map((p) => el('li', null, p)))),
    el('div.pad', null, save))
}

/** Who answered, as far as a signature says. @param {Model} m */
function sentence({ checked: { answer }, phone, phoneName }) {
  if (!answer) return t('receipt.ok_none')
  if (answer.choice === 'standing' && answer.basis === 'spec') return t('receipt.ok_spec')
  return answer.phone === phone ? t(`receipt.ok_${answer.choice}`) : t(`receipt.ok_elsewhere`, { phone: phoneName(answer.phone) })
}

/** @param {Model} m */
function proof({ receipt, checked: { head, steps, answer, status }, now, zone, phoneName, phone }) {
  const at = head?.at ?? 0
  const who = (/** @type {string} */ id) => (id === phone ? t('receipt.this_phone') : phoneName(id))
  return [
    t('receipt.proof.head', { count: String(head?.size), date: `${day(at, now, localeInUse(), zone)}, ${clock(at, localeInUse(), zone)}` }),
    t(steps.length === 1 ? 'receipt.proof.entry' : 'receipt.proof.entries', { count: String(steps.length) }),
    receipt.offer && t('receipt.proof.offer'),
    answer && t('receipt.proof.answer', { phone: who(answer.phone) }),
    status && t('receipt.proof.result'),
    el('span', null, t('receipt.proof.root'), ' ', el('code', { dir: 'ltr' }, head?.root ?? '')),
  ].filter((p) => p !== null && p !== undefined && p !== '')
}

/**
 * Hands the receipt over as a file that anybody can check, with the keys it is checked by.
 * @param {string} call @param {Receipt} receipt @param {string} gateway @param {(phone: string) => string | undefined} key
 */
export function saveReceipt(call, receipt, gateway, key) {
  const ids = [receipt.decision, receipt.result].flatMap((s) => (s ? [JSON.parse(s.body).phone] : []))
  const phones = Object.fromEntries(ids.map((id) => [id, key(id)]))
  const url = URL.createObjectURL(new Blob([JSON.stringify({ call, gateway, phones, receipt }, null, 2)], { type: 'application/json' }))
  el('a', { href: url, download: `nod-${call}.json` }).click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
