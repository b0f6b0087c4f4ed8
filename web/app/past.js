// A call that is over, or still waits, as one row: what it was, how it ended,
// when, who asked and by whose leave.

import { iso } from './card-body.js'
import { el } from './dom.js'
import { line } from './fields.js'
import { has, localeInUse, t } from './text.js'
import { clock } from './words.js'

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

/** How it ended: of a read, whether it was handed over; of what did not work, why where there is a word for it. @param {PastCall} c */
export function outcomeOf(c) {
  if (c.outcome === 'done' && c.kind === 'read') return t(moment(c.released_at) ? 'outcome.read' : 'outcome.read_kept')
  const said = t(`outcome.${c.outcome || 'open'}`)
  const why = `log.failed_why.${c.why}`
  if (c.outcome !== 'failed' || !has(why)) return said
  return left(c) ? t(why) : t('log.failed', { outcome: said, reason: t(why) })
}

/** Whether the person left a picker as it was. @param {PastCall} c */
const left = (c) => c.outcome === 'failed' && c.why === 'not_picked'

/** Whether nod's own rule let it happen without a card. @param {PastCall} c */
const quiet = (c) => c.rule === 'never' || c.basis === 'spec'

/** Whether its end deserves a second look. @param {PastCall} c */
export const isTrouble = (c) => (c.outcome === 'failed' && !left(c)) || c.outcome === 'unknown'

/** By whose leave, as a few words; null where nobody gave any. @param {PastCall} c @param {string} me */
export function leave(c, me) {
  if (c.rule === 'grant') return t('log.leave.grant')
  if (quiet(c)) return t('log.leave.never')
  if (c.basis) return t('log.leave.mode')
  if (!c.decided_by) return null
  const kind = c.outcome === 'declined' ? 'declined' : 'confirmed'
  return c.decided_by === me ? t(`log.leave.${kind}`) : t(`log.leave.${kind}_on`, { phone: c.decided_by })
}

/** A row of today: "opened · 09:12 · by Laptop". @param {PastCall} c @param {Seen} seen */
export function pastRow(c, seen) {
  const time = clock(moment(c.at), localeInUse(), seen.zone)
  const did = `quiet.did.${c.action}`
  if (quiet(c) && c.outcome === 'done' && (c.kind !== 'read' || moment(c.released_at)) && has(did)) {
    return row(c, el('p.title', null, iso(t(did, { agent: c.agent_name }))), words(c, t('home.row_quiet', { reason: t('log.leave.never'), time })))
  }
  return row(c, el('p.title', null, iso(described(c, seen))), words(c, t('home.row', { outcome: outcomeOf(c), time, name: c.agent_name })))
}

/** A row of the diary: what and when, how it ended and by whose leave, who asked. @param {PastCall} c @param {Seen} seen */
export function diaryRow(c, seen) {
  const at = moment(c.at)
  const by = c.outcome === 'declined' && c.decided_by === seen.me ? null : leave(c, seen.me) // "you said no" has said it
  return row(c,
    el('p.title.timed', null, iso(described(c, seen)), el('time', { datetime: new Date(at).toISOString() }, clock(at, localeInUse(), seen.zone))),
    words(c, by ? t('log.row', { outcome: outcomeOf(c), message: by }) : outcomeOf(c)),
    el('p.second', null, iso(c.agent_name)))
}

/** @param {PastCall} c @param {...HTMLElement} lines */
const row = (c, ...lines) => el('li', null, el('a.item', { href: `/log/${c.id}` }, el('div', null, lines)))

/** @param {PastCall} c @param {string} text */
const words = (c, text) => el(isTrouble(c) ? 'p.second.trouble' : 'p.second', null, text)
