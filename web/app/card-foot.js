// The foot of a card, always in reach of a thumb: while it waits, the time left
// and two answers; afterwards what is happening and how it ended.

import { ACTIONS } from './contract.js'
import { spec } from './spec.js'
import { el, fill, mark } from './dom.js'
import { around, iso } from './card-body.js'
import { holdToConfirm } from './hold.js'
import { english, has, t, told } from './text.js'

/** @typedef {import('./card.js').Model} Model */
/** @typedef {import('./card.js').Status} Status */
/**
 * @typedef {{
 *   decide: (choice: 'confirm' | 'decline', reason?: string) => void,
 *   say: (type: string, detail?: unknown) => void, open: () => boolean, more: () => void,
 * }} Acts open: whether Confirm may be pressed now; more: scrolls on, where the rest was not read yet
 */

/** @param {HTMLElement} foot @param {Model} m @param {Status} s @param {Acts} acts */
export function drawFoot(foot, m, s, acts) {
  fill(foot, ...FEET[s.phase](m, s, acts))
}

/** @type {Record<Status['phase'], (m: Model, s: Status, acts: Acts) => (HTMLElement | null)[]>} */
const FEET = {
  waiting: asked,
  kept: asked,
  declining: () => [busy('card.sending', 'card.sending_no')],
  confirmed: () => [busy('card.sending', 'card.sending_yes')],
  arming: (m) => [here(m) ? doing(m, false) : busy('card.opening', '', m)],
  launched: (m) => [busy('card.opening', '', m)],
  acting: (m) => [doing(m)],
  away: () => [busy('card.away', 'card.away_why')],
  button: (m, _s, acts) => [
    el('p.foot-words', null, el('span.time-words', { 'data-text': 'card.button_time' }), el('span', null, t(here(m) ? 'card.press_why' : 'card.button_why'))),
    ...pressed(m, acts),
  ],
  asking: (m, _s, acts) => [
    el('div.state', null, mark('question'), el('div', null,
      el('h2', null, m.way === 'run' ? t('card.did_run') : t('card.did_open', { app: appOf(m) })), el('p', null, t(m.way === 'run' ? 'card.did_run_why' : 'card.did_open_why')))),
    pair(
      el('button.plain', { type: 'button', click: () => acts.say('answer', { yes: false }) }, t('card.no')),
      el('button.plain', { type: 'button', click: () => acts.say('answer', { yes: true }) }, t('card.yes'))),
  ],
  ended: over,
  closed: over,
}

/** Whether this page does it itself. @param {Pick<Model, 'way'>} m */
const here = ({ way }) => way === 'act' || way === 'tap'

/** What the contract says of a tool of its own. @param {Pick<Model, 'tool'>} m @returns {{ kind: string, app: string, permission: string } | undefined} */
const toolOf = ({ tool }) => (tool === 'phone_action' ? undefined : /** @type {any} */ (spec.tools)[tool])

/** Whether it gives something out and does nothing else. @param {Pick<Model, 'tool'>} m */
const reads = (m) => toolOf(m)?.kind === 'read'

/** The one button that the browser wants pressed, and a way out that is told at once. @param {Model} m @param {Acts} acts */
function pressed(m, acts) {
  const press = (/** @type {Event} */ e) => e.isTrusted && acts.say('press')
  if (!here(m)) return [el('button.primary.wide', { type: 'button', click: press }, t('card.open_app', { app: appOf(m) }))]
  return [pair(
    el('button.plain', { type: 'button', click: () => acts.say('leave') }, t('card.not_now')),
    el('button.primary', { type: 'button', click: press }, t(`card.press.${m.action}`)))]
}

/** What this page is at, and below it what is pressed for it to begin. @param {Model} m @param {Status} s @param {Acts} acts */
export const pressFoot = (m, s, acts) => FEET[s.phase](m, s, acts)

/** What this page is at; the browser may ask meanwhile, and is answered there. @param {Model} m @param {boolean} [why] */
function doing(m, why = true) {
  if (!toolOf(m)) return busy('card.acting', why ? 'card.acting_why' : '')
  const [title, text] = [`card.doing.${m.action}`, `card.doing_why.${m.action}`]
  return busy(has(title) ? title : 'card.doing.other', why && has(text) ? text : '')
}

