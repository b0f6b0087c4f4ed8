// Over generated offers, on every system and with every setting: a plan is one
// absolute address of a scheme that is meant, and it says exactly what the card
// said, no less and no more.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { BY_SHORTCUT, cannot } from '../../app/uris.js'
import { defaults } from '../../app/settings.js'
import { english, t, useLanguage } from '../../app/text.js'
import { offers } from '../offers.mjs'
import { address, android, CALLBACK, desktop, FALLBACK, ios, NOW, planned, samsung } from './here.mjs'

const PLATFORMS = [android, samsung, ios, { ...ios, version: 1700, zone: 'Asia/Tokyo' }, { ...ios, version: 0 }, desktop]
const MAPS = ['google', 'apple', 'waze', 'osmand', 'organic']
const SETTINGS = MAPS.flatMap((map, i) => [
  { map, calendar: i % 2 ? 'file' : 'google', mail: i % 2 ? 'gmail' : 'default', shortcuts: i % 2 ? Object.fromEntries(BY_SHORTCUT.map((a) => [a, 1])) : {} },
  { map, calendar: i % 2 ? 'google' : 'file', mail: i % 2 ? 'default' : 'gmail', shortcuts: {} },
])
const READY = { torch: 'ready', notifications: 'needs_permission', location: 'ready', clipboardRead: 'ready', clipboardWrite: 'ready', contacts: 'ready' }
const SCHEMES = ['https', 'http', 'sms', 'mailto', 'tel', 'intent', 'om', 'googlegmail', 'shortcuts']
const INTENTS = { https: ['com.google.android.apps.maps', 'com.waze', 'net.osmand'], geo: ['net.osmand'], om: ['app.organicmaps'] }

/** The names and values of a query, none of them lost. @param {string} query */
const pairs = (query) => query.split('&').map((pair) => /^([\w-]+)=(.*)$/s.exec(pair)).map(([, key, value]) => [key, decodeURIComponent(value)])
const point = (p) => (p.lat === undefined ? p.query ?? p.name : `${p.lat},${p.lon}`)
const lines = (text) => text.replace(/\r\n|\r|\n/g, '\r\n')
const bare = (number) => number.replace(/[\s().\-/]/g, '')

