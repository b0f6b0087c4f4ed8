// Routes and searches, by map app and system: the exact address, or why not.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { mapsOn, ROUTE_MS } from '../../app/maps.js'
import { address, android, desktop, ios, NOW, planned } from './here.mjs'

const GOOGLE = 'https://www.google.com/maps/'
const FERRY = { lat: '37.7955', lon: '-122.3937', name: 'Ferry & Co' }
const SFO = { lat: '37.6213', lon: '-122.379' }
const CAFE = { query: 'Café Central, Porto' }
const iosOld = { ...ios, version: 1803 }
const END = ';S.browser_fallback_url=https%3A%2F%2Fnod.example%2Flaunch-failed%2FTOKEN;end'
const to = (destination, more = {}) => ({ destination, ...more })

const ROUTES = [
  ['a place with a point, a name and a query is its point', 'google', desktop, to({ ...FERRY, query: 'ferry' }, { stops: [{ lat: '41.15', lon: '-8.61' }] }),
    `${GOOGLE}dir/?api=1&destination=37.7955%2C-122.3937&waypoints=41.15%2C-8.61&travelmode=driving&dir_action=navigate`],
  ['a query wins over a name', 'google', ios, to({ name: 'home', query: 'Rua Augusta 12' }), `${GOOGLE}dir/?api=1&destination=Rua%20Augusta%2012&travelmode=driving&dir_action=navigate`],
  ['walking, with signs in the name', 'google', ios, to({ query: '1st & Pike, Seattle' }, { mode: 'walk' }), `${GOOGLE}dir/?api=1&destination=1st%20%26%20Pike%2C%20Seattle&travelmode=walking&dir_action=navigate`],
  ['by bicycle', 'google', desktop, to({ name: 'x' }, { mode: 'bicycle' }), `${GOOGLE}dir/?api=1&destination=x&travelmode=bicycling&dir_action=navigate`],
  ['case 23: a route with a stop', 'google', desktop, to(CAFE, { stops: [{ lat: '41.15', lon: '-8.61' }], mode: 'drive' }),
    `${GOOGLE}dir/?api=1&destination=Caf%C3%A9%20Central%2C%20Porto&waypoints=41.15%2C-8.61&travelmode=driving&dir_action=navigate`],
  ['case 23: the same on Android, where a missing app is told', 'google', android, to(CAFE, { stops: [{ lat: '41.15', lon: '-8.61' }], mode: 'drive' }),
    `intent://www.google.com/maps/dir/?api=1&destination=Caf%C3%A9%20Central%2C%20Porto&waypoints=41.15%2C-8.61&travelmode=driving&dir_action=navigate#Intent;scheme=https;package=com.google.android.apps.maps${END}`],

  ['to a name', 'apple', ios, to(CAFE, { mode: 'walk' }), 'https://maps.apple.com/directions?destination=Caf%C3%A9%20Central%2C%20Porto&mode=walking'],
  ['two stops, in order', 'apple', ios, to(SFO, { stops: [FERRY, CAFE] }), 'https://maps.apple.com/directions?waypoint=37.7955%2C-122.3937&waypoint=Caf%C3%A9%20Central%2C%20Porto&destination=37.6213%2C-122.379&mode=driving'],
  ['by bicycle', 'apple', desktop, to(SFO, { mode: 'bicycle' }), 'https://maps.apple.com/directions?destination=37.6213%2C-122.379&mode=cycling'],
  ['before iOS 18.4', 'apple', iosOld, to(SFO), 'https://maps.apple.com/?daddr=37.6213%2C-122.379&dirflg=d'],
  ['before iOS 18.4, walking', 'apple', iosOld, to(CAFE, { mode: 'walk' }), 'https://maps.apple.com/?daddr=Caf%C3%A9%20Central%2C%20Porto&dirflg=w'],
  ['before iOS 18.4, transit', 'apple', iosOld, to(SFO, { mode: 'transit' }), 'https://maps.apple.com/?daddr=37.6213%2C-122.379&dirflg=r'],

  ['to a name', 'waze', desktop, to(CAFE), 'https://waze.com/ul?q=Caf%C3%A9%20Central%2C%20Porto&navigate=yes'],
  ['on Android', 'waze', android, to(SFO), `intent://waze.com/ul?ll=37.6213%2C-122.379&navigate=yes#Intent;scheme=https;package=com.waze${END}`],

  ['with stops', 'osmand', ios, to(SFO, { stops: [FERRY, { lat: '41.15', lon: '-8.61' }], mode: 'walk' }), 'https://osmand.net/map/navigate?via=37.7955,-122.3937;41.15,-8.61&end=37.6213,-122.379&profile=pedestrian'],
  ['on Android', 'osmand', android, to(SFO, { stops: [FERRY], mode: 'bicycle' }),
    `intent://osmand.net/map/navigate?via=37.7955,-122.3937&end=37.6213,-122.379&profile=bicycle#Intent;scheme=https;package=net.osmand${END}`],
  ['on Android, to a name: it finds the place', 'osmand', android, to(CAFE), `intent:0,0?q=Caf%C3%A9%20Central%2C%20Porto#Intent;scheme=geo;package=net.osmand${END}`],

  ['with stops and a name', 'organic', ios, to(FERRY, { stops: [SFO, { lat: '41.15', lon: '-8.61' }], mode: 'bicycle' }),
    'om://v2/nav?destination=37.7955%2C-122.3937&destination_name=Ferry%20%26%20Co&waypoints=37.6213%2C-122.379%7C41.15%2C-8.61&mode=bike'],
  ['on Android', 'organic', android, to(SFO, { mode: 'transit' }), `intent://v2/nav?destination=37.6213%2C-122.379&mode=transit#Intent;scheme=om;package=app.organicmaps${END}`],
  ['to a name: it finds the place', 'organic', ios, to(CAFE), 'om://search?query=Caf%C3%A9%20Central%2C%20Porto'],
]

