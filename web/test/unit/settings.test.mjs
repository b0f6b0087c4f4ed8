// What Settings says of the map apps, word for word, by what is planned for them.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { mapsOn } from '../../app/maps.js'
import { mapWords } from '../../app/pages/mapwords.js'
import { defaults } from '../../app/settings.js'
import { platform } from '../../dev/past.js'

/** @param {import('../../app/uris.js').Platform['os']} os */
const lines = (os) => Object.fromEntries(mapsOn(os).map(({ id }) => [id, mapWords(id, platform(os, true), defaults(os))]))

test('on Android', () => {
  assert.deepEqual(lines('android'), {
    google: 'Up to 9 stops. On public transport no stops.',
    waze: 'No stops on the way. Not for walking, cycling, and public transport.',
    osmand: 'Any number of stops. A place given by name is only searched for there. On public transport no stops.',
    organic: 'Any number of stops. A place given by name is only searched for there. On public transport no stops.',
  })
})

test('on an iPhone', () => {
  assert.deepEqual(lines('ios'), {
    google: 'Up to 3 stops. On public transport no stops.',
    apple: 'Any number of stops.',
    waze: 'No stops on the way. Not for walking, cycling, and public transport.',
    osmand: 'Any number of stops. Only places given by coordinates, not by name. On public transport no stops. No search nearby.',
    organic: 'Any number of stops. A place given by name is only searched for there. On public transport no stops.',
  })
})

test('nothing is chosen for the person but a map app that is there', () => {
  for (const os of /** @type {const} */ (['android', 'ios', 'desktop'])) {
    assert.ok(mapsOn(os).some(({ id }) => id === defaults(os).map), os)
    assert.deepEqual({ ...defaults(os), map: '' }, { map: '', calendar: 'google', mail: 'default', language: '', theme: '', shortcuts: {} })
  }
})
