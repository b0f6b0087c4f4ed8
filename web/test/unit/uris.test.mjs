// Drafts, numbers, links and Shortcuts: the exact address, or why not. The facts
// with a number are in facts.test.mjs.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { rows } from '../../app/fields.js'
import { pct } from '../../app/intents.js'
import { english } from '../../app/text.js'
import { webAddress } from '../../app/address.js'
import { nextRing } from '../../app/zone.js'
import { address, android, desktop, ios, NOW, planned } from './here.mjs'

const SHORTCUTS = { shortcuts: { alarm: 1, timer: 1, torch: 1, media: 1, automation_intent: 1 } }
const GMAIL = { mail: 'gmail' }

const ROWS = [
  ['text to nobody yet', 'sms_draft', { text: 'Hi' }, android, {}, 'sms:?body=Hi'],
  ['text without words', 'sms_draft', { to: ['+1 415-555-0123'] }, android, {}, 'sms:+14155550123'],
  ['case 21: nothing leaks into the recipient', 'sms_draft', { to: ['+351910000001'], text: 'Rock & roll #1? ação 👍' }, android, {}, 'sms:+351910000001?body=Rock%20%26%20roll%20%231%3F%20a%C3%A7%C3%A3o%20%F0%9F%91%8D'],
  ['case 21: nor on an iPhone', 'sms_draft', { to: ['+351910000001'], text: 'Rock & roll #1? ação 👍' }, ios, {}, 'sms:+351910000001&body=Rock%20%26%20roll%20%231%3F%20a%C3%A7%C3%A3o%20%F0%9F%91%8D'],
  ['case 21: two recipients', 'sms_draft', { to: ['+351 910 000 001', '+351 910 000 002'] }, android, {}, 'sms:+351910000001;+351910000002'],
  ['case 21: two recipients, on an iPhone', 'sms_draft', { to: ['+351 910 000 001', '+351 910 000 002'] }, ios, {}, 'sms:/open?addresses=%2B351910000001,%2B351910000002'],
  ['text to a name', 'sms_draft', { to: ['Stef'], text: 'Hi' }, android, {}, { reason: 'cannot.sms_number', values: { to: 'Stef' } }],
  ['text to a header', 'sms_draft', { to: ['112233', '123?body=x'], text: 'Hi' }, ios, {}, { reason: 'cannot.sms_number', values: { to: '123?body=x' } }],
  ['text on a computer', 'sms_draft', { to: ['112233'] }, desktop, {}, { reason: 'cannot.sms_draft' }],

  ['Gmail on an iPhone', 'email_draft', { to: ['ann+work@example.com', 'bob@example.com'], cc: ['c@example.com'], subject: 'a = b & c', text: 'one\ntwo' }, ios, GMAIL,
    'googlegmail://co?to=ann%2Bwork%40example.com,bob%40example.com&cc=c%40example.com&subject=a%20%3D%20b%20%26%20c&body=one%0D%0Atwo'],
  ['Gmail on a computer', 'email_draft', { to: ['ann@example.com'], cc: ['c@example.com'], subject: 'x', text: 'one\r\ntwo' }, desktop, GMAIL,
    'https://mail.google.com/mail/?view=cm&fs=1&to=ann%40example.com&cc=c%40example.com&su=x&body=one%0D%0Atwo'],
  ['Gmail on Android is the mail app of the phone’s choice', 'email_draft', { to: ['ann@example.com'], subject: '=' }, android, GMAIL, 'mailto:ann@example.com?subject=%3D'],
  ['mail that a computer’s mail program would cut', 'email_draft', { text: 'x'.repeat(2000) }, desktop, {}, { reason: 'cannot.url_length' }],
  ['the same on a phone', 'email_draft', { text: 'x'.repeat(2000) }, android, {}, `mailto:?body=${'x'.repeat(2000)}`],
  ['mail too long for Gmail’s page', 'email_draft', { text: '名'.repeat(2000) }, desktop, GMAIL, { reason: 'cannot.url_length' }],
  ['a copy to nobody’s address', 'email_draft', { cc: ['nobody'], subject: 'x' }, android, {}, { reason: 'cannot.mailbox', values: { to: 'nobody' } }],

  ['case 20: a service code', 'dial', { number: '*100#' }, android, {}, 'tel:*100%23'],
  ['dial a name', 'dial', { number: 'Stef' }, android, {}, { reason: 'cannot.sms_number', values: { to: 'Stef' } }],
  ['dial on a computer', 'dial', { number: '112233' }, desktop, {}, { reason: 'cannot.dial' }],
  ['case 25: a web address as it was given', 'open_url', { url: 'HTTP://EXAMPLE.com' }, android, {}, 'HTTP://EXAMPLE.com'],
  ...['javascript:alert(1)', 'file:///sdcard/x', 'intent://x#Intent;end', 'content://x'].map((url) => [`case 25: ${url}`, 'open_url', { url }, ios, {}, { reason: 'cannot.url' }]),

  ...[android, desktop].flatMap((platform) => ['alarm', 'timer', 'open_app', 'media', 'settings_panel', 'automation_intent'].map((a) => [`${a} in a browser on ${platform.os}`, a, {}, platform, SHORTCUTS, { reason: `cannot.${a}` }])),
  ...['open_app', 'settings_panel'].map((a) => [`${a} on an iPhone`, a, {}, ios, SHORTCUTS, { reason: `cannot.${a}` }]),
  ...['alarm', 'timer', 'torch', 'media', 'automation_intent'].map((a) => [`${a} without a Shortcut`, a, {}, ios, {}, { reason: 'cannot.shortcut' }]),
]

