// What a browser says that it can do: the same that it then does.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { able, declare } from '../../app/capabilities.js'
import { ACTIONS, PERSON_TEXTS, TOOLS } from '../../app/contract.js'
import { probe, UNPROBED } from '../../app/probe.js'
import { defaults } from '../../app/settings.js'
import { english } from '../../app/text.js'

const on = (os) => ({ os, version: os === 'ios' ? 2600 : 0, samsung: false, zone: 'UTC', standalone: true })
const LIGHT = { torch: 'ready', notifications: 'ready', location: 'ready', clipboardRead: 'ready', clipboardWrite: 'ready', contacts: 'unsupported' }
const ready = (os, change = {}, probed = LIGHT) =>
  able(on(os), { ...defaults(os), ...change }, probed).filter((c) => c.state === 'ready').map((c) => c.action).sort()
const why = (os, action, change = {}, probed = LIGHT) => able(on(os), { ...defaults(os), ...change }, probed).find((c) => c.action === action)

const ANYWHERE = ['add_stop', 'calendar_event', 'email_draft', 'navigate', 'open_url', 'search_nearby', 'calendar_create', 'clipboard_read', 'clipboard_write', 'location', 'notify', 'phone_now', 'photo_pick']

test('which actions there are on each system', () => {
  assert.deepEqual(ready('android'), [...ANYWHERE, 'dial', 'sms_draft', 'torch'].sort())
  assert.deepEqual(ready('ios'), [...ANYWHERE, 'dial', 'sms_draft'].sort())
  assert.deepEqual(ready('desktop'), [...ANYWHERE, 'torch'].sort())
})

test('an iPhone does more by a Shortcut, once it was tested', () => {
  const shortcuts = Object.fromEntries(['alarm', 'timer', 'torch', 'media', 'automation_intent'].map((a) => [a, 1_800_000_000_000]))
  assert.deepEqual(ready('ios', { shortcuts }), [...ANYWHERE, 'dial', 'sms_draft', ...Object.keys(shortcuts)].sort())
  assert.deepEqual(ready('android', { shortcuts }), ready('android'), 'and nothing else has them')
  for (const action of Object.keys(shortcuts)) {
    assert.deepEqual(why('ios', action), { ...why('ios', action), state: 'unsupported', reason: 'cannot.shortcut' }, action)
    assert.equal(why('ios', action, { shortcuts: { [action]: 1 } }).state, 'ready', 'each by itself')
  }
})

test('the map app decides what there is of routes', () => {
  assert.equal(why('android', 'add_stop', { map: 'waze' }).reason, 'cannot.add_stop')
  assert.equal(why('android', 'navigate', { map: 'waze' }).state, 'ready')
  assert.equal(why('ios', 'search_nearby', { map: 'osmand' }).reason, 'cannot.search_nearby')
  for (const map of ['google', 'apple', 'waze', 'osmand', 'organic']) assert.equal(why('ios', 'stop_navigation', { map }).reason, 'cannot.stop_navigation', map)
  for (const [os, map] of [['android', 'apple'], ['desktop', 'organic']]) {
    for (const action of ['navigate', 'add_stop', 'search_nearby', 'stop_navigation']) assert.equal(why(os, action, { map }).reason, 'cannot.map_here')
  }
})

test('the torch is a camera’s, which has to be allowed', () => {
  const torch = (state) => why('android', 'torch', {}, { ...UNPROBED, torch: state })
  assert.deepEqual([torch('ready').state, torch('ready').reason], ['ready', null])
  assert.deepEqual([torch('needs_permission').state, torch('needs_permission').reason], ['needs_permission', 'cannot.torch_permission'])
  assert.deepEqual([torch('blocked').state, torch('blocked').reason], ['unsupported', 'cannot.torch_blocked'])
  assert.deepEqual([torch('unsupported').state, torch('unsupported').reason], ['unsupported', 'cannot.torch'])
})

test('what an agent is told: each capability with its state, and a sentence where it is not ready', () => {
  const said = declare(on('desktop'), defaults('desktop'), UNPROBED, english)
  assert.deepEqual(said.map((c) => c.id), [...new Set([...ACTIONS, ...TOOLS].map((a) => a.capability))])
  assert.deepEqual(said.find((c) => c.id === 'clock.alarm'), { id: 'clock.alarm', state: 'unsupported', reason: 'A browser cannot set an alarm.' })
  assert.deepEqual(said.find((c) => c.id === 'maps.navigate'), { id: 'maps.navigate', state: 'ready' })
  for (const os of ['android', 'ios', 'desktop']) {
    for (const map of ['google', 'apple', 'waze', 'osmand', 'organic']) {
      for (const { reason } of declare(on(os), { ...defaults(os), map }, UNPROBED, english)) {
        assert.doesNotMatch(reason ?? '', /Google|Apple|Waze|OsmAnd|Organic|^cannot\./, 'no app’s name, and no key')
      }
    }
  }
})

test('no sentence that an agent is told names the person’s app', () => {
  for (const [key, text] of Object.entries(PERSON_TEXTS.en)) if (/^(cannot|note|result)\./.test(key)) assert.doesNotMatch(text, /Google|Apple|Waze|OsmAnd|Organic|Gmail/, key)
})

