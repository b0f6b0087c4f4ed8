// Pairing and setting up, each step and each way it can end.

import * as pages from '../app/pages/pair.js'
import { setupPage } from '../app/pages/setup.js'
import { t } from '../app/text.js'

/** @typedef {import('../app/pages/setup.js').Parts} Setup */
/** @typedef {import('../app/pages/pair.js').Os} Os */

const nothing = () => {}
const CODE = 'K7gNU3sdo-OL0wNhqoVWhg'
const SERVER = 'home.example.ts.net'

/** @param {Os} os @param {Partial<Parameters<typeof pages.namePage>[0]>} [more] */
const name = (os, more) => pages.namePage({ os, name: t(`pair.name_${os}`), notice: null, paired: null, pair: async () => {}, keep: nothing, server: SERVER, ...more })

/** @param {boolean} paired */
const waiting = (paired) => pages.waitingPage({ digits: '048213', name: 'Ana’s tablet', os: 'android', paired, leave: nothing })

/** @param {import('../app/pages/pair.js').Problem} problem @param {boolean} [retry] */
const end = (problem, retry = false) => pages.endPage(problem, 'android', retry, nothing)

/** @param {Partial<Setup>} more */
const setup = (more) => setupPage({
  os: 'android', step: 'install', off: 0, browser: 'chrome', offered: false, placed: false, push: null, busy: false, install: nothing, later: nothing, turnOn: nothing, done: nothing, ...more,
})

/** @param {import('../app/push.js').PushState['state']} state @param {string} reason @param {Partial<Setup>} [more] */
const wake = (state, reason, more) => setup({ step: 'wake', push: { state, reason, values: { reason: t('push.off.none') } }, ...more })

/** @type {Record<string, () => import('../app/router.js').Nodes>} */
export const PAIRING = {
  'pair, Android 1 of 3': () => name('android'),
  'pair, Android 1 of 3, no code': () => pages.codePage('android', nothing, SERVER),
  'pair, paired already': () => name('android', { paired: 'Pixel 9' }),
  'pair, name taken': () => name('android', { name: 'Pixel 10', notice: t('pair.name_taken', { name: 'Pixel 9' }) }),
  'pair, waiting for the other phone': () => waiting(false),
  'pair, waiting, paired already': () => waiting(true),
  'pair, Android 2 of 3': () => setup({}),
  'pair, Android 2 of 3, offered': () => setup({ offered: true }),
  'pair, Android 2 of 3, placed': () => setup({ placed: true }),
  'pair, Android 2 of 3, Samsung Internet, clock': () => setup({ browser: 'samsung', off: 47 * 60_000 }),
  'pair, Android 2 of 3, Firefox': () => setup({ browser: 'firefox' }),
  'pair, Android 3 of 3': () => wake('ask', 'push.why.ask'),
  'pair, Android 3 of 3, turning on': () => wake('ask', 'push.why.ask', { busy: true }),
  'pair, Android 3 of 3, blocked': () => wake('denied', 'push.why.denied_android'),
  'pair, Android 3 of 3, nod cannot': () => wake('off', 'push.why.disabled'),
  'pair, Android 3 of 3, on': () => wake('on', 'push.why.on'),
  'pair, iPhone 1 of 3': () => pages.homeScreenPage(CODE),
  'pair, iPhone 1 of 3, no code': () => pages.homeScreenPage(null),
  'pair, iPhone 2 of 3': () => pages.codePage('ios', nothing, SERVER),
  'pair, iPhone 2 of 3, name': () => name('ios'),
  'pair, iPhone 3 of 3': () => wake('ask', 'push.why.ask', { os: 'ios' }),
  'pair, computer 1 of 2': () => name('desktop'),
  'pair, computer 1 of 2, no code': () => pages.codePage('desktop', nothing, SERVER),
  'pair, computer 2 of 2': () => wake('ask', 'push.why.ask', { os: 'desktop' }),
  'pair, inside another app': () => pages.insidePage(CODE),
  'pair, rejected': () => end({ how: 'rejected' }),
  'pair, expired': () => end({ how: 'expired' }),
  'pair, used': () => end({ how: 'used' }),
  'pair, no proof': () => end({ how: 'no_proof' }),
  'pair, offline': () => end({ how: 'offline', server: SERVER }, true),
  'pair, too many tries': () => end({ how: 'busy' }, true),
  'pair, failed': () => end({ how: 'failed', reason: 'The data folder cannot be written.' }),
}