const REFUSED = [
  ['three stops are what a mobile browser keeps', 'google', ios, to(SFO, { stops: Array(4).fill(SFO) }), { reason: 'cannot.stops', values: { max: '3', count: '4' } }],
  ['stops on public transport', 'google', android, to(SFO, { stops: [SFO], mode: 'transit' }), { reason: 'cannot.mode_stops' }],
  ['a link that would be cut', 'google', android, to({ query: '名'.repeat(200) }, { stops: [{ query: '名'.repeat(200) }] }), { reason: 'cannot.url_length' }],
  ['not on Android', 'apple', android, to(SFO), { reason: 'cannot.map_here' }],
  ['stops by bicycle', 'apple', ios, to(SFO, { stops: [SFO], mode: 'bicycle' }), { reason: 'cannot.mode_stops' }],
  ['before iOS 18.4, a stop', 'apple', iosOld, to(SFO, { stops: [SFO] }), { reason: 'cannot.no_stops' }],
  ['before iOS 18.4, a bicycle', 'apple', iosOld, to(SFO, { mode: 'bicycle' }), { reason: 'cannot.map_mode' }],
  ...['walk', 'bicycle', 'transit'].map((mode) => [`case 23: only driving, not ${mode}`, 'waze', android, to(SFO, { mode }), { reason: 'cannot.map_mode' }]),
  ['case 23: no stops', 'waze', android, to(CAFE, { stops: [SFO] }), { reason: 'cannot.no_stops' }],
  ['stops by name', 'osmand', android, to(SFO, { stops: [CAFE] }), { reason: 'cannot.map_point' }],
  ['to a name, on an iPhone', 'osmand', ios, to(CAFE), { reason: 'cannot.map_point' }],
  ['to a name, by way of a point', 'organic', android, to(CAFE, { stops: [SFO] }), { reason: 'cannot.map_point' }],
  ['not on a computer', 'organic', desktop, to(SFO), { reason: 'cannot.map_here' }],
]

for (const [name, map, platform, fields, want] of ROUTES) {
  test(`${map}: ${name}`, () => {
    const made = planned('navigate', fields, platform, { map })
    assert.equal(address(made), want)
    if ('url' in made) assert.equal(made.how, made.url.startsWith('https:') ? 'window' : 'address')
    assert.equal(made.note, /q=|query=/.test(want) && map !== 'waze' ? 'note.map_place' : undefined)
  })
}

