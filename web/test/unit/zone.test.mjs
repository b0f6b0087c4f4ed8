import assert from 'node:assert/strict'
import { test } from 'node:test'

import { momentOf, nextRing, offset, readDate } from '../../app/zone.js'

test('dates are read, and those that do not exist are not', () => {
  assert.deepEqual(readDate('2026-09-24'), { allDay: true, utc: Date.UTC(2026, 8, 24) })
  assert.deepEqual(readDate('2026-09-24T18:30'), { allDay: false, utc: Date.UTC(2026, 8, 24, 18, 30) })
  assert.deepEqual(readDate('0099-01-01')?.allDay, true)
  for (const no of ['2026-02-29', '2026-02-31', '2026-13-01', '2026-00-10', '2026-01-00', '2026-01-01T24:00', '2026-01-01T10:60', '2026-1-1', 'x']) assert.equal(readDate(no), null, no)
})

test('a leap day exists in a leap year', () => assert.ok(readDate('2028-02-29')))

test('wall-clock times become moments', () => {
  const la = 'America/Los_Angeles'
  assert.equal(momentOf(Date.UTC(2026, 8, 24, 18, 30), la), 1790299800000)
  assert.equal(momentOf(Date.UTC(2026, 2, 8, 2, 30), la), null, 'the clocks skip it')
  assert.equal(momentOf(Date.UTC(2026, 10, 1, 1, 30), la), Date.UTC(2026, 10, 1, 8, 30), 'the first of the two')
  assert.equal(momentOf(Date.UTC(2026, 9, 4, 2, 15), 'Australia/Lord_Howe'), null, 'half an hour is skipped there')
  assert.equal(momentOf(Date.UTC(2011, 11, 30, 12), 'Pacific/Apia'), null, 'a whole day was skipped there')
  assert.equal(momentOf(Date.UTC(2026, 0, 1), 'UTC'), Date.UTC(2026, 0, 1))
})

test('how far a zone is ahead', () => {
  assert.equal(offset(Date.UTC(2026, 6, 1), 'Asia/Kathmandu'), 5.75 * 3_600_000)
  assert.equal(offset(Date.UTC(2026, 0, 1) + 123, 'America/New_York'), -5 * 3_600_000)
})

test('when an alarm rings next', () => {
  const evening = Date.UTC(2026, 10, 30, 20, 12) // Monday, Lisbon
  const ring = (time, days, now = evening, zone = 'Europe/Lisbon') => nextRing(time, days, now, zone)
  assert.equal(ring('22:00', []), Date.UTC(2026, 10, 30, 22), 'today')
  assert.equal(ring('07:30', []), Date.UTC(2026, 11, 1, 7, 30), 'tomorrow')
  assert.equal(ring('20:12', []), Date.UTC(2026, 11, 1, 20, 12), 'now is over')
  assert.equal(ring('07:30', ['sat']), Date.UTC(2026, 11, 5, 7, 30))
  assert.equal(ring('07:30', ['mon']), Date.UTC(2026, 11, 7, 7, 30), 'a week on')
  assert.equal(ring('22:00', ['mon', 'tue']), Date.UTC(2026, 10, 30, 22))
  assert.equal(ring('02:30', [], Date.UTC(2026, 2, 8, 4), 'America/Los_Angeles'), null, 'the clocks skip it that night')
})
