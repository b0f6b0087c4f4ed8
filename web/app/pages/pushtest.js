// Whether this phone is woken, and a test that shows how far a message comes,
// step by step, each with its time.

import { el, mark } from '../dom.js'
import { localeInUse, t } from '../text.js'
import { canTurnOn } from './home.js'

/** @typedef {{ step: import('../push.js').Step, over: boolean, reason?: string }} Test a test that runs, or how far it came */

/** @type {['accepted_ms' | 'received_ms' | 'shown_ms', string][]} */
const STEPS = [['accepted_ms', 'settings.push.accepted'], ['received_ms', 'settings.push.received'], ['shown_ms', 'settings.push.shown']]

/**
 * @param {{ known: { push: import('../push.js').PushState | null }, online: boolean, test: Test | null }} m
 * @param {{ turnOn: () => void, test: () => void }} acts
 */
export function pushBox({ known: { push }, online, test }, acts) {
  if (!push) return el('section.box', null, el('p.empty', { role: 'status' }, online ? t('settings.push.looking') : t('settings.offline')))
  const fine = push.state === 'on'
  return el('section.box', null,
    el('div.item', null, el(fine ? 'span.dot' : 'span.dot.warn', { 'aria-hidden': 'true' }),
      el('div', null, el('p.title', null, t(`home.push.${push.state}`)), el('p.second', null, t(push.reason, push.values))),
      fine && el('button.plain.small', { type: 'button', id: 'push-test', disabled: !online || (test !== null && !test.over), click: acts.test }, t('settings.push.test')),
      canTurnOn(push) && el('button.plain.small', { type: 'button', id: 'push-on', disabled: !online, click: acts.turnOn }, t('home.push.turn_on'))),
    test && steps(test))
}

/** @param {Test} test */
function steps({ step, over, reason }) {
  const seconds = new Intl.NumberFormat(localeInUse(), { style: 'unit', unit: 'second', unitDisplay: 'narrow', maximumFractionDigits: 1 })
  const next = STEPS.find(([name]) => !step[name])?.[0]
  return el('div.push-test', { role: 'status' },
    el('ol.times', null, STEPS.map(([name, key]) => el('li.line', null, el('span', null, t(key)),
      el('span.second', null, step[name] ? seconds.format(step[name] / 1000) : name === next && !over ? t('settings.push.waiting') : t('settings.push.not_seen'))))),
    over && next && el('p.trouble', null, mark('look'), el('span', null, reason ?? (step.problem || silent(step)))))
}

/** Nothing more came. @param {import('../push.js').Step} step */
const silent = ({ received_ms: received }) => t(received ? 'push.problem.hidden' : 'push.problem.silent')
