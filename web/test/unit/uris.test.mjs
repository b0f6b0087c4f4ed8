// Input to exact URL. The rows are the facts that were checked against what the
// apps document; a changed letter here is a changed route, draft or number.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { defaults } from '../../app/settings.js'
import { geo, pct, plan, webAddress } from '../../app/uris.js'

const LA = 'America/Los_Angeles'
const android = { os: 'android', version: 0, samsung: false, zone: LA, standalone: true }
const settings = defaults('android')
const NOW = Date.UTC(2026, 10, 30, 12)
const samsung = { ...android, samsung: true }
const ios = { ...android, os: 'ios' }
const desktop = { ...android, os: 'desktop' }
const MAPS = 'https://www.google.com/maps/'

const ROWS = [
  ['route with two stops', 'navigate', { destination: { query: 'SFO Airport' }, stops: [{ query: 'Ferry Building' }, { query: 'Dolores Park' }], mode: 'drive' }, android,
    `${MAPS}dir/?api=1&destination=SFO%20Airport&waypoints=Ferry%20Building%7CDolores%20Park&travelmode=driving&dir_action=navigate`],
  ['driving where no mode is said', 'navigate', { destination: { query: 'SFO' } }, android, `${MAPS}dir/?api=1&destination=SFO&travelmode=driving&dir_action=navigate`],
  ['walking, with signs in the name', 'navigate', { destination: { query: '1st & Pike, Seattle' }, mode: 'walk' }, ios,
    `${MAPS}dir/?api=1&destination=1st%20%26%20Pike%2C%20Seattle&travelmode=walking&dir_action=navigate`],
  ['bicycle', 'navigate', { destination: { name: 'x' }, mode: 'bicycle' }, desktop, `${MAPS}dir/?api=1&destination=x&travelmode=bicycling&dir_action=navigate`],
  ['public transport starts no turn-by-turn', 'navigate', { destination: { query: 'SFO' }, mode: 'transit' }, android, `${MAPS}dir/?api=1&destination=SFO&travelmode=transit`],
  ['a point wins over its name', 'navigate', { destination: { lat: '37.7955', lon: '-122.3937', name: 'Ferry Building', query: 'ferry' }, stops: [{ lat: '41.15', lon: '-8.61' }] }, android,
    `${MAPS}dir/?api=1&destination=37.7955%2C-122.3937&waypoints=41.15%2C-8.61&travelmode=driving&dir_action=navigate`],
  ['a query wins over a name', 'navigate', { destination: { name: 'home', query: 'Rua Augusta 12' } }, android, `${MAPS}dir/?api=1&destination=Rua%20Augusta%2012&travelmode=driving&dir_action=navigate`],
  ['three stops', 'navigate', { destination: { query: 'd' }, stops: [{ query: 'a' }, { query: 'b' }, { query: 'c' }] }, android,
    `${MAPS}dir/?api=1&destination=d&waypoints=a%7Cb%7Cc&travelmode=driving&dir_action=navigate`],
  ['four stops', 'navigate', { destination: { query: 'd' }, stops: ['a', 'b', 'c', 'e'].map((query) => ({ query })) }, android, { reason: 'cannot.stops', values: { count: '4' } }],
  ['stops on public transport', 'navigate', { destination: { query: 'd' }, stops: [{ query: 'a' }], mode: 'transit' }, android, { reason: 'cannot.transit_stops' }],
  ['a link that would be cut', 'navigate', { destination: { query: '名'.repeat(200) }, stops: [{ query: '名'.repeat(200) }] }, android, { reason: 'cannot.url_length' }],
  ['add a stop: the stop is on the way', 'add_stop', { stop: { query: 'Pharmacy' }, destination: { query: 'SFO Airport' } }, android,
    `${MAPS}dir/?api=1&destination=SFO%20Airport&waypoints=Pharmacy&travelmode=driving&dir_action=navigate`],
  ['search', 'search_nearby', { query: 'coffee & cake' }, android, `${MAPS}search/?api=1&query=coffee%20%26%20cake`],

  ['text, Android', 'sms_draft', { to: ['+1 415-555-0123'], text: 'Running late, 5 min & counting' }, android, 'sms:+14155550123?body=Running%20late%2C%205%20min%20%26%20counting'],
  ['text, iOS', 'sms_draft', { to: ['+14155550123'], text: 'Running late, 5 min & counting' }, ios, 'sms:+14155550123&body=Running%20late%2C%205%20min%20%26%20counting'],
  ['text to two, iOS', 'sms_draft', { to: ['+14155550123', '+14155550199'], text: 'Hi' }, ios, 'sms:/open?addresses=%2B14155550123,%2B14155550199&body=Hi'],
  ['text to two, Android', 'sms_draft', { to: ['+14155550123', '+14155550199'], text: 'Hi' }, android, 'sms:+14155550123;+14155550199?body=Hi'],
  ['text to two, Samsung', 'sms_draft', { to: ['+14155550123', '+14155550199'], text: 'Hi' }, samsung, 'sms:+14155550123,+14155550199?body=Hi'],
  ['text to nobody yet', 'sms_draft', { text: 'Hi' }, android, 'sms:?body=Hi'],
  ['text without words', 'sms_draft', { to: ['112233'] }, android, 'sms:112233'],
  ['text: nothing leaks into the recipient', 'sms_draft', { to: ['+351910000001'], text: 'Rock & roll #1? ação 👍' }, android, 'sms:+351910000001?body=Rock%20%26%20roll%20%231%3F%20a%C3%A7%C3%A3o%20%F0%9F%91%8D'],
  ['text to a name', 'sms_draft', { to: ['Stef'], text: 'Hi' }, android, { reason: 'cannot.sms_number', values: { to: 'Stef' } }],
  ['text to a header', 'sms_draft', { to: ['123?body=x'], text: 'Hi' }, android, { reason: 'cannot.sms_number', values: { to: '123?body=x' } }],
  ['text on a computer', 'sms_draft', { to: ['112233'] }, desktop, { reason: 'cannot.sms_draft' }],

  ['mail', 'email_draft', { to: ['ann+work@example.com', 'bob@example.com'], cc: ['c@example.com'], subject: 'Q3 plan: 50% + more', text: 'Line 1\nLine 2' }, android,
    'mailto:ann%2Bwork@example.com,bob@example.com?cc=c%40example.com&subject=Q3%20plan%3A%2050%25%20%2B%20more&body=Line%201%0D%0ALine%202'],
  ['mail: lines are not doubled', 'email_draft', { text: 'a\r\nb\rc\nd' }, android, 'mailto:?body=a%0D%0Ab%0D%0Ac%0D%0Ad'],
  ['mail: a header is no address', 'email_draft', { to: ['a@x?bcc=evil@y'] }, android, { reason: 'cannot.mailbox', values: { to: 'a@x?bcc=evil@y' } }],
  ['mail: two are not one', 'email_draft', { to: ['a@x,b@y'] }, android, { reason: 'cannot.mailbox', values: { to: 'a@x,b@y' } }],
  ['mail: a query is no host', 'email_draft', { to: ['a@x?bcc=evil'] }, android, { reason: 'cannot.mailbox', values: { to: 'a@x?bcc=evil' } }],
  ['mail: a name before an address', 'email_draft', { to: ['Ann <a@x>'] }, android, { reason: 'cannot.mailbox', values: { to: 'Ann <a@x>' } }],
  ['mail: copies are checked too', 'email_draft', { cc: ['nobody'], subject: 'x' }, android, { reason: 'cannot.mailbox', values: { to: 'nobody' } }],

  ['dial', 'dial', { number: '+1 (800) 555-0100' }, android, 'tel:+18005550100'],
  ['dial, with dots and strokes', 'dial', { number: '030/90.90-0' }, ios, 'tel:03090900'],
  ['dial a code', 'dial', { number: '*100#' }, android, 'tel:*100%23'],
  ['dial a code that the check refuses', 'dial', { number: '*#06#' }, android, 'tel:*%2306%23'],
  ['dial a code, iOS', 'dial', { number: '*100#' }, ios, { reason: 'cannot.dial_code' }],
  ['dial on a computer', 'dial', { number: '112233' }, desktop, { reason: 'cannot.dial' }],

  ['address', 'open_url', { url: 'https://example.com/a?b=c&d=e#f' }, android, 'https://example.com/a?b=c&d=e#f'],
  ['address, as it was given', 'open_url', { url: 'HTTP://EXAMPLE.com' }, android, 'HTTP://EXAMPLE.com'],
  ...['intent://x#Intent;end', 'javascript:alert(1)', 'file:///sdcard/x', 'data:text/html,x', 'content://x', 'https://', 'http:\\\\x', 'https://google.com@evil.example/', 'https://x/\u0000', 'ftp://x', 'https:///x']
    .map((url) => [`no address: ${JSON.stringify(url)}`, 'open_url', { url }, android, { reason: 'cannot.url' }]),

  ['event', 'calendar_event', { title: 'Dinner', start: '2026-09-24T18:30', end: '2026-09-24T20:00' }, android,
    'https://calendar.google.com/calendar/render?action=TEMPLATE&text=Dinner&dates=20260925T013000Z%2F20260925T030000Z'],
  ['event without an end is an hour', 'calendar_event', { title: 'Dinner & talk', start: '2026-12-04T19:30', place: 'Rua 8, Porto', notes: 'a\nb' }, { ...android, zone: 'Europe/Lisbon' },
    'https://calendar.google.com/calendar/render?action=TEMPLATE&text=Dinner%20%26%20talk&dates=20261204T193000Z%2F20261204T203000Z&details=a%0Ab&location=Rua%208%2C%20Porto'],
  ['a day', 'calendar_event', { title: 'x', start: '2026-09-24' }, android, 'https://calendar.google.com/calendar/render?action=TEMPLATE&text=x&dates=20260924%2F20260925'],
  ['a day, ends that day', 'calendar_event', { title: 'Offsite', start: '2026-12-03', end: '2026-12-03' }, { ...android, zone: 'Asia/Tokyo' },
    'https://calendar.google.com/calendar/render?action=TEMPLATE&text=Offsite&dates=20261203%2F20261204'],
  ['two days, over a year', 'calendar_event', { title: 'x', start: '2026-12-31', end: '2027-01-01' }, android, 'https://calendar.google.com/calendar/render?action=TEMPLATE&text=x&dates=20261231%2F20270102'],
  ['an hour that the clocks skip', 'calendar_event', { title: 'x', start: '2026-03-08T02:30' }, android, { reason: 'cannot.gap', values: { time: '2026-03-08T02:30', zone: LA } }],
  ['an end that the clocks skip', 'calendar_event', { title: 'x', start: '2026-03-08T01:30', end: '2026-03-08T02:30' }, android, { reason: 'cannot.gap', values: { time: '2026-03-08T02:30', zone: LA } }],
  ['a day that does not exist', 'calendar_event', { title: 'x', start: '2026-02-31' }, android, { reason: 'cannot.no_such_date', values: { date: '2026-02-31' } }],
  ['an hour that does not exist', 'calendar_event', { title: 'x', start: '2026-02-03T24:00' }, android, { reason: 'cannot.no_such_date', values: { date: '2026-02-03T24:00' } }],
  ['an end that does not exist', 'calendar_event', { title: 'x', start: '2026-02-03', end: '2026-13-01' }, android, { reason: 'cannot.no_such_date', values: { date: '2026-13-01' } }],
  ['a day and an hour', 'calendar_event', { title: 'x', start: '2026-02-03', end: '2026-02-03T10:00' }, android, { reason: 'cannot.mixed_dates' }],
  ['ends before it starts', 'calendar_event', { title: 'x', start: '2026-02-03T10:00', end: '2026-02-03T09:00' }, android, { reason: 'cannot.ends_before' }],

  ...['stop_navigation', 'alarm', 'timer', 'open_app', 'media', 'torch', 'settings_panel', 'automation_intent'].map((a) => [`${a} in a browser`, a, {}, android, { reason: `cannot.${a}` }]),
]

