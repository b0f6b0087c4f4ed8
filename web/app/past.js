// A call that is over, or still waits, as one row: what it was, how it ended,
// when, who asked and by whose leave.

import { iso } from './card-body.js'
import { el } from './dom.js'
import { line } from './fields.js'
import { localeInUse, t } from './text.js'
import { clock, day } from './words.js'

/** @typedef {import('./api.js').PastCall} PastCall */
/** @typedef {{ now: number, zone: string, me: string }} Seen me: the name of this phone */

/** A moment as the API writes it, in ms or RFC 3339; 0 when there is none. @param {number | string | undefined} at */
export function moment(at) {
  return typeof at === 'string' ? Date.parse(at) : (at ?? 0)
}

/** "Start a route: SFO Airport". @param {PastCall} c @param {Seen} seen */
export function described(c, { now, zone }) {
  try {
    return line(c.action, c.fields ?? {}, { t, locale: localeInUse(), now, zone })
  } catch {
    const key = `card.title.${c.action}` // a refused call may have fields of any shape
    return t(key) === key ? c.action || c.tool : t(key)
  }
}

/** @param {PastCall} c */
export const outcomeOf = (c) => t(`outcome.${c.outcome || 'open'}`)

/** Whether its end deserves a second look. @param {PastCall} c */
export const isTrouble = (c) => c.outcome === 'failed' || c.outcome === 'unknown'

/** By whose leave, as a few words; null where nobody gave any. @param {PastCall} c @param {string} me */
export function leave(c, me) {
  if (c.rule === 'grant') return t('log.leave.grant')
  if (c.rule === 'never') return t('log.leave.never')
  if (c.basis) return t('log.leave.mode')
  if (!c.decided_by) return null
  const kind = c.outcome === 'declined' ? 'declined' : 'confirmed'
  return c.decided_by === me ? t(`log.leave.${kind}`) : t(`log.leave.${kind}_on`, { phone: c.decided_by })
}

/** @param {PastCall} c @param {Seen} seen @param {boolean} [dated] with its day @param {boolean} [full] with who gave leave */
export function pastRow(c, seen, dated = false, full = false) {
  const at = moment(c.at)
  const locale = localeInUse()
  const time = dated ? `${day(at, seen.now, locale, seen.zone)}, ${clock(at, locale, seen.zone)}` : clock(at, locale, seen.zone)
  const values = { outcome: outcomeOf(c), time, name: c.agent_name }
  const by = full ? leave(c, seen.me) : null
  return el('li', null, el('a.item', { href: `/log/${c.id}` }, el('div', null,
    el('p.title', null, iso(described(c, seen))),
    el(isTrouble(c) ? 'p.second.trouble' : 'p.second', null, by ? t('log.row', { ...values, message: by }) : t('home.row', values)))))
}
