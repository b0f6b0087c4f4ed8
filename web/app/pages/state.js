// Whole-page states: one thing is the matter, and what can be done about it.

import { el, mark } from '../dom.js'
import { t } from '../text.js'

/**
 * @param {string} drawing a mark's id
 * @param {string} title @param {string} text
 * @param {...(HTMLElement | null)} below
 */
export function statePage(drawing, title, text, ...below) {
  return [el('div.middle', null, mark(drawing), el('h1', { tabindex: '-1' }, title), el('p.second', null, text)), el('div.stack', null, ...below)]
}

/** @param {() => void} use */
export const elsewherePage = (use) =>
  statePage('windows', t('state.elsewhere'), t('state.elsewhere_why'), el('button.primary.wide', { type: 'button', click: use }, t('state.use_here')))

/** @param {() => void} again */
export const revokedPage = (again) =>
  statePage('none', t('state.revoked'), t('state.revoked_why'), el('button.plain.wide', { type: 'button', click: again }, t('state.pair_again')))

/** @param {string} server @param {() => void} again */
export const wrongGatewayPage = (server, again) =>
  statePage('look', t('state.wrong_gateway'), t('state.wrong_gateway_why', { server }), el('button.plain.wide', { type: 'button', click: again }, t('state.pair_again')))

export const versionPage = () =>
  statePage('look', t('state.version'), t('state.version_why'), el('button.primary.wide', { type: 'button', click: () => location.reload() }, t('state.reload')))

/** @param {string} reason */
export const brokenPage = (reason) => statePage('failed', t('state.broken'), t('state.broken_why', { reason }))

/** A page's own code could not be fetched. @param {() => void} again */
export const loadFailedPage = (again) =>
  statePage('link-off', t('state.load_failed'), t('state.load_failed_why'), el('button.primary.wide', { type: 'button', click: again }, t('state.load_again')))

/** What just happened, good or bad, above what a page shows. @param {{ problem: string | null, said: string | null }} known */
export const notices = ({ problem, said }) => [
  problem && el('p.notice', { role: 'alert' }, problem),
  said && el('p.notice.good', { role: 'status' }, said),
]
