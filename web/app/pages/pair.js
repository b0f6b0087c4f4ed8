// The pages of pairing, one thing to do on each: the home screen on an iPhone,
// the code, the name, the digits, and each way it can end.

import { drawing } from '../drawings.js'
import { el, fill, mark } from '../dom.js'
import { stepOf } from '../install.js'
import { readPasted } from '../paircode.js'
import { nameFits } from '../pairing.js'
import { t } from '../text.js'
import { digits } from './digits.js'

/**
 * @typedef {'android' | 'ios' | 'desktop'} Os
 * @typedef {import('../dom.js').Child} Child
 * @typedef {{ how: 'rejected' | 'expired' | 'used' | 'no_proof' | 'offline' | 'busy' | 'failed', server?: string, reason?: string }} Problem
 */

/** Where one stands: words, and a bar for who would rather look. @param {Os} os @param {'pair' | 'install' | 'wake'} step */
export function steps(os, step) {
  const { at, of } = stepOf(os, step)
  return el('p.steps', null,
    el('span', { id: 'step' }, t('pair.step', { step: String(at), count: String(of) })),
    el('span.steps-bar', { 'aria-hidden': 'true' }, Array.from({ length: of }, (_, i) => el(i < at ? 'span.is-past' : 'span'))))
}

/** What it is about; where the focus goes there, the step is read out too. @param {string} title @param {...(Child | Child[])} why */
export const head = (title, ...why) => [el('h1', { tabindex: '-1', 'aria-describedby': 'step' }, title), why.flat().filter(Boolean).map((w) => el('p.second', null, w))].flat()

/** A list of things to do, each with its sign. @param {[sign: string, ...what: Child[]][]} list */
export const todo = (list) => el('ol.box.todo', null, list.map(([sign, ...what]) => el('li', null, mark(sign), el('div', null, ...what))))

/** @param {string} key @param {(e: Event) => void} click @param {string} [kind] @param {string} [id] */
export const button = (key, click, kind = 'plain', id) => el(`button.${kind}.wide`, { type: 'button', id, click }, t(key))

/** In a tab on an iPhone: nothing is paired here, the code goes to the home screen. @param {string | null} code */
export function homeScreenPage(code) {
  return [
    steps('ios', 'install'), drawing('share'), ...head(t('pair.ios_title'), t('pair.ios_why')),
    todo([
      ...(code ? [/** @type {[string, ...Child[]]} */ (['copy', ...copier('pair.copy', code)])] : []),
      ['share', t('pair.ios_share')], ['plus', t('pair.ios_add')], ['sign', t(code ? 'pair.ios_open' : 'pair.ios_open_plain')],
    ]),
  ]
}

/** In a window inside another app. @param {string | null} code */
export function insidePage(code) {
  const link = `${location.origin}/pair${code ? `#${code}` : ''}`
  return [
    el('div.middle', null, mark('windows'), el('h1', { tabindex: '-1' }, t('pair.inside_title')), el('p.second', null, t('pair.inside_why')), el('p', null, t('pair.inside_do'))),
    el('div.stack', null, ...copier('pair.copy_link', link)),
  ]
}

/** A button that copies, and says so; what cannot be copied is shown instead. @param {string} key @param {string} text */
function copier(key, text) {
  const said = el('p.second', { role: 'status' })
  const shown = /** @type {HTMLInputElement} */ (el('input', { readonly: true, hidden: true, value: text, 'aria-label': t(key), dir: 'ltr' }))
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      fill(said, t('pair.copied'))
    } catch {
      shown.hidden = false
      shown.select()
      fill(said, t('pair.copy_failed'))
    }
  }
  return [button(key, copy, 'primary', 'copy'), shown, said]
}

/** @type {Record<Os, string>} */
const CODE_WHY = { android: 'pair.code_help', ios: 'pair.code_why_ios', desktop: 'pair.code_why_desktop' }

/** One field for the code. @param {Os} os @param {(code: string) => void} next @param {string} [server] */
export function codePage(os, next, server = location.host) {
  const input = /** @type {HTMLInputElement} */ (el('input', {
    id: 'code', autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', inputmode: 'url', 'aria-describedby': 'code-wrong', dir: 'ltr',
  }))
  const wrong = alert('code-wrong')
  const read = () => {
    const pasted = readPasted(input.value, location.origin)
    if ('code' in pasted) return next(pasted.code)
    wrong.say(pasted.wrong === 'other' ? t('pair.other', { server: pasted.server, here: server }) : t('pair.code_bad'), input)
  }
  const paste = async () => {
    try {
      input.value = await navigator.clipboard.readText()
    } catch {
      return wrong.say(t('pair.paste_failed'), input)
    }
    read()
  }
  /** @param {Event} e */
  const submit = (e) => {
    e.preventDefault()
    read()
  }
  return [
    steps(os, 'pair'), drawing('paste'), ...head(t('pair.code_title'), t(CODE_WHY[os])), wrong.node,
    el('form.stack', { novalidate: true, submit },
      el('div.field', null, el('label', { for: 'code' }, t('pair.code_label')), input),
      el('div.pair-buttons', null,
        'readText' in (navigator.clipboard ?? {}) && el('button.plain', { type: 'button', id: 'paste', click: paste }, t('pair.paste')),
        el('button.primary', { type: 'submit' }, t('pair.next')))),
    el('p.second', null, t('pair.before', { server })),
  ]
}

