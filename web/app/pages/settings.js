// Settings: few things, each with its effect in words. What is chosen holds at
// once; nothing needs to be saved.

import { choose, chooseWait } from '../acts.js'
import { iso } from '../card-body.js'
import { el, mark } from '../dom.js'
import { Load } from '../load.js'
import { localeInUse, t } from '../text.js'
import { mapWords } from './mapwords.js'
import { failedBox, notices } from './state.js'
import { mapsOn } from '../maps.js'
import { pushBox } from './pushtest.js'

/**
 * @typedef {import('../settings.js').Settings} Settings
 * @typedef {{
 *   known: Pick<import('../state.js').Known, 'settings' | 'push' | 'problem' | 'said' | 'home'>, wait: Pick<Load<number>, 'state' | 'value' | 'reason'>, asked: number | null, online: boolean,
 *   platform: import('../uris.js').Platform, name: string, person: string, server: string, erasing: boolean, test: import('./pushtest.js').Test | null,
 * }} Model wait: seconds that a card waits; asked: what the person has just chosen, until it is kept; erasing: the person is asked whether they mean it
 * @typedef {{
 *   choose: (change: Partial<Settings>) => void, wait: (seconds: number) => void, again: () => void, turnOn: () => void, test: () => void,
 *   erase: (step: 'ask' | 'keep' | 'do') => void,
 * }} Acts
 * @typedef {{ value: string, title: string, text?: string, lang?: string }} Option
 */

const WAITS = [120, 300, 600, 1200]

/** @param {import('../app.js').Phone} phone @returns {import('../router.js').View} */
export function open(phone) {
  const { parts, link } = phone
  const paint = () => phone.router.paint()
  const wait = /** @type {Load<number>} */ (new Load(paint))
  const fetch = () => wait.run(async () => (await phone.ask('GET', '/phone/settings')).wait_seconds)
  const over = new AbortController()
  /** @type {import('./pushtest.js').Test | null} */ let test = null
  let erasing = false
  /** @type {number | null} */ let asked = null
  /** @type {Acts} */
  const acts = {
    choose: (change) => choose(phone, change), again: fetch, turnOn: () => phone.push(true),
    wait: async (seconds) => {
      asked = seconds
      await wait.run(() => chooseWait(phone, seconds))
      if (asked === seconds) asked = null
      paint()
    },
    test: async () => {
      const { testPush } = await import('../push.js')
      test = { step: {}, over: false }
      paint()
      try {
        test = { step: await testPush(phone, (step) => {
          test = { step, over: false }
          paint()
        }, over.signal), over: true }
      } catch (e) {
        test = { step: {}, over: true, reason: t('home.failed', { reason: e instanceof Error ? e.message : String(e) }) }
      }
      paint()
    },
    erase: (step) => {
      if (step === 'do') return phone.unpair()
      erasing = step === 'ask'
      paint()
      document.getElementById(erasing ? 'keep' : 'erase')?.focus()
    },
  }
  return {
    title: t('nav.settings'),
    look: () => {
      if (link.state === 'open' && (wait.state === 'none' || wait.state === 'failed')) fetch()
    },
    draw: () => settingsPage({
      known: phone.state.get(), wait, asked, online: link.state === 'open', platform: parts.platform, name: parts.identity.name, person: parts.identity.personName,
      server: location.host, erasing, test,
    }, acts),
    leave: () => over.abort(),
  }
}

/** @param {Model} m @param {Acts} acts */
export function settingsPage(m, acts) {
  const { settings } = m.known
  const { os } = m.platform
  return [
    el('h1', { tabindex: '-1' }, t('nav.settings')),
    ...notices(m.known),
    ...section('settings.push', pushBox(m, acts)),
    ...section('settings.wait', waitBox(m, acts)),
    ...section('settings.map', choice('map', settings.map, mapsOn(os).map(({ id, app }) => ({ value: id, title: t(app), text: mapWords(id, m.platform, settings) })), acts)),
    ...section('settings.calendar', choice('calendar', settings.calendar, ['google', 'file'].map((value) => ({ value, title: t(`settings.calendar.${value}`), text: t(`settings.calendar.${value}_why`) })), acts)),
    ...(os === 'android' ? [] : section('settings.mail', choice('mail', settings.mail, ['default', 'gmail'].map((value) => ({ value, title: t(`settings.mail.${value}`), text: t(`settings.mail.${value}_why`) })), acts))),
    el('section.box', null,
      link('/agents', t('access.agents'), t('settings.agents_link')),
      os === 'ios' && link('/shortcuts', t('shortcuts.title'), t('shortcuts.link_why'))),
    ...section('settings.language', segments('language', settings.language, [['', t('settings.auto')], ['en', 'English', 'en'], ['de', 'Deutsch', 'de']], acts)),
    ...section('settings.theme', segments('theme', settings.theme, [['', t('settings.auto')], ['light', t('settings.theme.light')], ['dark', t('settings.theme.dark')]], acts)),
    ...section('settings.phone', el('dl.box', null, row('phones.name', m.name), row('settings.person', m.person), row('settings.server', m.server, 'div.row.long'))),
    eraseBox(m, acts),
  ]
}

