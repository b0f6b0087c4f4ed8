// Calendar events, as a link for Google Calendar and as a file.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { address, android, ios, LA, NOW, planned } from './here.mjs'

const LINK = 'https://calendar.google.com/calendar/render?action=TEMPLATE'
const lisbon = { ...android, zone: 'Europe/Lisbon' }
const FILE = { calendar: 'file' }

const LINKS = [
  ['an event without an end is an hour', { title: 'Dinner & talk', start: '2026-12-04T19:30', place: 'Rua 8, Porto', notes: 'a\nb' }, lisbon,
    `${LINK}&text=Dinner%20%26%20talk&dates=20261204T193000Z%2F20261204T203000Z&details=a%0Ab&location=Rua%208%2C%20Porto`],
  ['case 15: a day, in Tokyo', { title: 'Offsite', start: '2026-12-03', end: '2026-12-03' }, { ...android, zone: 'Asia/Tokyo' }, `${LINK}&text=Offsite&dates=20261203%2F20261204`],
  ['case 15: a day, in Los Angeles', { title: 'Offsite', start: '2026-12-03', end: '2026-12-03' }, android, `${LINK}&text=Offsite&dates=20261203%2F20261204`],
  ['two days, over a year', { title: 'x', start: '2026-12-31', end: '2027-01-01' }, android, `${LINK}&text=x&dates=20261231%2F20270102`],
  ['of the hour that comes twice, the first', { title: 'x', start: '2026-11-01T01:30', end: '2026-11-01T03:00' }, android, `${LINK}&text=x&dates=20261101T083000Z%2F20261101T110000Z`],
  ['an end that the clocks skip', { title: 'x', start: '2026-03-08T01:30', end: '2026-03-08T02:30' }, android, { reason: 'cannot.gap', values: { time: '2026-03-08T02:30', zone: LA } }],
  ['an hour that does not exist', { title: 'x', start: '2026-02-03T24:00' }, android, { reason: 'cannot.no_such_date', values: { date: '2026-02-03T24:00' } }],
  ['an end that does not exist', { title: 'x', start: '2026-02-03', end: '2026-13-01' }, android, { reason: 'cannot.no_such_date', values: { date: '2026-13-01' } }],
  ['a day and an hour', { title: 'x', start: '2026-02-03', end: '2026-02-03T10:00' }, android, { reason: 'cannot.mixed_dates' }],
  ['ends before it starts', { title: 'x', start: '2026-02-03T10:00', end: '2026-02-03T09:00' }, android, { reason: 'cannot.ends_before' }],
  ['notes too long for a link', { title: 'x', start: '2026-02-03', notes: '名'.repeat(2000) }, android, { reason: 'cannot.url_length' }],
]

for (const [name, fields, platform, want] of LINKS) {
  test(name, () => {
    const made = planned('calendar_event', fields, platform)
    if (typeof want === 'string') assert.equal(address(made), want)
    else {
      assert.deepEqual(made, want)
      if (want.reason !== 'cannot.url_length') assert.deepEqual(planned('calendar_event', fields, platform, FILE), want, 'as a file too')
    }
  })
}

test('the file, whole', () => {
  const made = planned('calendar_event', { title: 'Dinner; talk, \\ more', start: '2026-12-04T19:30', end: '2026-12-04T21:00', place: 'Rua 8, Porto', notes: 'one\r\ntwo\nthree\rfour' }, { ...ios, zone: 'Europe/Lisbon' }, FILE)
  const { text, ...rest } = made
  assert.deepEqual(rest, { do: 'file', name: 'event.ics', type: 'text/calendar', app: 'app.calendar' })
  assert.equal(text, [
    'BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//nod//nod//EN', 'BEGIN:VEVENT', `UID:${NOW}-${/-(\w+)@nod/.exec(text)[1]}@nod`, 'DTSTAMP:20261130T120000Z',
    'DTSTART:20261204T193000Z', 'DTEND:20261204T210000Z', 'SUMMARY:Dinner\\; talk\\, \\\\ more', 'LOCATION:Rua 8\\, Porto', 'DESCRIPTION:one\\ntwo\\nthree\\nfour',
    'END:VEVENT', 'END:VCALENDAR', '',
  ].join('\r\n'))
})

test('case 15: a whole day has no zone, and its end is the day after', () => {
  for (const zone of ['Asia/Tokyo', LA]) {
    const { text } = planned('calendar_event', { title: 'Offsite', start: '2026-12-03', end: '2026-12-03' }, { ...ios, zone }, FILE)
    assert.match(text, /\r\nDTSTART;VALUE=DATE:20261203\r\nDTEND;VALUE=DATE:20261204\r\n/)
  }
})

