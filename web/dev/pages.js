// Every page in every state, with sample data.

import { phonesPage } from '../app/pages/phones.js'
import { resumePage } from '../app/pages/resume.js'
import { brokenPage, elsewherePage, revokedPage, loadFailedPage, statePage, versionPage, wrongGatewayPage } from '../app/pages/state.js'
import { forgottenPage, unpairedPage } from '../app/pages/gone.js'
import { barLinks } from '../app/router.js'
import { t } from '../app/text.js'
import { AGENTS } from './agents.js'
import { HOME } from './home.js'
import { LOG } from './log.js'
import { PAIRING } from './pairing.js'
import { HOUR, nothing } from './past.js'
import { NOW } from './samples.js'
import { SETTINGS } from './settings.js'

const BACK = {
  old: { person: 'person_a', size: 412, root: '', at: NOW - HOUR }, now: { person: 'person_a', size: 200, root: '', at: NOW }, changed: false, to: NOW - 27 * 24 * HOUR,
}
const JOINING = [{ id: 'p1', phone: 'phone_b', name: 'Ana’s tablet', host: 'web', key: '', digits: '048213' }]
const PHONE_ACTS = { allow: nothing, reject: nothing, back: nothing }
const RESUME_ACTS = { accept: nothing, leave: nothing }

/** @type {Record<string, () => (import('../app/dom.js').Child | import('../app/dom.js').Child[])[]>} */
export const PAGES = {
  ...HOME,
  ...AGENTS,
  ...LOG,
  ...SETTINGS,
  ...PAIRING,
  phones: () => phonesPage(JOINING, { problem: null, said: null }, PHONE_ACTS),
  'phones, none': () => phonesPage([], { problem: null, said: t('phones.allowed', { name: 'Ana’s tablet' }) }, PHONE_ACTS),
  resume: () => resumePage(BACK, NOW, RESUME_ACTS, false),
  'resume, changed': () => resumePage({ ...BACK, changed: true }, NOW, RESUME_ACTS, false),
  'in another window': () => elsewherePage(nothing),
  'phone removed': () => revokedPage(nothing),
  'storage lost': () => forgottenPage('Pixel 9', nothing),
  'unpaired': () => unpairedPage(true, 'Pixel 9', nothing),
  'unpaired, not told': () => unpairedPage(false, 'Pixel 9', nothing),
  'another gateway': () => wrongGatewayPage('home.example.ts.net', nothing),
  'versions differ': () => versionPage(),
  'not secure': () => statePage('look', t('pair.insecure'), t('pair.insecure_why')),
  'browser too old': () => statePage('failed', t('pair.unfit'), t('pair.unfit_why')),
  'moved': () => statePage('link-off', t('pair.moved'), t('pair.moved_why', { server: 'home.example.ts.net' })),
  'page not loaded': () => loadFailedPage(nothing),
  broken: () => brokenPage('The database could not be opened.'),
}

/** The bar of a page, where it has one. @param {string} name */
export function bar(name) {
  const at = { home: '/', agents: '/', access: '/', quiet: '/', log: '/log', request: '/log', settings: '/settings', shortcuts: '/settings' }[name.split(',')[0]]
  return at ? barLinks(at) : []
}
