// Pairing: paste the link or come by it, name this phone, and, where another
// phone is paired already, wait until that one says yes.

import { el, fill } from '../dom.js'
import { statePage } from './state.js'
import { t } from '../text.js'
import { nameFits, readSecret } from '../pairing.js'

/**
 * @typedef {{ os: string, secret: Uint8Array<ArrayBuffer> | null, paired: boolean, problem: string | null, pair: (secret: Uint8Array<ArrayBuffer>, name: string) => Promise<void> }} Parts
 *   problem: what went wrong the last time, a sentence
 */

/** @param {Parts} parts */
export function pairPage({ os, secret, paired, problem, pair }) {
  const code = /** @type {HTMLInputElement} */ (el('input', { id: 'code', autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', inputmode: 'url' }))
  const name = /** @type {HTMLInputElement} */ (el('input', { id: 'name', autocomplete: 'off', maxlength: '60', value: t(`pair.name_${os}`) }))
  const wrong = el('p.notice', { role: 'alert', hidden: true })
  const button = /** @type {HTMLButtonElement} */ (el('button.primary.wide', { type: 'submit' }, t('pair.do')))
  /** @param {HTMLInputElement | null} input @param {string} text */
  const refuse = (input, text) => {
    fill(wrong, text)
    wrong.hidden = false
    for (const i of [code, name]) i.toggleAttribute('aria-invalid', i === input)
    input?.setAttribute('aria-invalid', 'true')
    input?.focus()
  }
  if (problem) {
    fill(wrong, problem)
    wrong.hidden = false
  }
  /** @param {Event} e */
  const submit = async (e) => {
    e.preventDefault()
    const given = secret ?? readSecret(code.value)
    if (!given) return refuse(code, t('pair.code_bad'))
    const called = name.value.trim()
    if (!nameFits(called)) return refuse(name, t('pair.name_bad'))
    button.disabled = true
    fill(button, t('pair.doing'))
    await pair(given, called)
  }
  return [
    el('h1', { tabindex: '-1' }, t('pair.title')),
    el('p.second', null, t('pair.why')),
    paired && el('p.notice', null, t('pair.replaces')),
    wrong,
    el('form.stack', { novalidate: true, submit },
      !secret && el('div.field', null, el('label', { for: 'code' }, t('pair.code_label')), code, el('p.second', null, t('pair.code_help'))),
      el('div.field', null, el('label', { for: 'name' }, t('pair.name_label')), name),
      button),
  ]
}

/** @param {string} digits @param {string} name */
export function waitingPage(digits, name) {
  return [
    el('div.middle', null,
      el('h1', { tabindex: '-1' }, t('pair.wait_title')),
      el('p.digits', { 'aria-label': [...digits].join(' ') }, `${digits.slice(0, 3)} ${digits.slice(3)}`),
      el('p.second', { role: 'status' }, t('pair.wait_why')),
      el('p', null, el('strong', null, name))),
  ]
}

/** @param {'rejected' | 'expired'} how @param {() => void} again */
export function pairEndPage(how, again) {
  return statePage('none', t(`pair.${how}`), t(`pair.${how}_why`), el('button.plain.wide', { type: 'button', click: again }, t('pair.again')))
}