for (const [name, map, platform, fields, want] of REFUSED) test(`${map}, refused: ${name}`, () => assert.deepEqual(planned('navigate', fields, platform, { map }), want))

test('a stop is added by planning again, where the map app takes stops', () => {
  const stop = { stop: FERRY, destination: SFO, mode: 'walk' }
  assert.equal(address(planned('add_stop', stop, ios)), 'https://maps.apple.com/directions?waypoint=37.7955%2C-122.3937&destination=37.6213%2C-122.379&mode=walking')
  assert.deepEqual(planned('add_stop', stop, ios, { map: 'waze' }), { reason: 'cannot.add_stop' })
  assert.deepEqual(planned('add_stop', { stop: FERRY, destination: SFO }, iosOld), { reason: 'cannot.add_stop' })
})

test('a search, in each map app that takes one', () => {
  const search = (platform, map) => address(planned('search_nearby', { query: 'coffee & cake' }, platform, { map }))
  assert.equal(search(ios, 'google'), `${GOOGLE}search/?api=1&query=coffee%20%26%20cake`)
  assert.equal(search(ios, 'apple'), 'https://maps.apple.com/search?query=coffee%20%26%20cake')
  assert.equal(search(iosOld, 'apple'), 'https://maps.apple.com/?q=coffee%20%26%20cake')
  assert.equal(search(desktop, 'waze'), 'https://waze.com/ul?q=coffee%20%26%20cake')
  assert.equal(search(ios, 'organic'), 'om://search?query=coffee%20%26%20cake')
  assert.equal(search(android, 'osmand'), `intent:0,0?q=coffee%20%26%20cake#Intent;scheme=geo;package=net.osmand${END}`)
  assert.deepEqual(planned('search_nearby', { query: 'x' }, ios, { map: 'osmand' }), { reason: 'cannot.search_nearby' })
  assert.equal(planned('search_nearby', { query: 'x', near: 'route' }, ios).note, 'note.search_route')
  assert.equal(planned('search_nearby', { query: 'x', near: 'me' }, ios).note, undefined)
})

test('no map app lets a browser end a route', () => {
  for (const platform of [android, ios, desktop]) for (const { id } of mapsOn(platform.os)) assert.deepEqual(planned('stop_navigation', {}, platform, { map: id }), { reason: 'cannot.stop_navigation' })
})

test('whether a running route is replaced is up to the map app, and the card says so', () => {
  for (const replace of [true, false]) assert.equal(planned('navigate', to(SFO, { replace_route: replace }), android).note, 'note.replace_route')
  assert.equal(planned('navigate', to(SFO), android).note, undefined)
})

test('a route that was started here and may still run is named to the person, and to nobody else', () => {
  const route = (age) => ({ app: 'app.waze', destination: 'Grandma', at: NOW - age })
  const warned = (age, action = 'navigate') => planned(action, { destination: SFO, stop: FERRY, query: 'x' }, ios, {}, route(age))
  for (const action of ['navigate', 'add_stop']) assert.deepEqual(warned(60_000, action).warning, { key: 'card.badge.route_running', values: { name: 'Grandma' } })
  assert.equal(warned(60_000).note, undefined, 'notes are told to agents')
  assert.equal(warned(ROUTE_MS - 1).warning?.key, 'card.badge.route_running')
  for (const made of [warned(ROUTE_MS), warned(-1), warned(0, 'search_nearby'), planned('navigate', to(SFO), ios)]) assert.equal(made.warning, undefined)
})

test('which map apps there are', () => {
  assert.deepEqual(mapsOn('android').map((m) => m.id), ['google', 'waze', 'osmand', 'organic'])
  assert.deepEqual(mapsOn('ios').map((m) => m.id), ['google', 'apple', 'waze', 'osmand', 'organic'])
  assert.deepEqual(mapsOn('desktop').map((m) => m.id), ['google', 'apple', 'waze', 'osmand'])
})