/** @param {Model} m @param {Status} s @param {Acts} acts */
function asked(m, s, acts) {
  const high = m.risk === 'high'
  const decline = el('button.plain', { type: 'button', click: () => acts.decide('decline') }, t('card.decline'))
  const confirm = el(high ? 'button.plain.confirm.hold' : 'button.primary.confirm', { type: 'button', 'aria-describedby': 'confirm-why' },
    el('span', null, t(high ? 'card.hold' : 'card.confirm')))
  const yes = () => acts.decide('confirm')
  if (high) holdToConfirm(confirm, { may: acts.open, done: yes, again: t('card.press_again') })
  else confirm.addEventListener('click', (e) => e.isTrusted && yes())
  confirm.addEventListener('click', acts.more)
  return [
    el('div.time', { 'aria-hidden': 'true' }, el('div.time-left')),
    el('p.foot-words', null,
      el('span.time-words', { 'data-text': s.phase === 'kept' ? 'card.kept_time' : 'card.time_left' }),
      el('span.confirm-why', { id: 'confirm-why' }, t('card.not_a_no'))),
    pair(decline, confirm),
  ]
}

/**
 * Keeps Confirm and the words beside the time in step with the gate.
 * @param {HTMLElement} foot @param {import('./gate.js').Shut | null} why
 */
export function buttons(foot, why) {
  const confirm = foot.querySelector('.confirm')
  const words = foot.querySelector('.confirm-why')
  if (!confirm || !words) return
  confirm.setAttribute('aria-disabled', String(why !== null))
  const text = t(why === null || why === 'settling' ? 'card.not_a_no' : `card.shut.${why}`)
  if (words.textContent !== text) words.textContent = text
}

/** @param {HTMLElement} first @param {HTMLElement} second */
const pair = (first, second) => el('div.pair-buttons', null, first, second)

/** @param {Model} m */
const appOf = (m) => t(m.app ?? 'app.other')

/** @param {string} title @param {string} text @param {Model} [m] */
function busy(title, text, m) {
  return el('div.state.busy', null, mark('busy'),
    el('div', null, el('h2', null, t(title, { app: m ? appOf(m) : '' })), text && el('p', null, t(text))))
}

const MARKS = /** @type {Record<string, string>} */ ({ done: 'opened', opened: 'opened', handed: 'opened', answered: 'opened', failed: 'failed', unknown: 'question' })

/** @param {Model} m @param {Status} s @param {Acts} acts */
function over(m, s, acts) {
  const e = s.ending ?? { kind: 'unknown' }
  const again = m.way && !(here(m) && toolOf(m)) && (e.kind === 'failed' || e.kind === 'unknown')
  const more = [
    again && button(m.way === 'act' ? 'card.try_again' : 'card.open_again', () => acts.say('again')),
    e.reason === 'torch_on' && button('card.torch_off', () => acts.say('release')),
  ].filter(Boolean)[0]
  const close = el(more ? 'button.plain' : 'button.plain.wide', { type: 'button', click: () => acts.say('dismiss') }, t(s.others > 0 ? 'card.next' : 'card.close'))
  return [
    el(`div.state.is-${left(e) ? 'declined' : e.kind}`, null, mark(left(e) ? 'none' : MARKS[e.kind] ?? 'none'), el('div', null,
      title(m, e, s), el('p', null, sentence(m, e, s)), e.again ? el('p', null, t('card.again_said')) : null, toldBox(m, e))),
    again && m.web ? el('button.link', { type: 'button', click: () => acts.say('again', { url: m.web }) }, t('card.open_web')) : null,
    more ? pair(more, close) : close,
  ]
}

/** @param {string} key @param {() => void} click */
const button = (key, click) => el('button.plain', { type: 'button', click }, t(key))

/** Whether the person left a picker as it was: no trouble, and no no to the agent. @param {import('./phone.js').Ending} e */
const left = (e) => e.kind === 'failed' && (e.reason ?? e.why) === 'not_picked'

/** What was read is on its way for as long as nod has not said that it has it. @param {Status} s */
const due = (s) => s.acked === false && !s.online

