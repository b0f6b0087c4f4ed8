// nod was restored from a copy, or its log was changed. Nothing can be asked
// until the person has seen that and accepts it.

import { accept } from '../acts.js'
import { el, mark } from '../dom.js'
import { open as openHome } from './home.js'
import { localeInUse, t } from '../text.js'
import { clock, day, dayOfYear } from '../words.js'
import { notices } from './state.js'

/** @typedef {import('../gateway.js').SetBack} SetBack */

/** @param {import('../app.js').Phone} phone @returns {import('../router.js').View} */
export function open(phone) {
  const home = openHome(phone)
  const acts = { accept: () => accept(phone), leave: () => phone.router.go('/') }
  return { draw: () => (phone.link.setBack ? [...notices(phone.state.get()), ...resumePage(phone.link.setBack, Date.now(), acts, phone.state.get().accepting)] : home.draw()) }
}

/**
 * @param {SetBack} back @param {number} now the date
 * @param {{ accept: () => void, leave: () => void }} acts
 * @param {boolean} busy
 */
export function resumePage({ old, now: head, changed, to }, now, acts, busy) {
  const locale = localeInUse()
  const title = changed ? t('resume.changed_title') : t('resume.title', { date: dayOfYear(to, locale) })
  return [
    el('div.middle', null,
      mark(changed ? 'look' : 'back'),
      el('h1', { tabindex: '-1' }, title),
      el('p', null, t(changed ? 'resume.changed_why' : 'resume.why')),
      el('dl.box', null, row('resume.seen', old, now), row('resume.now', { ...head, at: to }, now)),
      el('p.second', null, t('resume.until'))),
    el('div.stack', null,
      el('button.plain.wide', { type: 'button', id: 'accept', disabled: busy, click: acts.accept }, t('resume.do')),
      el('button.plain.wide', { type: 'button', id: 'leave', click: acts.leave }, t('resume.not_now'))),
  ]
}

/** @param {string} label @param {import('../keys.js').Head} head @param {number} now */
function row(label, head, now) {
  const date = `${day(head.at, now, localeInUse())}, ${clock(head.at, localeInUse())}`
  return el('div.row', null, el('dt', null, t(label)), el('dd', null, t('resume.entries', { count: String(head.size), date })))
}
