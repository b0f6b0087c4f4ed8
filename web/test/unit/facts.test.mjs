// The facts that were found about phones, by their numbers: what goes in, and
// the exact address that comes out. A changed letter here is a changed route,
// draft or number.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { check } from '../../app/check.js'
import { intentURL } from '../../app/intents.js'
import { geo } from '../../app/maps.js'
import { address, android, CALLBACK, desktop, FALLBACK, ios, LA, planned, samsung } from './here.mjs'

const url = (...args) => address(planned(...args))
const reason = (...args) => planned(...args).reason
const places = (...names) => names.map((query) => ({ query }))
const SHORTCUTS = { shortcuts: { alarm: 1, timer: 1, torch: 1, media: 1, automation_intent: 1 } }
const refused = (args) => !check('phone_action', JSON.stringify(args)).action

const FACTS = {
  1: () => assert.equal(url('navigate', { destination: { query: 'SFO Airport' }, stops: places('Ferry Building', 'Dolores Park'), mode: 'drive' }, ios, { map: 'google' }),
    'https://www.google.com/maps/dir/?api=1&destination=SFO%20Airport&waypoints=Ferry%20Building%7CDolores%20Park&travelmode=driving&dir_action=navigate'),
  2: () => {
    const to = (count, platform) => planned('navigate', { destination: { query: 'd' }, stops: places(...'abcdefghijk'.slice(0, count)) }, platform, { map: 'google' })
    assert.equal('reason' in to(3, ios), false)
    assert.deepEqual(to(4, ios), { reason: 'cannot.stops', values: { max: '3', count: '4' } }, 'Google Maps may not be there, and a mobile browser loses the fourth')
    for (const platform of [android, desktop]) {
      assert.equal('reason' in to(9, platform), false, 'on Android the intent names the app')
      assert.deepEqual(to(10, platform), { reason: 'cannot.stops', values: { max: '9', count: '10' } })
    }
  },
  4: () => {
    const made = url('navigate', { destination: { query: 'SFO' }, mode: 'transit' }, desktop)
    assert.equal(made, 'https://www.google.com/maps/dir/?api=1&destination=SFO&travelmode=transit')
    assert.match(url('navigate', { destination: { query: 'SFO' }, mode: 'transit' }, android), /^intent:\/\/www\.google\.com\/maps\/dir\/.*&travelmode=transit#/, 'never google.navigation')
  },
  5: () => {
    assert.equal(geo({ lat: '37.7955', lon: '-122.3937', name: 'Ferry Building' }), 'geo:0,0?q=37.7955,-122.3937%28Ferry%20Building%29')
    assert.equal(geo({ lat: '1', lon: '2', name: 'a) & (b' }), 'geo:0,0?q=1,2%28a%29%20%26%20%28b%29')
    const { action } = check('phone_action', '{"action":"navigate","destination":{"lat":-0.0000001,"lon":1e2}}')
    assert.equal(url('navigate', action.fields, desktop), 'https://www.google.com/maps/dir/?api=1&destination=-0.0000001%2C100&travelmode=driving&dir_action=navigate', 'no exponent, a point, latitude first')
  },
  6: () => assert.equal(url('add_stop', { stop: { query: 'Pharmacy' }, destination: { query: 'SFO Airport' } }, desktop),
    'https://www.google.com/maps/dir/?api=1&destination=SFO%20Airport&waypoints=Pharmacy&travelmode=driving&dir_action=navigate'),
  7: () => {
    const to = { destination: { lat: '37.6213', lon: '-122.379' } }
    assert.equal(url('navigate', to, ios, { map: 'waze' }), 'https://waze.com/ul?ll=37.6213%2C-122.379&navigate=yes')
    assert.equal(reason('navigate', { ...to, stops: places('a') }, ios, { map: 'waze' }), 'cannot.no_stops')
  },
  8: () => assert.equal(url('navigate', { destination: { lat: '37.6213', lon: '-122.379' }, stops: [{ lat: '37.7955', lon: '-122.3937' }], mode: 'drive' }, ios),
    'https://maps.apple.com/directions?waypoint=37.7955%2C-122.3937&destination=37.6213%2C-122.379&mode=driving'),
  10: () => {
    const text = 'Running late, 5 min & counting'
    assert.equal(url('sms_draft', { to: ['+14155550123'], text }, android), 'sms:+14155550123?body=Running%20late%2C%205%20min%20%26%20counting')
    assert.equal(url('sms_draft', { to: ['+14155550123'], text }, ios), 'sms:+14155550123&body=Running%20late%2C%205%20min%20%26%20counting')
    assert.equal(url('sms_draft', { to: ['+14155550123', '+14155550199'], text: 'Hi' }, ios), 'sms:/open?addresses=%2B14155550123,%2B14155550199&body=Hi')
  },
  11: () => { // sms:, not smsto:, which Chrome does not hand to the messaging app of the phone's choice
    assert.equal(url('sms_draft', { to: ['112233', '445566'] }, android), 'sms:112233;445566')
    assert.equal(url('sms_draft', { to: ['112233', '445566'] }, samsung), 'sms:112233,445566')
  },
  12: () => {
    const draft = { to: ['ann+work@example.com', 'bob@example.com'], cc: ['c@example.com'], subject: 'Q3 plan: 50% + more', text: 'Line 1\nLine 2' }
    const want = 'mailto:ann%2Bwork@example.com,bob@example.com?cc=c%40example.com&subject=Q3%20plan%3A%2050%25%20%2B%20more&body=Line%201%0D%0ALine%202'
    for (const platform of [android, ios, desktop]) assert.equal(url('email_draft', draft, platform), want)
    assert.equal(url('email_draft', { text: 'a\r\nb\rc\nd' }, ios), 'mailto:?body=a%0D%0Ab%0D%0Ac%0D%0Ad', 'one line end each')
  },
  13: () => {
    for (const to of ['a@x?bcc=evil@y', 'a@x,b@y', 'a@x;b@y', 'Ann <a@x>', 'a@x%0D%0Abcc:b@y', 'a@x\nbcc:b@y', 'a@x&bcc=b']) {
      for (const [platform, change] of [[android, {}], [ios, { mail: 'gmail' }], [desktop, { mail: 'gmail' }]]) {
        assert.deepEqual(planned('email_draft', { to: [to] }, platform, change), { reason: 'cannot.mailbox', values: { to } })
        assert.deepEqual(planned('email_draft', { to: ['a@x'], cc: [to] }, platform, change), { reason: 'cannot.mailbox', values: { to } })
      }
    }
  },
  14: () => {
    assert.equal(url('dial', { number: '*100#' }, android), 'tel:*100%23')
    assert.equal(url('dial', { number: '*#06#' }, android), 'tel:*%2306%23')
    assert.ok(refused({ action: 'dial', number: '*#06#' }), 'two digits: the check refuses it before')
    assert.equal(reason('dial', { number: '*100#' }, ios), 'cannot.dial_code')
    assert.equal(url('dial', { number: '+1 (800) 555-0100' }, android), 'tel:+18005550100')
    assert.equal(url('dial', { number: '030/90.90-0' }, ios), 'tel:03090900')
  },
  16: () => {
    for (const platform of [android, desktop]) assert.deepEqual(planned('alarm', { time: '07:30' }, platform, SHORTCUTS), { reason: 'cannot.alarm' }, 'nothing is opened, no store either')
  },
  17: () => {
    for (const seconds of [0, 86_401]) assert.ok(refused({ action: 'timer', seconds }), `${seconds}`)
    assert.deepEqual(planned('timer', { seconds: 86_400 }, ios, SHORTCUTS).input, { seconds: 86_400 })
  },
  18: () => assert.equal(url('calendar_event', { title: 'Dinner', start: '2026-09-24T18:30', end: '2026-09-24T20:00' }, android),
    'https://calendar.google.com/calendar/render?action=TEMPLATE&text=Dinner&dates=20260925T013000Z%2F20260925T030000Z'),
  19: () => {
    for (const zone of [LA, 'Asia/Tokyo', 'Pacific/Kiritimati']) {
      assert.equal(url('calendar_event', { title: 'x', start: '2026-09-24' }, { ...android, zone }), 'https://calendar.google.com/calendar/render?action=TEMPLATE&text=x&dates=20260924%2F20260925')
      const { text } = planned('calendar_event', { title: 'x', start: '2026-09-24' }, { ...ios, zone }, { calendar: 'file' })
      assert.match(text, /\r\nDTSTART;VALUE=DATE:20260924\r\nDTEND;VALUE=DATE:20260925\r\n/)
    }
  },
  20: () => {
    assert.deepEqual(planned('calendar_event', { title: 'x', start: '2026-03-08T02:30' }, android), { reason: 'cannot.gap', values: { time: '2026-03-08T02:30', zone: LA } })
    assert.deepEqual(planned('calendar_event', { title: 'x', start: '2026-02-31' }, android), { reason: 'cannot.no_such_date', values: { date: '2026-02-31' } })
  },
  21: () => assert.equal(intentURL({ data: '', action: 'android.intent.action.SET_ALARM', extras: { 'android.intent.extra.alarm.MESSAGE': 'Tea; now', 'android.intent.extra.alarm.HOUR': 7, 'android.intent.extra.alarm.SKIP_UI': true } }, FALLBACK),
    'intent:#Intent;action=android.intent.action.SET_ALARM;S.android.intent.extra.alarm.MESSAGE=Tea%3B%20now;i.android.intent.extra.alarm.HOUR=7;B.android.intent.extra.alarm.SKIP_UI=true;' +
    'S.browser_fallback_url=https%3A%2F%2Fnod.example%2Flaunch-failed%2FTOKEN;end'),
  22: () => {
    const { intent } = planned('navigate', { destination: { query: 'SFO Airport' } }, android)
    const web = 'https://www.google.com/maps/dir/?api=1&destination=SFO%20Airport&dir_action=navigate'
    assert.equal(intentURL({ ...intent, data: web.slice('https:'.length) }, web),
      'intent://www.google.com/maps/dir/?api=1&destination=SFO%20Airport&dir_action=navigate#Intent;scheme=https;package=com.google.android.apps.maps;' +
      'S.browser_fallback_url=https%3A%2F%2Fwww.google.com%2Fmaps%2Fdir%2F%3Fapi%3D1%26destination%3DSFO%2520Airport%26dir_action%3Dnavigate;end')
    assert.equal(intent.data, '//www.google.com/maps/dir/?api=1&destination=SFO%20Airport&travelmode=driving&dir_action=navigate', 'the same, with the mode')
  },
  23: () => {
    assert.equal(url('open_url', { url: 'https://example.com/a?b=c&d=e#f' }, android), 'https://example.com/a?b=c&d=e#f')
    assert.equal(check('phone_action', '{"action":"open_url","url":" HTTP://EXAMPLE.com "}').action.fields.url, 'HTTP://EXAMPLE.com', 'trimmed, in any case')
    const no = ['intent://x#Intent;end', 'javascript:alert(1)', 'file:///sdcard/x', 'data:text/html,x', 'content://x', 'https://', 'http:\\\\x', 'https://google.com@evil.example/', 'https://x/\u0000', 'ftp://x', 'https:///x']
    for (const link of no) {
      assert.ok(refused({ action: 'open_url', url: link }), link)
      assert.equal(reason('open_url', { url: link }, android), 'cannot.url', link)
    }
  },
  26: () => assert.equal(url('alarm', { time: '07:30', label: 'Train' }, ios, SHORTCUTS),
    'shortcuts://x-callback-url/run-shortcut?name=Nod%20Alarm&input=text&text=%7B%22time%22%3A%2207%3A30%22%2C%22label%22%3A%22Train%22%7D' +
    '&x-success=https%3A%2F%2Fnod.example%2Fcb%2FTOKEN%2Fok&x-cancel=https%3A%2F%2Fnod.example%2Fcb%2FTOKEN%2Fcancel&x-error=https%3A%2F%2Fnod.example%2Fcb%2FTOKEN%2Ferror'),
}

/** The facts that no browser can live up to, and why. */
const NOT_A_BROWSER = {
  3: 'google.navigation: is the form for native hosts; a browser opens the Maps URL (maps.test.mjs, walking)',
  9: 'osmand.api:// takes nothing from a browser: its filter is not BROWSABLE (maps.test.mjs has the names that are handed over)',
  15: 'a list of days is no extra that an intent: address can have, and the clock takes no intent from a browser',
  24: 'no action of the contract opens a ride',
  25: 'no action of the contract opens a ride',
  27: 'a broadcast; a browser sends none',
  28: 'quoting for adb; a browser has no shell',
  29: 'key events; a browser presses none',
  30: 'settings pages take no intent from a browser',
  31: 'Termux:API',
  32: 'Termux:API',
  33: 'Termux:API',
  34: 'Termux:API',
  35: 'the gateway’s own (internal/push)',
  36: 'an extra of a native calendar intent, and the contract has no attendees',
}

for (const [number, holds] of Object.entries(FACTS)) test(`fact ${number}`, holds)

test('each of the 36 facts is a test here, or says why it cannot concern a browser', () => {
  const all = [...Object.keys(FACTS), ...Object.keys(NOT_A_BROWSER)].map(Number).sort((a, b) => a - b)
  assert.deepEqual(all, Array.from({ length: 36 }, (_, i) => i + 1))
  assert.ok(Object.values(NOT_A_BROWSER).every((why) => why))
})

test('what a Shortcut calls back is the address that was deposited', () => {
  const made = new URL(url('torch', { on: true }, ios, SHORTCUTS))
  assert.deepEqual(['x-success', 'x-cancel', 'x-error'].map((key) => made.searchParams.get(key)), ['ok', 'cancel', 'error'].map((end) => `${CALLBACK}/${end}`))
})
