// Draws what a card asks: who, what, every field, the warnings, the agent's own
// line and why it asks. Everything comes from the offer's bytes.

import { SUMMARY_SHOWN } from './contract.js'
import { el, mark } from './dom.js'
import { begin, t } from './text.js'
import { pieces, tokenOf } from './visible.js'
import { ago, list } from './words.js'

/** @typedef {import('./rows.js').Row} Row */
/** @typedef {import('./rows.js').Value} Value */

/** @param {string} name @param {string} [phone] @param {number} [others] */
export function who(name, phone, others = 0) {
  return el('div.who', null,
    avatar(name),
    el('div.who-words', null, el('p.who-name', null, iso(name)), phone && el('p.second', null, ...around('card.asks', 'phone', phone))),
    others > 0 && el('p.pill', null, t(others === 1 ? 'card.more_one' : 'card.more', { count: String(others) })))
}

/** The agent's letter on a square; its colour is the name's own. @param {string} name */
export function avatar(name) {
  const last = name.split('·').at(-1)?.trim() || name
  const hue = [...name].reduce((sum, c) => (sum * 31 + /** @type {number} */ (c.codePointAt(0))) % 5, 0)
  return el(`span.avatar.hue-${hue}`, { 'aria-hidden': 'true' }, [...last][0]?.toUpperCase() ?? '')
}

/**
 * Text in an isolate of its own, with hidden characters made visible.
 * @param {string} text @param {string} [tag]
 */
export function iso(text, tag = 'bdi') {
  return el(tag, tag === 'bdi' ? null : { dir: 'auto' }, ...pieces(text).map((p) => ('token' in p ? el('span.token', null, p.token) : p.text)))
}

/**
 * A sentence with one value in it that stands in its own isolate.
 * @param {string} key @param {string} placeholder @param {string} value @param {string} [tag] @param {Record<string, string>} [more] other values
 */
export function around(key, placeholder, value, tag, more) {
  const [before, after = ''] = t(key, { ...more, [placeholder]: '\u0000' }).split('\u0000')
  return [before, iso(value, tag), after]
}

/** @param {Row[]} rows */
export function fieldBox(rows) {
  const under = rows.some(({ value: v }) => longWord(v.is === 'strong' ? [v.text] : v.is === 'many' ? v.texts : []))
  return el('dl.box.fields', null, rows.map(({ label, value }) =>
    el(under || ['body', 'link', 'pairs'].includes(value.is) ? 'div.row.long' : 'div.row', null, el('dt', null, t(label)), drawn(value))))
}

/** What would break badly beside its label stands under it, and then all do. @param {string[]} texts */
const longWord = (texts) => texts.some((text) => text.split(/\s/).some((word) => word.length > 16))

/** @param {Value} v */
function drawn(v) {
  switch (v.is) {
    case 'strong':
      return el('dd', null, el('strong', null, iso(v.text)), v.also && el('span.also', null, v.also))
    case 'many':
      return el('dd', null, v.texts.map((x) => el('p', null, el('strong', null, iso(x)))), v.also && el('span.also', null, v.also))
    case 'people':
      return el('dd', null, v.people.map((p) => el('p.found', null, el('strong', null, iso(p.text)), p.also && p.also.split('\n').map((line) => el('span.also', null, iso(line))))))
    case 'body':
      return el('dd.body', null, ...v.text.replace(/\r\n?/g, '\n').split('\n').map((l) => iso(l, 'p')), hidden(v.text))
    case 'link':
      return el('dd', null, el('bdi.link', { dir: 'ltr' }, el('span.scheme', null, v.parts[0]), el('strong', null, v.parts[1]), v.parts[2]),
        v.letters && el('span.also', null, ...around('card.url.also', 'name', v.letters)))
    case 'pairs':
      return el('dd', null, v.pairs.map(([name, x]) => el('div.pair', null, el('p.second', null, iso(name)), el('p.body', null, ...x.split('\n').map((l) => iso(l, 'span'))), hidden(x))))
    case 'route':
      return el('dd', null, el('ol.route', null, v.stops.map((s) => el('li', null,
        el('strong', null, iso(s.name)), s.more.map((m) => el('span.also', null, iso(m))), el('span.also', null, s.role)))))
  }
}

/** Says that characters were made visible. @param {string} text */
function hidden(text) {
  const count = pieces(text).filter((p) => 'token' in p).length
  return count > 0 && el('p.also', null, t('card.hidden', { count: String(count) }))
}

/** What a read hands over, and to whom: the whole of what it does. @param {string} name the agent's @param {string} what @param {string} [key] */
export function givesBox(name, what, key = 'card.gives.title') {
  return el('section.box.gives', null, mark('give'), el('div', null,
    el('p.second', null, ...around(key, 'agent', name)), el('p', null, el('strong', null, what))))
}

/**
 * The warnings: a heading and one sentence each.
 * @param {string[]} badges
 * @param {{ seconds_ago: number, outcome: string } | undefined} repeat
 * @param {string} locale
 * @param {string[]} [taint] the apps that the agent was given private data of
 */
export function badgeBoxes(badges, repeat, locale, taint = []) {
  return badges.map((badge) => {
    if (badge === 'taint' && taint.length) return badgeBox(t('card.badge.taint_apps.title', { what: dataOf(taint, locale) }), t('card.badge.taint.text'))
    const values = { ago: repeat ? ago(repeat.seconds_ago * 1000, locale) : '', outcome: repeat ? t(`outcome.${repeat.outcome}`) : '' }
    const key = badge === 'repeat' && !repeat ? 'card.badge.repeat_plain' : `card.badge.${badge}`
    return badgeBox(t(`${key}.title`, values), t(`${key}.text`, values))
  })
}

/** @param {string} title @param {string} text */
const badgeBox = (title, text) => el('section.badge', null, mark('look'), el('div', null, el('h2', null, title), el('p', null, text)))

/** @param {string[]} apps @param {string} locale */
export const dataOf = (apps, locale) => list(apps.map((app) => t(`what.${app}`)), locale)

/** What this phone itself has to say of it. @param {import('./uris.js').Warning} warning */
export function warningBox({ key, values: { name } }) {
  return el('section.badge', null, mark('look'), el('div', null, el('h2', null, t(`${key}.title`)), el('p', null, ...around(`${key}.text`, 'name', name))))
}

/** The agent's own line, last and as a quote; what is cut is not carried out. @param {string} summary @param {string} action */
export function quote(summary, action) {
  const whole = [...summary.replace(/[\r\n\t]+/g, ' ')].map((c) => (pieces(c).some((p) => 'token' in p) ? tokenOf(c) : c))
  if (!summary || summary === action) return null
  const cut = whole.length > SUMMARY_SHOWN
  return el('blockquote.quote', null,
    ...around('card.says', 'message', whole.slice(0, SUMMARY_SHOWN).join('')),
    cut && el('span.cut', null, ` ${t('card.cut', { count: String(whole.length - SUMMARY_SHOWN) })}`))
}

/**
 * A row that says which app opens.
 * @param {string} app a key of texts
 * @returns {Row}
 */
export function opensRow(app) {
  return { label: 'card.field.opens', value: { is: 'strong', text: begin(t(app)) } }
}