/** Takes an intent: address apart; what a phone would then open. @param {string} url */
function opened(url) {
  const m = /^intent:([^#]*)#Intent;scheme=([a-z]+);package=([a-z.]+);S\.browser_fallback_url=([^;]+);end$/.exec(url)
  assert.ok(m, url)
  assert.ok(INTENTS[m[2]]?.includes(m[3]), url)
  assert.equal(decodeURIComponent(m[4]), FALLBACK)
  return `${m[2]}:${m[1]}`
}

/** What a map address says: where to, by way of what, how. */
function read(url) {
  const [base, query] = url.split('?')
  const said = pairs(query)
  const all = (...keys) => said.filter(([key]) => keys.includes(key)).map(([, value]) => value)
  const known = ['api', 'destination', 'waypoints', 'waypoint', 'travelmode', 'dir_action', 'mode', 'daddr', 'dirflg', 'll', 'q', 'navigate', 'via', 'end', 'profile', 'destination_name', 'query']
  assert.deepEqual(said.filter(([key]) => !known.includes(key)), [], 'no parameter came in with a text')
  for (const key of known) if (key !== 'waypoint') assert.ok(all(key).length <= 1, `${key} twice`)
  return { base, to: all('destination', 'daddr', 'll', 'q', 'end', 'query'), by: [...all('waypoint'), ...all('waypoints').flatMap((w) => w.split('|')), ...all('via').flatMap((v) => v.split(';'))], name: all('destination_name') }
}

const SAYS = {
  navigate: (f, made) => {
    const { to, by, name } = read(made)
    assert.deepEqual(to, [point(f.destination)])
    if (!(f.stops ?? []).some((s) => s.lat === undefined && point(s).includes('|'))) assert.deepEqual(by, (f.stops ?? []).map(point))
    if (name.length) assert.deepEqual(name, [f.destination.name || f.destination.query])
  },
  add_stop: (f, made) => SAYS.navigate({ ...f, stops: [f.stop] }, made),
  search_nearby: (f, made) => assert.deepEqual(read(made).to, [f.query]),
  sms_draft: (f, made, { os }) => {
    const [, to, body] = os === 'ios' && f.to?.length > 1 ? /^sms:\/open\?addresses=([^&]*)(?:&body=(.*))?$/s.exec(made) : (os === 'ios' ? /^sms:([^&]*)(?:&body=(.*))?$/s : /^sms:([^?]*)(?:\?body=(.*))?$/s).exec(made)
    assert.deepEqual(to ? to.split(/[;,]/).map(decodeURIComponent) : [], (f.to ?? []).map(bare))
    assert.equal(body === undefined ? undefined : decodeURIComponent(body), f.text)
  },
  email_draft: (f, made) => {
    const [, to, query] = /^(?:mailto:([^?]*)|googlegmail:\/\/co|https:\/\/mail\.google\.com\/mail\/)(?:\?(.*))?$/s.exec(made)
    const said = Object.fromEntries(query ? pairs(query) : [])
    const { view, fs, to: toField, su, subject = su, ...rest } = said
    assert.deepEqual((toField ?? decodeURIComponent(to ?? '')).split(',').filter(Boolean), f.to ?? [])
    assert.deepEqual({ subject, ...rest }, { subject: f.subject, ...(f.cc && { cc: f.cc.join(',') }), ...(f.text && { body: lines(f.text) }) })
  },
  dial: (f, made) => assert.equal(decodeURIComponent(made.slice('tel:'.length)), bare(f.number)),
  open_url: (f, made) => assert.equal(made, f.url),
  calendar_event: (f, made) => {
    const { action, dates, ...said } = Object.fromEntries(pairs(made.split('?')[1]))
    assert.deepEqual(said, { text: f.title, ...(f.notes && { details: f.notes }), ...(f.place && { location: f.place }) })
  },
  calendar_create: (f, made) => SAYS.calendar_event({ title: f.title, notes: f.description, place: f.location }, made),
}
for (const action of BY_SHORTCUT) {
  SAYS[action] = (f, made) => {
    const said = pairs(made.split('?')[1])
    assert.deepEqual(said.map(([key]) => key), ['name', 'input', 'text', 'x-success', 'x-cancel', 'x-error'])
    const { name, input, text, ...back } = Object.fromEntries(said)
    assert.deepEqual(JSON.parse(text), action === 'automation_intent' ? { ...f.values } : { ...f })
    assert.equal(input, 'text')
    assert.deepEqual(Object.values(back), ['ok', 'cancel', 'error'].map((end) => `${CALLBACK}/${end}`))
    if (action === 'automation_intent') assert.equal(name, f.name)
  }
}

/** A calendar file read back. @param {string} text */
function event(text) {
  const unfolded = text.replaceAll('\r\n ', '').replace(/BEGIN:VALARM[^]*END:VALARM/, '').split('\r\n')
  const value = (key) => unfolded.filter((line) => line.startsWith(`${key}:`)).map((line) => line.slice(key.length + 1).replace(/\\(.)/gs, (_, c) => (c === 'n' ? '\r\n' : c)))
  return { title: value('SUMMARY'), place: value('LOCATION'), notes: value('DESCRIPTION') }
}

/** An offer as it came, and one that more apps take: recipients that are some, places that are points. @param {any} offer */
function* variants({ action, fields: f }) {
  yield { action, fields: f }
  const to = (list, i) => list?.map((_, n) => (action === 'sms_draft' ? `+${100_000 + n + i}` : `a+${n}=b%&'${i}@example.com`))
  const exact = (p, i) => p && { lat: `${i}.5`, lon: '-0.0000001', ...p }
  if (Array.isArray(f.to) || f.cc) yield { action, fields: { ...f, ...(f.to && { to: to(f.to, 1) }), ...(f.cc && { cc: to(f.cc, 2) }) } }
  if (f.destination) yield { action, fields: { ...f, destination: exact(f.destination, 1), ...(f.stop && { stop: exact(f.stop, 2) }), ...(f.stops && { stops: f.stops.map(exact) }) } }
}

/** @param {any} offer @param {any} platform @param {any} settings */
function holds({ action, fields }, platform, settings) {
  const made = planned(action, fields, platform, settings, { app: 'app.waze', destination: 'a\u202eb', at: NOW - 1 }, READY)
  if ('reason' in made) {
    for (const say of [english, t]) assert.doesNotMatch(say(made.reason, made.values), /^cannot\.|\{\{(?!app\}\})/, made.reason)
    return false
  }
  assert.equal(cannot(action, platform, { ...defaults(platform.os), ...settings }, READY), null)
  for (const key of [made.app, made.note].filter(Boolean)) assert.notEqual(english(key), key)
  if (made.do === 'torch') assert.equal(made.on, fields.on)
  if (made.do === 'device') assert.deepEqual([made.what, made.fields], [action, fields])
  if (made.do === 'file') {
    const { title, place = fields.location, notes = fields.description } = fields
    assert.deepEqual(event(made.text), { title: [title], place: place ? [place] : [], notes: notes ? [lines(notes)] : [] })
    assert.equal(made.text.includes('VALARM'), fields.reminder_minutes !== undefined)
  }
  const url = address(made)
  if (url === undefined) return true
  const scheme = /^([a-z]+):/i.exec(url)?.[1].toLowerCase()
  assert.ok(SCHEMES.includes(scheme), url)
  assert.equal(new URL(url).protocol, `${scheme}:`)
  if (action !== 'open_url') {
    assert.match(url, /^[\x21-\x7e]+$/, 'nothing but letters that an address has')
    assert.notEqual(scheme, 'http')
  }
  SAYS[action](fields, scheme === 'intent' ? opened(url) : url, platform)
  return true
}

test('every plan says what its card says, and nothing else, wherever it is made', () => {
  useLanguage(['de'])
  const done = new Set()
  let count = 0
  for (const generated of offers(11, 800)) {
    for (const offer of variants(generated)) {
      for (const platform of PLATFORMS) {
        for (const settings of SETTINGS) {
          if (holds(offer, platform, settings)) done.add(`${offer.action} ${platform.os}`).add(`${offer.action} ${settings.map} ${platform.os}`)
          count++
        }
      }
    }
  }
  useLanguage(['en'])
  assert.ok(count > 800 * PLATFORMS.length * SETTINGS.length)
  for (const map of MAPS) assert.ok(done.has(`navigate ${map} ${map === 'apple' ? 'ios' : 'android'}`), map)
  for (const os of ['android', 'ios', 'desktop']) for (const action of ['navigate', 'add_stop', 'search_nearby', 'email_draft', 'open_url', 'calendar_event', 'calendar_create', 'clipboard_read', 'clipboard_write', 'contacts_search', 'location', 'notify', 'phone_now', 'photo_pick']) assert.ok(done.has(`${action} ${os}`), `${action} ${os}`)
  for (const action of [...BY_SHORTCUT, 'sms_draft', 'dial']) assert.ok(done.has(`${action} ios`), action)
})