for (const [name, action, fields, platform, change, want] of ROWS) {
  test(name, () => {
    const made = planned(action, fields, platform, change)
    if (typeof want === 'string') assert.equal(address(made), want)
    else assert.deepEqual(made, want)
  })
}

test('a Shortcut is run with exactly the fields', () => {
  const run = (action, fields) => {
    const { do: how, name, input, app } = planned(action, fields, ios, SHORTCUTS)
    assert.deepEqual([how, app], ['shortcut', 'app.shortcuts'])
    return [name, input]
  }
  assert.deepEqual(run('alarm', { time: '22:00', label: 'Bins', days: ['sat'] }), ['Nod Alarm', { time: '22:00', label: 'Bins', days: ['sat'] }])
  assert.deepEqual(run('timer', { seconds: 545 }), ['Nod Timer', { seconds: 545 }])
  assert.deepEqual(run('torch', { on: false }), ['Nod Torch', { on: false }])
  assert.deepEqual(run('media', { command: 'next' }), ['Nod Media', { command: 'next' }])
  assert.deepEqual(run('automation_intent', { name: 'Lights & co', values: { room: 'hall' } }), ['Lights & co', { room: 'hall' }])
  assert.deepEqual(run('automation_intent', { name: 'Lights' }), ['Lights', {}])
  for (const app of ['Shortcuts', 'shortcuts', 'Kurzbefehle', 'Apple Shortcuts']) assert.deepEqual(run('automation_intent', { name: 'Lights', app }), ['Lights', {}])
})

test('an automation of another app does not run in Shortcuts', () => {
  for (const app of ['Tasker', 'Shortcuts for Android', 'Not Shortcuts']) {
    assert.deepEqual(planned('automation_intent', { name: 'Lights', app }, ios, SHORTCUTS), { reason: 'cannot.automation_app', values: { name: app } })
  }
})

test('case 17: an alarm for tonight rings tonight, whatever the agent calls it', () => {
  const tuesday = Date.UTC(2026, 11, 1, 20) // Lisbon, 20:00
  assert.equal(nextRing('22:00', [], tuesday, 'Europe/Lisbon'), Date.UTC(2026, 11, 1, 22), 'what the card says')
  assert.deepEqual(planned('alarm', { time: '22:00', label: 'Bins' }, { ...ios, zone: 'Europe/Lisbon' }, SHORTCUTS).input, { time: '22:00', label: 'Bins' }, 'the label goes with it')
})

test('the torch is this page’s own doing, except on an iPhone', () => {
  for (const platform of [android, desktop]) {
    assert.deepEqual(planned('torch', { on: true }, platform), { do: 'torch', on: true, note: 'note.torch' })
    assert.deepEqual(planned('torch', { on: false }, platform), { do: 'torch', on: false })
  }
})

test('web pages open in a window, everything else as an address', () => {
  const how = (action, fields, platform, change) => planned(action, fields, platform, change).how
  assert.equal(how('open_url', { url: 'https://example.com' }, ios), 'window')
  assert.equal(how('email_draft', { text: 'x' }, desktop, GMAIL), 'window')
  for (const made of [how('dial', { number: '112233' }, android), how('sms_draft', { text: 'x' }, ios), how('email_draft', { text: 'x' }, desktop), how('email_draft', { text: 'x' }, ios, GMAIL)]) assert.equal(made, 'address')
})

test('only the unreserved characters stay', () => {
  assert.equal(pct("AZaz09-._~ !'()*+,;=:@/?#[]&$%"), "AZaz09-._~%20%21%27%28%29%2A%2B%2C%3B%3D%3A%40%2F%3F%23%5B%5D%26%24%25")
})

test('an address is split letter for letter', () => {
  assert.deepEqual(webAddress('https://www.Example.com:8443/a?b#c'), ['https://', 'www.Example.com:8443', '/a?b#c'])
  assert.deepEqual(webAddress('http://[::1]/x y'), ['http://', '[::1]', '/x y'])
})

test('the card names the app that an automation runs in', () => {
  const runsIn = (f, app) => rows('automation_intent', { name: 'Lights', ...f }, { t: english, locale: 'en', now: NOW, zone: 'UTC', app }).find((r) => r.label === 'card.field.automation_app').value.text
  assert.equal(runsIn({}, 'app.shortcuts'), 'Shortcuts')
  assert.equal(runsIn({}), 'Tasker')
  assert.equal(runsIn({ app: 'MacroDroid' }), 'MacroDroid')
})
