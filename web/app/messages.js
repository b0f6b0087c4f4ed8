// Drafts and numbers: text messages, mail, the dialer. The person sends, or
// calls; all that is handed over is what the card showed. Pure.

import { pct } from './intents.js'

/**
 * @typedef {import('./uris.js').Fields} Fields
 * @typedef {import('./uris.js').Here} Here
 * @typedef {import('./uris.js').Plan} Plan
 */

const GMAIL_PAGE_LENGTH = 8192
/** What a desktop's mail program is sure to be handed: Windows cuts what is longer. */
const DESKTOP_LENGTH = 2000

/** What a dialer needs of a number as people write it. @param {string} text */
const bare = (text) => text.replace(/[\s().\-/]/g, '')

/**
 * Several recipients are joined as the system's own messaging app reads them;
 * Samsung's wants a comma. The text never begins where a number could go on.
 * @param {Fields} f @param {Here} here @returns {Plan}
 */
export function sms(f, { platform: p }) {
  const to = (f.to ?? []).map(bare)
  const wrong = (f.to ?? []).find((/** @type {string} */ _, /** @type {number} */ i) => !/^\+?\d{3,}$/.test(to[i]))
  if (wrong !== undefined) return { reason: 'cannot.sms_number', values: { to: wrong } }
  const body = f.text ? `body=${pct(f.text)}` : ''
  const url = p.os === 'ios' && to.length > 1
    ? `sms:/open?addresses=${to.map(pct).join(',')}${body && `&${body}`}`
    : `sms:${to.join(p.samsung ? ',' : ';')}${body && (p.os === 'ios' ? '&' : '?') + body}`
  return { do: 'open', url, how: 'address', app: 'app.messages' }
}

// One mailbox: anything that a mail app could read as a second one, or as a
// header, is refused rather than encoded and hoped for.
const MAILBOX = /^([^\s@,;:<>()[\]"\\]+)@([^\s@,;:<>()[\]"\\?&#=%/]+)$/u

/** @param {Fields} f @param {Here} here @returns {Plan} */
export function email(f, { platform: { os }, settings }) {
  for (const to of [...(f.to ?? []), ...(f.cc ?? [])]) {
    if (!MAILBOX.test(to)) return { reason: 'cannot.mailbox', values: { to } }
  }
  const gmail = settings.mail === 'gmail' && os !== 'android' // there, mailto: opens the mail app that the person chose
  const names = gmail && os === 'desktop' ? { subject: 'su', to: 'to' } : { subject: 'subject', to: gmail ? 'to' : '' }
  const query = [
    names.to && f.to && `to=${f.to.map(pct).join(',')}`,
    f.cc && `cc=${f.cc.map(pct).join(',')}`,
    f.subject && `${names.subject}=${pct(f.subject)}`,
    f.text && `body=${pct(f.text.replace(/\r\n|\r|\n/g, '\r\n'))}`,
  ].filter(Boolean).join('&')
  if (gmail) {
    if (os === 'ios') return { do: 'open', url: `googlegmail://co?${query}`, how: 'address', app: 'app.gmail' }
    return within(GMAIL_PAGE_LENGTH, { do: 'open', url: `https://mail.google.com/mail/?view=cm&fs=1&${query}`, how: 'window', app: 'app.gmail' })
  }
  const to = (f.to ?? []).map((/** @type {string} */ a) => a.replace(MAILBOX, (_, local, host) => `${pct(local)}@${pct(host)}`))
  return within(os === 'desktop' ? DESKTOP_LENGTH : Infinity, { do: 'open', url: `mailto:${to.join(',')}${query && `?${query}`}`, how: 'address', app: 'app.mail' })
}

/** @param {number} length @param {import('./uris.js').Launch} launch @returns {Plan} */
const within = (length, launch) => (launch.url.length > length ? { reason: 'cannot.url_length' } : launch)

/** @param {Fields} f @param {Here} here @returns {Plan} */
export function dial(f, { platform }) {
  if (!/^[0-9 +()\-./#*]+$/.test(f.number)) return { reason: 'cannot.sms_number', values: { to: f.number } }
  if (platform.os === 'ios' && /[*#]/.test(f.number)) return { reason: 'cannot.dial_code' }
  return { do: 'open', url: `tel:${bare(f.number).replace(/#/g, '%23')}`, how: 'address', app: 'app.dialer' }
}