test('the tools: what a browser has not, what it must be allowed, and what the person forbade', () => {
  const tool = (name, probed = LIGHT, os = 'android') => why(os, name, {}, probed)
  for (const [name, reason] of [['alarm_set', 'cannot.alarm'], ['timer_set', 'cannot.timer'], ['calendars', 'cannot.calendar_read'], ['calendar_list', 'cannot.calendar_read'],
    ['calendar_update', 'cannot.calendar_change'], ['calendar_delete', 'cannot.calendar_change'], ['contacts_search', 'cannot.contacts_search']]) {
    for (const os of ['android', 'ios', 'desktop']) assert.deepEqual([tool(name, LIGHT, os).state, tool(name, LIGHT, os).reason, tool(name, LIGHT, os).picker], ['unsupported', reason, undefined], name)
  }
  assert.deepEqual(tool('contacts_search', { ...LIGHT, contacts: 'ready' }), { action: 'contacts_search', id: 'contacts.search', state: 'ready', reason: null, picker: true })
  for (const [name, key] of [['location', 'location'], ['clipboard_read', 'clipboardRead'], ['notify', 'notifications']]) {
    for (const [access, state, reason] of [['ready', 'ready', null], ['needs_permission', 'needs_permission', `cannot.${name}_permission`], ['blocked', 'needs_permission', `cannot.${name}_blocked`], ['unsupported', 'unsupported', `cannot.${name}`]]) {
      assert.deepEqual([tool(name, { ...LIGHT, [key]: access }).state, tool(name, { ...LIGHT, [key]: access }).reason], [state, reason], `${name} ${access}`)
    }
  }
  assert.equal(why('ios', 'notify', {}, { ...LIGHT, notifications: 'unsupported' }).reason, 'cannot.notify', 'from the home screen')
  assert.equal(able({ ...on('ios'), standalone: false }, defaults('ios'), UNPROBED).find((c) => c.action === 'notify').reason, 'cannot.notify_home')
  for (const name of ['photo_pick', 'phone_now', 'calendar_create']) assert.equal(tool(name, UNPROBED).state, 'ready', name)
})

test('one capability, said once: the calendar, by two tools', () => {
  const said = declare(on('android'), defaults('android'), { ...LIGHT, contacts: 'ready' }, english)
  assert.equal(said.filter((c) => c.id === 'calendar.read').length, 1)
  assert.deepEqual(said.find((c) => c.id === 'contacts.search'), { id: 'contacts.search', state: 'ready', picker: true })
})

test('probing opens nothing, asks nobody, hears of a change, and never fails', async () => {
  const camera = { enumerateDevices: async () => [{ kind: 'audioinput' }, { kind: 'videoinput' }] }
  const statuses = []
  const states = (all) => ({ query: async ({ name }) => {
    const status = { state: { geolocation: 'prompt', 'clipboard-read': 'prompt', ...all }[name] }
    statuses.push(status)
    return status
  } })
  const refuse = async () => { throw new TypeError('no such permission') }
  const never = () => assert.fail('nobody is asked')
  const clipboard = { readText: never, writeText: never }
  const notice = { permission: 'default' }
  const all = { mediaDevices: camera, serviceWorker: {}, geolocation: { getCurrentPosition: never }, clipboard, contacts: { select: never } }
  let changes = 0
  assert.deepEqual(await probe({ ...all, permissions: states({ camera: 'granted', notifications: 'denied' }) }, () => changes++, notice),
    { torch: 'ready', notifications: 'blocked', location: 'needs_permission', clipboardRead: 'needs_permission', clipboardWrite: 'ready', contacts: 'ready' })
  for (const status of statuses) status.onchange()
  assert.equal(changes, 4)
  assert.deepEqual(await probe({ ...all, permissions: states({ camera: 'denied', notifications: 'prompt', geolocation: 'denied', 'clipboard-read': 'granted' }) }, undefined, notice),
    { torch: 'blocked', notifications: 'needs_permission', location: 'blocked', clipboardRead: 'ready', clipboardWrite: 'ready', contacts: 'ready' })
  assert.deepEqual(await probe({ mediaDevices: camera, permissions: { query: refuse }, geolocation: {}, clipboard }),
    { ...UNPROBED, torch: 'needs_permission', location: 'needs_permission', clipboardRead: 'needs_permission', clipboardWrite: 'ready' }, 'the browser asks when it comes to it')
  assert.deepEqual(await probe({ clipboard: { writeText: never }, contacts: {} }), { ...UNPROBED, clipboardWrite: 'ready' }, 'one that writes and does not read; a picker in name only')
  const told = (notice, nav = { serviceWorker: {} }) => probe(nav, undefined, notice).then((p) => p.notifications)
  assert.deepEqual(await Promise.all(['default', 'granted', 'denied'].map((permission) => told({ permission }))), ['needs_permission', 'ready', 'blocked'], 'by its own word')
  assert.deepEqual([await told(undefined, { serviceWorker: {}, permissions: states({ notifications: 'prompt' }) }), await told(notice, {})], ['unsupported', 'unsupported'], 'an iPhone’s Safari knows the permission, and shows none')
  assert.deepEqual(await probe({ serviceWorker: {}, mediaDevices: { enumerateDevices: async () => [] }, permissions: states({ camera: 'granted', notifications: 'granted' }) }, undefined, notice), { ...UNPROBED, notifications: 'ready' })
  assert.deepEqual(await probe({ mediaDevices: { enumerateDevices: refuse }, permissions: { query: refuse } }), UNPROBED)
  assert.deepEqual(await probe({}), UNPROBED)
})