/**
 * What this phone is to be called; the tap pairs it.
 * @param {{ os: Os, name: string, notice: string | null, paired: string | null, pair: (name: string) => Promise<void>, keep: () => void, server?: string }} parts
 *   paired: its name, where it is paired already
 */
export function namePage({ os, name, notice, paired, pair, keep, server = location.host }) {
  const desktop = os === 'desktop'
  const input = /** @type {HTMLInputElement} */ (el('input', { id: 'name', autocomplete: 'off', maxlength: '60', value: name, 'aria-describedby': 'name-wrong' }))
  const wrong = alert('name-wrong', notice)
  const go = /** @type {HTMLButtonElement} */ (el('button.primary.wide', { type: 'submit' }, t('pair.do')))
  /** @param {Event} e */
  const submit = async (e) => {
    e.preventDefault()
    const called = input.value.trim()
    if (!nameFits(called)) return wrong.say(t('pair.name_bad'), input)
    go.disabled = true
    fill(go, t('pair.doing'))
    await pair(called)
  }
  return [
    steps(os, 'pair'), drawing(desktop ? 'desktop' : 'pair'), ...head(t(desktop ? 'pair.title_desktop' : 'pair.title'), t(desktop ? 'pair.why_desktop' : 'pair.why')),
    paired !== null && el('p.notice', null, t('pair.replaces', { name: paired })), wrong.node,
    el('form.stack', { novalidate: true, submit }, el('div.field', null, el('label', { for: 'name' }, t(desktop ? 'pair.name_label_desktop' : 'pair.name_label')), input), go),
    paired !== null && button('pair.keep', keep, 'plain', 'keep'),
    el('p.second', null, t(os === 'ios' ? 'pair.with' : 'pair.with_private', { server })),
  ]
}

/** A sentence that is read aloud when it appears. @param {string} id @param {string | null} [text] */
function alert(id, text = null) {
  const node = el('p.notice', { id, role: 'alert', hidden: text === null }, text)
  return {
    node,
    /** @param {string} words @param {HTMLInputElement} input what they are about */
    say(words, input) {
      fill(node, words)
      node.hidden = false
      input.setAttribute('aria-invalid', 'true')
      input.focus()
    },
  }
}

/** @param {{ digits: string, name: string, os: Os, paired: boolean, leave: () => void }} parts paired: it can be left as it is */
export function waitingPage({ digits: six, name, os, paired, leave }) {
  return [
    steps(os, 'pair'), drawing('digits'), ...head(t('pair.wait_title')),
    el('p', null, digits(six)),
    el('p', { role: 'status' }, t('pair.wait_why', { name })),
    el('p.second', null, t('pair.wait_lost')),
    el('div.grow'),
    button(paired ? 'pair.keep' : 'pair.again', leave, 'plain', 'leave'),
  ]
}

/** Each way it can end: a mark, what is the matter, and what can be done. @type {Record<Problem['how'], [mark: string, title: string, why: string]>} */
const ENDS = {
  rejected: ['none', 'pair.rejected', 'pair.rejected_why'], expired: ['none', 'pair.expired', 'pair.expired_why'], used: ['none', 'pair.used', 'pair.used_why'],
  no_proof: ['look', 'pair.no_proof', 'pair.no_proof_why'], offline: ['link-off', 'pair.offline', 'pair.offline_why'], busy: ['none', 'pair.busy', 'pair.busy_why'],
  failed: ['failed', 'pair.failed', 'state.broken_why'],
}

/** @param {Problem} problem @param {Os} os @param {boolean} retry whether the same link may be tried again @param {() => void} again */
export function endPage({ how, server = '', reason = '' }, os, retry, again) {
  const [drawn, title, why] = ENDS[how]
  return [
    steps(os, 'pair'),
    el('div.middle', { role: 'alert' }, mark(drawn), ...head(t(title, { server }), t(why, { reason }))),
    button(retry ? 'pair.retry' : 'pair.again', again, retry ? 'primary' : 'plain', 'again'),
  ]
}