for (const [name, action, fields, platform, want] of ROWS) {
  test(name, () => {
    const got = plan(action, fields, platform, settings, null, NOW)
    if (typeof want === 'string') assert.equal(got.url, want)
    else assert.deepEqual(got, want)
  })
}

test('web pages open in a window, everything else as an address', () => {
  assert.equal(plan('navigate', { destination: { query: 'd' } }, android, settings, null, NOW).how, 'window')
  assert.equal(plan('dial', { number: '112233' }, android, settings, null, NOW).how, 'address')
})

test('the geo form of a place', () => {
  assert.equal(geo({ lat: '37.7955', lon: '-122.3937', name: 'Ferry Building' }), 'geo:0,0?q=37.7955,-122.3937%28Ferry%20Building%29')
  assert.equal(geo({ lat: '1', lon: '2', name: 'a) & (b' }), 'geo:0,0?q=1,2%28a%29%20%26%20%28b%29')
  assert.equal(geo({ query: '1st & Pike' }), 'geo:0,0?q=1st%20%26%20Pike')
})

test('only the unreserved characters stay', () => {
  assert.equal(pct("AZaz09-._~ !'()*+,;=:@/?#[]&$%"), "AZaz09-._~%20%21%27%28%29%2A%2B%2C%3B%3D%3A%40%2F%3F%23%5B%5D%26%24%25")
})

test('an address is split letter for letter', () => {
  assert.deepEqual(webAddress('https://www.Example.com:8443/a?b#c'), ['https://', 'www.Example.com:8443', '/a?b#c'])
  assert.deepEqual(webAddress('http://[::1]/x y'), ['http://', '[::1]', '/x y'])
})