/** @param {string} key the heading; key_why: what it does @param {HTMLElement} box */
function section(key, box) {
  return [el('div.heading', null, el('h2', { id: key }, t(key)), el('p.second', { id: `${key}-why` }, t(`${key}_why`))), box]
}

/** @param {string} href @param {string} title @param {string} text */
const link = (href, title, text) => el('a.item', { href }, el('div', null, el('p.title', null, title), el('p.second', null, text)), mark('after'))

/** @param {string} label @param {string} value @param {string} [tag] */
const row = (label, value, tag = 'div.row') => el(tag, null, el('dt', null, t(label)), el('dd', null, el('strong', null, iso(value))))

/** One of a few, each with what it does. @param {'map' | 'calendar' | 'mail'} name @param {string} chosen @param {Option[]} options @param {Acts} acts */
function choice(name, chosen, options, acts) {
  return el('div.box', group(`settings.${name}`), options.map(({ value, title, text }) => el('div.item.option', null,
    radio(name, value, chosen, () => acts.choose({ [name]: value })),
    el('label', { for: `${name}-${value}` }, el('span.title', null, title), text && el('span.second', null, text)))))
}

/** One of a few short words. @param {'language' | 'theme'} name @param {string} chosen @param {string[][]} options value, word, its language @param {Acts} acts */
function segments(name, chosen, options, acts) {
  return el('div.segments', group(`settings.${name}`), options.map(([value, title, lang]) => segment(name, value, title, chosen, () => acts.choose({ [name]: value }), lang)))
}

/** @param {string} key */
const group = (key) => ({ role: 'radiogroup', 'aria-labelledby': key, 'aria-describedby': `${key}-why` })

/** @param {string} name @param {string} value @param {string} title @param {string} chosen @param {() => void} pick @param {string} [lang] @param {boolean} [disabled] */
const segment = (name, value, title, chosen, pick, lang, disabled) =>
  el('div.segment', null, radio(name, value, chosen, pick, disabled), el('label', { for: `${name}-${value}`, lang }, title))

/** @param {string} name @param {string} value @param {string} chosen @param {() => void} pick @param {boolean} [disabled] */
const radio = (name, value, chosen, pick, disabled) => el('input', { type: 'radio', id: `${name}-${value}`, name, value, checked: value === chosen, disabled, change: pick })

/** What is not known yet is not shown as chosen; what is not kept yet says so. @param {Model} m @param {Acts} acts */
function waitBox({ wait, asked, online }, acts) {
  if (wait.state === 'failed') return failedBox(wait.reason, acts.again)
  const { value } = wait
  const all = value !== null && !WAITS.includes(value) ? [...WAITS, value].sort((a, b) => a - b) : WAITS
  const minutes = new Intl.NumberFormat(localeInUse(), { style: 'unit', unit: 'minute', unitDisplay: 'short', maximumFractionDigits: 1 })
  return el('div.stack', null,
    el('div.segments', group('settings.wait'), all.map((s) => segment('wait', String(s), minutes.format(s / 60), String(asked ?? value), () => acts.wait(s), undefined, !online || value === null))),
    (!online || asked !== null) && el('p.second', { role: 'status' }, t(online ? 'settings.keeping' : 'settings.offline')))
}

/** Erasing asks in words first, and says what stays. @param {Model} m @param {Acts} acts */
function eraseBox(m, acts) {
  if (!m.erasing) return el('button.plain.wide.apart', { type: 'button', id: 'erase', click: () => acts.erase('ask') }, t('settings.erase'))
  return el('section.badge.alarm.apart', { 'aria-labelledby': 'erase-title' }, mark('look'), el('div.stack', null,
    el('h2', { id: 'erase-title' }, t('settings.erase_title', { name: m.name })),
    el('p', null, t('settings.erase_goes')), el('p', null, t('settings.erase_stays')),
    el('div.pair-buttons', null,
      el('button.plain', { type: 'button', id: 'keep', click: () => acts.erase('keep') }, t('settings.erase_keep')),
      el('button.plain', { type: 'button', id: 'erase-now', click: () => acts.erase('do') }, t('settings.erase_do')))))
}
