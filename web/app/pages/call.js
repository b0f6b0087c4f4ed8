// One call of the log in full: what was on the card, who asked, which rule, when
// each step was, what the agent was told, and the receipt, which this phone
// checks itself. What is drawn comes from the bytes that were signed.

import { canOpen, openAgain, pause } from '../acts.js'
import { around, avatar, badgeBoxes, fieldBox, givesBox, iso, quote } from '../card-body.js'
import { PERSON_TEXTS } from '../contract.js'
import { el, mark } from '../dom.js'
import { rows } from '../fields.js'
import { row } from '../journal.js'
import { readHead } from '../keys.js'
import { Load } from '../load.js'
import { isTrouble, leave, moment, outcomeOf } from '../past.js'
import { check } from '../receipt.js'
import { begin, english, has, localeInUse, t } from '../text.js'
import { gives } from '../toolfields.js'
import { clock, day } from '../words.js'
import { receiptBox, saveReceipt } from './receipt.js'
import { failedBox, notices, offlineBox, skeleton } from './state.js'

/**
 * @typedef {import('../api.js').PastCall} PastCall
 * @typedef {import('../receipt.js').Checked} Checked
 * @typedef {import('../receipt.js').Receipt} Receipt
 * @typedef {{ call: PastCall, receipt: Receipt, checked: Checked, row?: import('../journal.js').Row }} Found row: what this phone did with it
 * @typedef {{
 *   load: Pick<Load<Found>, 'state' | 'value' | 'reason'>, online: boolean, now: number, zone: string, me: string, phone: string,
 *   phoneName: (id: string) => string, canOpen: boolean, known: { problem: string | null, said: string | null },
 * }} Model me: this phone's name; phone: its id; canOpen: this phone could carry it out once more
 * @typedef {{ again: () => void, open: () => void, save: () => void, pauseAll: () => void }} Acts open: once more, by the person
 */

/** @param {import('../app.js').Phone} phone @param {string} id @returns {import('../router.js').View} */
export function open(phone, id) {
  const { parts, link } = phone
  const load = /** @type {Load<Found>} */ (new Load(() => phone.router.paint()))
  const key = (/** @type {string} */ p) => phone.phoneKey(p)
  const fetch = () => load.run(async () => {
    const { call, receipt } = await phone.ask('GET', `/phone/calls/${id}`)
    return { call, receipt, row: await row(id), checked: await check(receipt, { call: id, outcome: call.outcome, gateway: phone.gateway, key, seen: await readHead() }) }
  })
  const acts = {
    again: () => void fetch(), pauseAll: () => void pause(phone),
    open: () => load.value && openAgain(phone, load.value.checked.offer, load.value.row),
    save: () => load.value && saveReceipt(id, load.value.receipt, parts.identity.gatewayKey, key),
  }
  /** @type {unknown} */ let seen
  return {
    title: t('log.one'),
    look: () => {
      const { home } = phone.state.get()
      if (link.state !== 'open' || home === seen) return
      seen = home
      fetch()
    },
    draw: () => callPage({
      load, online: link.state === 'open', now: Date.now(), zone: parts.platform.zone, me: parts.identity.name, phone: parts.identity.phone,
      phoneName: (p) => phone.phoneName(p), canOpen: canOpen(phone, load.value?.checked.offer), known: phone.state.get(),
    }, acts),
  }
}

/** @param {Model} m @param {Acts} acts */
export function callPage(m, acts) {
  const back = el('a.back', { href: '/log' }, mark('before'), t('nav.log'))
  const { value, state, reason } = m.load
  if (value) return [back, ...notices(m.known), ...found(value, m, acts)]
  return [
    back, el('h1', { tabindex: '-1' }, t('log.one')),
    state === 'failed' ? failedBox(reason, acts.again) : m.online ? state === 'slow' && skeleton() : offlineBox(t('log.offline')),
  ]
}

/** An app in the person's language: the agent's is in the receipt. @param {string} said */
function appNamed(said) {
  const key = Object.keys(PERSON_TEXTS.en).find((k) => k.startsWith('app.') && english(k).toLowerCase() === said.toLowerCase())
  return begin(key ? t(key) : said)
}