/** @param {Model} m @param {import('./phone.js').Ending} e @param {Status} s */
function title(m, e, s) {
  if (e.kind === 'done' && reads(m)) {
    if (due(s)) return el('h2', null, t('end.gave.due'))
    return el('h2', null, ...(s.gave === 0 ? [t('end.gave.title_none')] : around('end.gave.title', 'agent', m.agentName)))
  }
  if (left(e)) return el('h2', null, t('end.not_picked.title'))
  if (e.kind === 'answered') return el('h2', null, ...around('end.answered.title', 'phone', e.by || t('phone.another')))
  if (e.kind === 'handed') return el('h2', null, ...around('end.handed.title', 'phone', m.phoneName))
  if (e.kind === 'unknown' && m.way !== 'open') return el('h2', null, t('end.unknown.title_ran'))
  return el('h2', null, t(`end.${e.kind}.title`, { app: appOf(m) }))
}

/** What a card says of an end, in a sentence, for those that had none. @param {Model} m @param {Status} s */
export const endOf = (m, s) => sentence(m, s.ending ?? { kind: 'unknown' }, s)

/** How much the agent was given, never what. @param {Model} m @param {Status} s */
function gave(m, { gave: count }) {
  const key = `end.gave.${m.action}`
  const kind = [m.action === 'location' && m.fields.accuracy === 'coarse' && `${key}_coarse`, count === 0 && `${key}_none`, count === 1 && `${key}_one`, key].find((k) => k && has(k))
  return kind && (count !== undefined || !t(kind).includes('{{')) ? t(kind, { count: String(count) }) : t('end.gave.other')
}

/** @param {Model} m @param {import('./phone.js').Ending} e */
function failed(m, e) {
  const reason = e.reason ?? e.why ?? (toolOf(m) ? 'failed' : 'threw')
  const own = `end.failed.${reason}_${toolOf(m)?.permission}`
  return t(has(own) ? own : `end.failed.${reason}`, { app: appOf(m) })
}

/** @param {Model} m @param {import('./phone.js').Ending} e @param {Status} s */
function sentence(m, e, s) {
  switch (e.kind) {
    case 'opened':
      return t(`end.left.${m.action}`)
    case 'withdrawn':
      return t(`end.withdrawn.${WITHDRAWN.includes(e.reason ?? '') ? e.reason : 'over'}`)
    case 'declined':
      return t(e.reason === 'untold' ? 'end.declined.untold' : 'end.declined.text')
    case 'done':
      if (reads(m)) return due(s) ? t('end.gave.due_why') : gave(m, s)
      return t(toolOf(m) ? `end.did.${m.action}` : `end.done.${e.reason}`)
    case 'failed':
      return `${left(e) ? '' : `${failed(m, e)} `}${t(reads(m) ? 'end.failed.not_read' : e.started ? 'end.failed.started' : 'end.failed.not_started')}`
  }
  return t(`end.${e.kind}.text`)
}

const WITHDRAWN = ['cancelled', 'gone', 'agent_removed', 'phone_removed', 'restart', 'paused', 'access_off']

/** What the agent is told, word for word. @param {Model} m @param {import('./phone.js').Ending} e */
function toldBox(m, e) {
  const text = toldText(m, e)
  if (!text) return null
  return el('details.told', null, el('summary', null, t('card.told_title')), el('p', { lang: 'en' }, iso(text)))
}

/** @param {Model} m @param {import('./phone.js').Ending} e */
function toldText(m, e) {
  const tool = toolOf(m)
  const message = tool ? undefined : e.message ?? (e.kind === 'opened' && m.note ? english(m.note) : undefined)
  const says = message ? ` ${told('says', { message })}` : ''
  switch (e.kind) {
    case 'opened':
      return told('opened', { app: told(`app_${(tool ?? ACTIONS.find((a) => a.name === m.action))?.app}`), left: told(`left_${m.action}`) }) + says
    case 'failed':
      if (tool && e.why) return told(`failed_${e.why}`, { permission: told(`permission_${tool.permission || 'other'}`) })
      return told(e.started && !reads(m) ? 'failed_started' : 'failed_not_started') + says
    case 'done':
      return reads(m) ? '' : told('done') + says
    case 'declined':
      if (e.reason === 'untold') return ''
      return e.message ? told('declined_reason', { reason: e.message }) : told('declined')
    case 'unknown':
      return told('unknown')
  }
  return ''
}