test('lines are folded at 75 bytes, never inside a character', () => {
  for (const title of ['x'.repeat(66), 'x'.repeat(67), 'x'.repeat(68), '名'.repeat(90), '👩‍👩‍👧'.repeat(30), `${'x'.repeat(66)}é`]) {
    const { text } = planned('calendar_event', { title, start: '2026-12-03' }, ios, FILE)
    for (const line of text.split('\r\n')) assert.ok(Buffer.byteLength(line) <= 75, line)
    assert.ok(text.replaceAll('\r\n ', '').includes(`\r\nSUMMARY:${title}\r\n`))
    assert.ok(!text.includes('\ufffd') && Buffer.from(text).toString() === text)
  }
  const lines = (title) => planned('calendar_event', { title, start: '2026-12-03' }, ios, FILE).text.split('\r\nSUMMARY:')[1].split('\r\nEND')[0].split('\r\n ').length
  assert.deepEqual([lines('x'.repeat(67)), lines('x'.repeat(68)), lines('x'.repeat(67 + 74)), lines('x'.repeat(67 + 75))], [1, 2, 2, 3])
})

test('a file holds no line of the agent’s own, and no control character', () => {
  const { text } = planned('calendar_event', { title: 'a\r\nEND:VEVENT\r\nBEGIN:VALARM', start: '2026-12-03', notes: 'x\nATTACH:https://evil.example' }, ios, FILE)
  assert.deepEqual([...text.matchAll(/^(END|BEGIN|ATTACH)/gm)].map((m) => m[1]), ['BEGIN', 'BEGIN', 'END', 'END'])
  assert.deepEqual(planned('calendar_event', { title: 'x', start: '2026-12-03', notes: 'a\u0007b' }, ios, FILE), { reason: 'cannot.control', values: { code: 'U+0007' } })
  assert.equal('reason' in planned('calendar_event', { title: 'x', start: '2026-12-03', notes: 'a\tb' }, ios, FILE), false)
})

test('two events have two names, one event has one', () => {
  const uid = (title) => /UID:(.*)\r/.exec(planned('calendar_event', { title, start: '2026-12-03' }, ios, FILE).text)[1]
  assert.equal(uid('a'), uid('a'))
  assert.notEqual(uid('a'), uid('b'))
})

// The tool's event goes by the same ways; what they have no place for is said.

const create = (fields, platform = lisbon, settings = {}) => planned('calendar_create', { title: 'Dinner', start: '2026-12-04T19:30', ...fields }, platform, settings)

test('an event of the tool’s own: the same link, with what its link has no place for said', () => {
  const plain = create({ end: '2026-12-04T21:00', location: 'Porto', description: 'a' })
  assert.equal(address(plain), `${LINK}&text=Dinner&dates=20261204T193000Z%2F20261204T210000Z&details=a&location=Porto`)
  assert.equal(plain.note, undefined)
  assert.equal(address(create({ start: '2026-12-04', all_day: true })), `${LINK}&text=Dinner&dates=20261204%2F20261205`)
  assert.equal(address(create({ start: '2026-12-04T19:30:15' })), `${LINK}&text=Dinner&dates=20261204T193015Z%2F20261204T203015Z`)
  assert.equal(create({ calendar_id: 0 }).note, 'note.lost.calendar')
  assert.equal(create({ reminder_minutes: 0 }).note, 'note.lost.reminder')
  assert.equal(create({ calendar_id: 3, reminder_minutes: 10 }).note, 'note.lost.calendar_reminder')
})

test('a file has a place for the reminder', () => {
  const { note, text } = create({ title: 'Tea, now', reminder_minutes: 10 }, lisbon, FILE)
  assert.equal(note, undefined)
  assert.match(text, /SUMMARY:Tea\\, now\r\nBEGIN:VALARM\r\nACTION:DISPLAY\r\nDESCRIPTION:Tea\\, now\r\nTRIGGER:-PT10M\r\nEND:VALARM\r\nEND:VEVENT/)
  assert.equal(create({ calendar_id: 3, reminder_minutes: 10 }, lisbon, FILE).note, 'note.lost.calendar')
  assert.ok(!create({}, lisbon, FILE).text.includes('VALARM'))
})

test('an hour that the clocks skip, or show twice, is asked back with the word for it', () => {
  for (const settings of [{}, FILE]) {
    assert.deepEqual(create({ start: '2026-03-29T01:30' }, lisbon, settings), { reason: 'cannot.gap', values: { time: '2026-03-29T01:30', zone: 'Europe/Lisbon' }, why: 'no_such_time' })
    assert.deepEqual(create({ start: '2026-10-24T23:00', end: '2026-10-25T01:30' }, lisbon, settings), { reason: 'cannot.twice', values: { time: '2026-10-25T01:30', zone: 'Europe/Lisbon' }, why: 'two_such_times' })
    assert.deepEqual(create({ start: '2026-02-31' }, lisbon, settings), { reason: 'cannot.no_such_date', values: { date: '2026-02-31' } })
  }
})
