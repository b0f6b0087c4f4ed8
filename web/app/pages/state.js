// Whole-page states: one thing is the matter, and what can be done about it.

import { el, mark } from '../dom.js'
import { t } from '../text.js'
import { loadAgain } from '../worker.js'

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
  statePage('look', t('state.version'), t('state.version_why'), el('button.primary.wide', { type: 'button', click: loadAgain }, t('state.reload')))

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

/** The shape of what comes, for those who wait longer than a blink. */
export const skeleton = () =>
  el('div.box.skeleton', { role: 'status', 'aria-label': t('load.loading') }, [1, 2, 3].map(() => el('div.item', { 'aria-hidden': 'true' }, el('div', null, el('p.bone'), el('p.bone.short')))))

/** A part of a page that could not be fetched. @param {string} reason @param {() => void} again */
export const failedBox = (reason, again) =>
  el('section.box', { role: 'alert' }, el('div.item', null, mark('failed'), el('div', null, el('p.title', null, t('load.failed')), el('p.second', null, reason)),
    el('button.plain.small', { type: 'button', id: 'again', click: again }, t('load.again'))))

/** A part of a page that needs the connection. @param {string} text what it would show */
export const offlineBox = (text) =>
  el('section.box', { role: 'status' }, el('div.item', null, mark('link-off'), el('div', null, el('p.title', null, t('home.disconnected')), el('p.second', null, text))))

/** Nothing there yet: what will be, and how to try it. @param {string} text @param {() => void} test @param {boolean} online */
export const testCardBox = (text, test, online) =>
  el('section.box.first', null, el('p.empty', null, text), el('div', null, el('button.plain.wide', { type: 'button', id: 'test', disabled: !online, click: test }, t('test.send')), el('p.second', null, t('test.why'))))
