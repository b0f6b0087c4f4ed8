// The log of this phone, like a diary: what was asked, how it ended, when and by
// whose leave. The newest comes first; older days are fetched when wanted.

import { testCard } from '../acts.js'
import { el } from '../dom.js'
import { Load } from '../load.js'
import { diaryRow, moment } from '../past.js'
import { localeInUse, t } from '../text.js'
import { day } from '../words.js'
import { failedBox, notices, offlineBox, skeleton, testCardBox } from './state.js'

/**
 * @typedef {import('../api.js').PastCall} PastCall
 * @typedef {{ calls: PastCall[], apps: string[], more: boolean }} Shelf what was fetched so far
 * @typedef {Pick<Load<Shelf>, 'state' | 'value' | 'reason'>} Loaded
 * @typedef {{ load: Loaded, app: string, online: boolean, now: number, zone: string, me: string, known: { problem: string | null, said: string | null } }} Model app: the one that is looked at; '' for all
 * @typedef {{ choose: (app: string) => void, earlier: () => void, again: () => void, test: () => void }} Acts
 */

const PAGE = 50

/** @param {import('../app.js').Phone} phone @returns {import('../router.js').View} */
export function open(phone) {
  const { parts, link } = phone
  let app = ''
  /** @type {unknown} */ let seen
  const load = /** @type {Load<Shelf>} */ (new Load(() => phone.router.paint()))
  /** @param {PastCall[]} after what is there already @param {number} [limit] */
  const fetch = (after, limit = PAGE) => load.run(async () => {
    const query = new URLSearchParams({ limit: String(limit), ...(app && { app }), ...(after.length && { before: after[after.length - 1].id }) })
    const shelf = await phone.ask('GET', `/phone/calls?${query}`)
    return { ...shelf, calls: [...after, ...shelf.calls] }
  })
  const acts = {
    choose: (/** @type {string} */ chosen) => {
      app = chosen
      fetch([])
    },
    earlier: () => fetch(load.value?.calls ?? []), again: () => fetch([]), test: () => void testCard(phone),
  }
  return {
    title: t('nav.log'),
    look: () => {
      const { home } = phone.state.get()
      if (link.state !== 'open' || home === seen) return
      seen = home // something ended since: what is on the page is fetched anew
      fetch([], Math.max(PAGE, Math.min(100, load.value?.calls.length ?? 0)))
    },
    draw: () => logPage({ load, app, online: link.state === 'open', now: Date.now(), zone: parts.platform.zone, me: parts.identity.name, known: phone.state.get() }, acts),
  }
}

/** @param {Model} m @param {Acts} acts */
export function logPage(m, acts) {
  return [el('h1', { tabindex: '-1' }, t('nav.log')), ...notices(m.known), ...body(m, acts)]
}

/** @param {Model} m @param {Acts} acts */
function body(m, acts) {
  const { value, state, reason } = m.load
  if (!value) return [state === 'failed' ? failedBox(reason, acts.again) : m.online ? state === 'slow' && skeleton() : offlineBox(t('log.offline'))]
  if (!value.calls.length && !m.app) return [testCardBox(t('home.log_empty'), acts.test, m.online)]
  return [
    !m.online && el('p.notice', { role: 'status' }, t('log.stale')),
    value.apps.length > 1 && chips(value.apps, m.app, acts),
    ...days(value.calls, m),
    state === 'failed' && failedBox(reason, acts.earlier),
    value.more && el('button.plain.wide', { type: 'button', id: 'earlier', disabled: !m.online || state === 'loading' || state === 'slow', click: acts.earlier }, t('log.earlier')),
  ]
}

/** @param {string[]} apps @param {string} chosen @param {Acts} acts */
function chips(apps, chosen, acts) {
  return el('div.chips', { role: 'group', 'aria-label': t('log.filter') }, ['', ...apps].map((app) => el('button.chip', {
    type: 'button', id: `app-${app || 'all'}`, 'aria-pressed': String(app === chosen), click: () => acts.choose(app),
  }, t(`log.app.${app || 'all'}`))))
}

/** @param {PastCall[]} calls @param {Model} m */
function days(calls, m) {
  /** @type {Map<string, PastCall[]>} */ const byDay = new Map()
  for (const c of calls) {
    const name = day(moment(c.at), m.now, localeInUse(), m.zone)
    byDay.set(name, [...(byDay.get(name) ?? []), c])
  }
  return [...byDay].flatMap(([name, those]) => [el('h2.day', null, name), el('ul.box', null, those.map((c) => diaryRow(c, m)))])
}