/** @param {Found} value @param {Model} m @param {Acts} acts */
function found({ call, receipt, checked }, m, acts) {
  const { offer, flaw } = checked
  const asked = moment(call.at)
  const words = { t, locale: localeInUse(), now: asked, zone: m.zone } // days are said as the card said them
  const title = `card.title.${call.action}`
  const fields = drawn(() => (offer ? rows(offer.action, offer.fields, words) : []))
  if (checked.app) fields.push({ label: 'card.field.opens', value: { is: 'strong', text: appNamed(checked.app) } })
  return [
    el('div.who', null, avatar(call.agent_name), el('div.who-words', null, el('p.who-name', null, iso(call.agent_name)), el('p.second', null, ...around('log.asked', 'phone', call.phone_name || m.me)))),
    el('h1', { tabindex: '-1' }, t(title) === title ? call.action || call.tool : t(title)),
    ending(call, checked, m),
    allowLink(call),
    flaw && receiptBox({ receipt, checked, ...m }, acts),
    fields.length > 0 && fieldBox(fields),
    offer && !flaw && given(call, offer, words),
    offer && badgeBoxes(offer.badges, offer.repeat, words.locale, offer.taint),
    isTrouble(call) && m.canOpen && el('button.plain.wide', { type: 'button', id: 'open-again', click: acts.open }, t('card.open_again')),
    offer && quote(offer.summary, offer.action),
    ...answered(call, m),
    call.text && el('h2', null, t('card.told_title')),
    call.text && el('section.box', null, el('p.told-text', { lang: 'en' }, call.text), call.outcome === 'done' && call.kind === 'read' && el('p.line.second', null, t('log.read_gone'))),
    ...steps(checked, m),
    !flaw && el('h2', null, t('receipt.title')),
    !flaw && receiptBox({ receipt, checked, ...m }, acts),
  ]
}

/** What the agent was given, in kind: what it was is nowhere any more. @param {PastCall} call @param {{ action: string, fields: Record<string, any> }} offer @param {import('../rows.js').Words} words */
function given(call, offer, words) {
  const what = call.outcome === 'done' && moment(call.released_at) ? drawn(() => [gives(offer.action, offer.fields, words)])[0] : null
  return what && givesBox(call.agent_name, what, 'log.gave')
}

/** Where what was not allowed can be, in one tap. @param {PastCall} call */
function allowLink({ agent, app, kind, outcome, rule, why }) {
  if (outcome !== 'denied' || (rule !== 'access_off' && why !== 'access_off') || !agent || !app || !kind) return null
  const what = `what.${app}`
  const text = kind === 'read' && has(what) ? t('access.allow.read', { what: t(what) }) : t('access.allow.act', { app: t(`log.app.${app}`) })
  return el('a.plain.wide.button', { href: `/agents/${agent}/${app}-${kind}`, id: 'allow' }, text)
}

/** @template T @param {() => T[]} draw fields of any shape @returns {T[]} */
function drawn(draw) {
  try {
    return draw()
  } catch {
    return []
  }
}

/**
 * How it ended; of what is not proven it is said that it is only said, and of what
 * nobody knew, what the phone said of it later.
 * @param {PastCall} call @param {Checked} checked @param {Model} m
 */
function ending(call, { flaw, status }, m) {
  const unproven = flaw !== null
  const later = !unproven && call.outcome === 'unknown' && status
  const at = moment(call.ended_at) || moment(call.at)
  const drawing = unproven ? 'question' : { opened: 'opened', done: 'opened', answered: 'opened', failed: isTrouble(call) ? 'failed' : 'none', unknown: 'question' }[call.outcome] ?? 'none'
  return el(`section.box.ending${isTrouble(call) ? '.trouble' : ''}`, null, el('div.item', null, mark(drawing), el('div', null,
    el('p.title', null, unproven ? t('receipt.claim', { outcome: outcomeOf(call) }) : outcomeOf(call)),
    later && el('p', null, t('log.later', { outcome: t(`outcome.${status}`) })),
    el('p.second', null, `${day(at, m.now, localeInUse(), m.zone)}, ${clock(at, localeInUse(), m.zone)}`))))
}

/** Which rule, and who answered. @param {PastCall} call @param {Model} m */
function answered(call, m) {
  const by = leave(call, m.me)
  if (!call.rule && !by) return []
  return [
    el('h2', null, t('log.why')),
    el('section.box', null, call.rule && el('p.line', null, t(`log.rule.${call.rule}`)), by && el('p.line', null, t('log.sentence', { message: by }))),
  ]
}

/** The steps that the log proves, with their times. @param {Checked} checked @param {Model} m */
function steps({ steps: all }, m) {
  const shown = all.filter((s) => `log.step.${s.kind.slice(5)}` in STEPS)
  if (!shown.length) return []
  const time = new Intl.DateTimeFormat(localeInUse(), { timeStyle: 'medium', timeZone: m.zone })
  return [
    el('h2', null, t('log.steps')),
    el('ol.box.times', null, shown.map((s) => el('li.line', null, el('span', null, t(STEPS[`log.step.${s.kind.slice(5)}`])), el('time.second', { datetime: new Date(s.at).toISOString() }, time.format(s.at))))),
  ]
}

/** @type {Record<string, string>} */
const STEPS = Object.fromEntries(['refused', 'denied', 'unavailable', 'offered', 'delivered', 'shown', 'decided', 'go', 'ended', 'released', 'supplemented', 'replayed'].map((s) => [`log.step.${s}`, `log.step.${s}`]))
