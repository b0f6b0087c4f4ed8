// Every page in every state, with sample data.

import { homePage } from '../app/pages/home.js'
import { phonesPage } from '../app/pages/phones.js'
import { resumePage } from '../app/pages/resume.js'
import { brokenPage, elsewherePage, revokedPage, statePage, versionPage, wrongGatewayPage } from '../app/pages/state.js'
import { able } from '../app/capabilities.js'
import { UNPROBED } from '../app/probe.js'
import { defaults } from '../app/settings.js'
import { t } from '../app/text.js'
import { PAIRING } from './pairing.js'
import { NOW, ZONE } from './samples.js'

/** @typedef {import('../app/pages/home.js').Model} Home */

const HOUR = 3_600_000
const nothing = () => {}
const HOME_ACTS = { tryNow: nothing, pauseAll: nothing, resume: nothing, pause: nothing, showCannot: nothing, install: nothing, phones: nothing, setBack: nothing }

/** @param {string} outcome @param {string} action @param {Record<string, any>} fields @param {number} hours @returns {import('../app/api.js').PastCall} */
const past = (outcome, action, fields, hours) =>
  ({ id: `call_${hours}`, agent_name: 'Laptop · Claude Code', tool: 'phone_action', action, fields, outcome, at: new Date(NOW - hours * HOUR).toISOString() })

/** @type {import('../app/api.js').Home} */
const day = {
  person: 'Ana', phone: { id: 'phone_a', name: 'Pixel 9', host: 'web' }, paused: false,
  agents: [
    { id: 'agent_a', name: 'Laptop · Claude Code', paused: false, last_used: new Date(NOW - HOUR / 4).toISOString() },
    { id: 'agent_b', name: 'Home server', paused: true },
  ],
  calls: [
    past('opened', 'navigate', { destination: { query: 'SFO Airport' } }, 0.2), past('declined', 'open_url', { url: 'https://www.example.com/orders' }, 1),
    past('unknown', 'sms_draft', { to: ['+351 910 000 001'], text: 'Late' }, 2), past('expired', 'dial', { number: '+1 (800) 555-0100' }, 5),
    past('denied', 'alarm', { time: '07:30' }, 26), past('refused', 'navigate', {}, 40),
  ],
}

/** @type {Home} */
const home = {
  link: 'open', server: 'home.example.ts.net', seenMs: 4_000, retryMs: 0, paused: false, waiting: 0, problem: null, showCannot: false, install: false, zone: ZONE, now: NOW,
  cannot: able({ os: 'android', version: 0, samsung: false, zone: ZONE, standalone: true }, defaults('android'), UNPROBED).flatMap(({ reason }) => (reason ? [t(reason)] : [])),
  home: day,
}

const BACK = {
  old: { person: 'person_a', size: 412, root: '', at: NOW - HOUR }, now: { person: 'person_a', size: 200, root: '', at: NOW }, changed: false, to: NOW - 27 * 24 * HOUR,
}
const JOINING = [{ id: 'p1', phone: 'phone_b', name: 'Ana’s tablet', host: 'web', key: '', digits: '048213' }]
const PHONE_ACTS = { allow: nothing, reject: nothing, back: nothing }
const RESUME_ACTS = { accept: nothing, leave: nothing }

/** @type {Record<string, () => (import('../app/dom.js').Child | import('../app/dom.js').Child[])[]>} */
export const PAGES = {
  home: () => homePage(home, HOME_ACTS),
  'home, what a browser cannot do': () => homePage({ ...home, showCannot: true }, HOME_ACTS),
  'home, first day': () => homePage({ ...home, home: { ...day, agents: [], calls: [] }, install: true }, HOME_ACTS),
  'home, not connected': () => homePage({ ...home, link: 'waiting', retryMs: 8_000 }, HOME_ACTS),
  'home, offline from the start': () => homePage({ ...home, link: 'waiting', retryMs: 8_000, home: null }, HOME_ACTS),
  'home, connecting': () => homePage({ ...home, link: 'connecting', home: null }, HOME_ACTS),
  'home, paused': () => homePage({ ...home, paused: true }, HOME_ACTS),
  'home, a phone waits, and an error': () => homePage({ ...home, waiting: 1, problem: t('home.failed', { reason: 'the data folder cannot be written' }) }, HOME_ACTS),
  'home, set back': () => homePage({ ...home, link: 'set_back' }, HOME_ACTS),
  ...PAIRING,
  phones: () => phonesPage(JOINING, null, PHONE_ACTS),
  'phones, none': () => phonesPage([], t('phones.allowed', { name: 'Ana’s tablet' }), PHONE_ACTS),
  resume: () => resumePage(BACK, NOW, RESUME_ACTS, false),
  'resume, changed': () => resumePage({ ...BACK, changed: true }, NOW, RESUME_ACTS, false),
  'in another window': () => elsewherePage(nothing),
  'phone removed': () => revokedPage(nothing),
  'another gateway': () => wrongGatewayPage('home.example.ts.net', nothing),
  'versions differ': () => versionPage(),
  'not secure': () => statePage('look', t('pair.insecure'), t('pair.insecure_why')),
  'browser too old': () => statePage('failed', t('pair.unfit'), t('pair.unfit_why')),
  'moved': () => statePage('link-off', t('pair.moved'), t('pair.moved_why', { server: 'home.example.ts.net' })),
  broken: () => brokenPage('The database could not be opened.'),
}
