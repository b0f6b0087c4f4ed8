// The tools that a page does itself, against browsers that lie as real ones do:
// that never answer, answer twice the same for two things, hand out what is old,
// or say that something is done.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, mock, test } from 'node:test'

import * as clipboard from '../../app/device/clipboard.js'
import { known, pick as pickPeople } from '../../app/device/contacts.js'
import { fits, sealed, shortened } from '../../app/device/data.js'
import { ready } from '../../app/device/device.js'
import { locate } from '../../app/device/location.js'
import { beckon, post, prepare } from '../../app/device/notify.js'
import { now } from '../../app/device/now.js'
import { pick as pickPhotos, put } from '../../app/device/photos.js'
import { decode64, digest, encode64 } from '../../app/wire.js'

beforeEach(() => {
  globalThis.document = /** @type {any} */ (Object.assign(new EventTarget(), { visibilityState: 'visible', hasFocus: () => true }))
})
afterEach(() => {
  mock.timers.reset()
  mock.restoreAll()
})

/** Time stands still unless later() moves it. */
function freeze(at = 1_800_000_000_000) {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: at })
  mock.method(performance, 'now', () => Date.now())
}

/** Runs the clock until something is settled, and says how long that took. @param {Promise<any>} work */
async function later(work) {
  const began = Date.now()
  let over = false
  const done = work.finally(() => { over = true })
  done.catch(() => {}) // it is awaited below
  while (!over) {
    for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve))
    if (!over) mock.timers.tick(500)
  }
  return { ...(await done), took: Math.round((Date.now() - began) / 1000) }
}

const never = () => new Promise(() => {})
const refusal = (name) => () => Promise.reject(new DOMException('no', name))
/** What the browser says of a permission: one word, or one after the other. @param {...string} states */
const permissions = (...states) => ({ query: async () => ({ state: states.length > 1 ? states.shift() : states[0] }) })
const unknown = { query: async () => { throw new TypeError('no such permission') } }

// The location

const LISBON = { latitude: 38.7222523, longitude: -9.1393366, accuracy: 12.4 }
/** A browser that answers with these, one for each time it is asked. @param {...any} answers an age in seconds, an error's code, or null for none */
function geo(...answers) {
  const asked = []
  return {
    asked,
    getCurrentPosition(good, bad, options) {
      asked.push(options)
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      if (answer === null) return
      if (answer.code) queueMicrotask(() => bad(answer))
      else queueMicrotask(() => good({ timestamp: Date.now() - answer.age * 1000, coords: { ...LISBON, ...answer.coords } }))
    },
  }
}

test('a position as it is: how exact, how old', async () => {
  freeze()
  const place = geo({ age: 30 })
  assert.deepEqual(await locate({}, { geolocation: place, permissions: permissions('granted') }), {
    ok: true, reason: 'read', data: { latitude: 38.722252, longitude: -9.139337, accuracy_m: 13, age_s: 30, provider: 'browser' },
  })
  assert.deepEqual(place.asked, [{ enableHighAccuracy: true, maximumAge: 120_000, timeout: 25_000 }])
})

test('coarse: rounded to about a kilometre, and it says so', async () => {
  freeze()
  const place = geo({ age: 0 })
  const made = await locate({ accuracy: 'coarse', max_age_seconds: 0 }, { geolocation: place, permissions: unknown })
  assert.deepEqual([made.data.latitude, made.data.longitude, made.data.accuracy_m, made.note], [38.72, -9.14, 1000, 'result.location_coarse'])
  assert.deepEqual(place.asked, [{ enableHighAccuracy: false, maximumAge: 0, timeout: 25_000 }])
  const wide = await locate({ accuracy: 'coarse' }, { geolocation: geo({ age: 0, coords: { accuracy: 2500 } }), permissions: unknown })
  assert.equal(wide.data.accuracy_m, 2500)
})

for (const [name, nav, expected, took, asked] of [
  ['an old one handed out as new: asked for another', { geolocation: geo({ age: 900 }, { age: 1 }), permissions: permissions('granted') }, { ok: true, age: 1 }, 0, 2],
  ['and again an old one: no position', { geolocation: geo({ age: 900 }), permissions: permissions('granted') }, { reason: 'no_fix' }, 0, 2],
  ['one from the future is as new as now', { geolocation: geo({ age: -5 }), permissions: permissions('granted') }, { ok: true, age: 0 }, 0, 1],
  ['one that is nowhere', { geolocation: geo({ age: 0, coords: { latitude: NaN } }), permissions: permissions('granted') }, { reason: 'no_fix' }, 0, 1],
  ['one that does not say how exact it is', { geolocation: geo({ age: 0, coords: { accuracy: undefined } }), permissions: permissions('granted') }, { ok: true, age: 0, accuracy: 1000 }, 0, 1],
  ['a no', { geolocation: geo({ code: 1 }), permissions: permissions('prompt', 'denied') }, { reason: 'not_allowed' }, 0, 1],
  ['the question was closed, which is no yes', { geolocation: geo({ code: 1 }), permissions: permissions('prompt') }, { reason: 'not_allowed' }, 0, 1],
  ['the phone forbids it to the browser', { geolocation: geo({ code: 1 }), permissions: permissions('granted') }, { reason: 'not_allowed' }, 0, 1],
  ['a no from before: nothing is asked', { geolocation: geo({ age: 0 }), permissions: permissions('denied') }, { reason: 'not_allowed' }, 0, 0],
  ['location is switched off', { geolocation: geo({ code: 2 }), permissions: permissions('granted') }, { reason: 'no_fix' }, 0, 1],
  ['no fix in its time', { geolocation: geo({ code: 3 }), permissions: permissions('granted') }, { reason: 'no_fix' }, 0, 1],
  ['no fix on an iPhone, which says "prompt" though it was allowed', { geolocation: geo({ code: 3 }), permissions: permissions('prompt') }, { reason: 'no_fix' }, 0, 1],
  ['nobody answers, in a browser that says nothing of permissions', { geolocation: geo(null), permissions: unknown }, { reason: 'nobody_answered' }, 145, 1],
  ['allowed, and then never a word', { geolocation: geo(null), permissions: permissions('granted') }, { reason: 'no_fix' }, 27, 1],
  ['nobody answers the question, and the browser never says so', { geolocation: geo(null), permissions: permissions('prompt') }, { reason: 'nobody_answered' }, 145, 1],
  ['allowed after a while, and then never a word', { geolocation: geo(null), permissions: permissions('prompt', 'granted') }, { reason: 'no_fix' }, 145, 1],
  ['a browser that has no such thing', { permissions: unknown }, { reason: 'no_fix' }, 0, 0],
]) {
  test(`the location: ${name}`, async () => {
    freeze()
    const made = await later(locate({}, nav))
    assert.deepEqual([made.ok, made.reason, Math.abs(made.took - took) <= 1], [expected.ok === true, expected.reason ?? 'read', true], `${made.reason} after ${made.took} s`)
    if (expected.ok) assert.deepEqual([made.data.age_s, made.data.accuracy_m], [expected.age, expected.accuracy ?? 13])
    if (nav.geolocation) assert.equal(nav.geolocation.asked.length, asked)
  })
}

// The clipboard

/** @param {string} text */
const holding = (text, ...states) => ({ clipboard: { readText: async () => text }, permissions: permissions(...states, 'granted') })

test('the clipboard’s text; an empty one is an answer', async () => {
  assert.deepEqual(await clipboard.read(holding('Tea 🍵')), { ok: true, reason: 'read', data: { text: 'Tea 🍵', chars: 5, cut: false } })
  assert.deepEqual(await clipboard.read(holding('')), { ok: true, reason: 'read', data: { text: '', chars: 0, cut: false } })
  assert.deepEqual((await clipboard.read(holding('half \ud83c'))).data.text, 'half ', 'half a character cannot be sent')
})

test('a long one is cut where it fits, and says how long it is', async () => {
  for (const [what, unit] of [['letters', 'a'], ['quotes, which take four bytes in a frame', '"'], ['control characters', '\u0001'], ['emoji', '🍵']]) {
    const { data } = await clipboard.read(holding(unit.repeat(40_000)))
    assert.deepEqual([data.cut, data.chars], [true, 40_000], what)
    assert.ok(fits(JSON.stringify(data)) && !fits(JSON.stringify({ ...data, text: data.text + unit.repeat(2) })), `${what}: ${data.text.length}`)
    assert.ok(data.text.isWellFormed(), what)
  }
})

for (const [name, readText, states, focused, reason, took] of [
  ['not in front, which has the name of a no', refusal('NotAllowedError'), ['prompt'], false, 'background', 0],
  ['a no', refusal('NotAllowedError'), ['denied'], true, 'not_allowed', 0],
  ['a no while it was behind', refusal('NotAllowedError'), ['denied'], false, 'not_allowed', 0],
  ['the bubble of an iPhone, closed', refusal('NotAllowedError'), ['prompt'], true, 'not_allowed', 0],
  ['the bubble of an iPhone, left alone', never, ['prompt'], true, 'nobody_answered', 90],
  ['something that is no text', refusal('DataError'), ['granted'], true, 'unreadable', 0],
]) {
  test(`the clipboard: ${name}`, async () => {
    freeze()
    document.hasFocus = () => focused
    const made = await later(clipboard.read({ clipboard: { readText }, permissions: permissions(...states) }))
    assert.deepEqual([made.ok, made.reason, made.data, Math.abs(made.took - took) <= 1], [false, reason, undefined, true], `${made.took} s`)
  })
}

test('a text is put there, and what never says how it went is not told', async () => {
  const written = []
  const nav = { clipboard: { writeText: async (text) => void written.push(text) }, permissions: unknown }
  assert.deepEqual(await clipboard.write('Tea', nav), { ok: true, reason: 'copied' })
  assert.deepEqual(written, ['Tea'])
  assert.equal((await clipboard.write('Tea', { ...nav, clipboard: { writeText: refusal('NotAllowedError') } })).reason, 'not_allowed')
  document.hasFocus = () => false
  assert.equal((await clipboard.write('Tea', { ...nav, clipboard: { writeText: refusal('NotAllowedError') } })).reason, 'background')
  assert.equal((await clipboard.write('Tea', { ...nav, clipboard: { writeText: refusal('DataError') } })).reason, 'not_written')
})

// The contacts

const ANNA = { name: ['', 'Anna Lindqvist'], tel: ['+46 70 123 45 67', '+46701234567', ' '], email: ['anna@example.com', 'ANNA@example.com'] }

test('who was picked, and of them what was left ticked', async () => {
  const asked = []
  const picker = { select: async (...args) => { asked.push(args); return [ANNA, { tel: ['112'] }, { name: [], email: [] }] }, getProperties: async () => ['email', 'name', 'tel', 'icon'] }
  const made = await pickPeople({ query: 'Anna', limit: 2 }, picker, await known(picker))
  assert.deepEqual(made, { ok: true, reason: 'read', data: { query: 'Anna', count: 3, people: [
    { name: 'Anna Lindqvist', phones: [{ value: '+46 70 123 45 67', type: '' }], emails: ['anna@example.com'] },
    { name: '', phones: [{ value: '112', type: '' }], emails: [] },
  ] } })
  assert.deepEqual(asked, [[['name', 'tel', 'email'], { multiple: true }]])
})

test('one is one, and a picker is not asked for what it has not', async () => {
  const asked = []
  const picker = { select: async (...args) => { asked.push(args); return [ANNA] }, getProperties: async () => ['name', 'tel'] }
  await pickPeople({ query: 'Anna', limit: 1 }, picker, await known(picker))
  assert.deepEqual(asked, [[['name', 'tel'], { multiple: false }]])
  assert.deepEqual(await known({ select: never, getProperties: refusal('InvalidStateError') }), ['name', 'tel', 'email'])
})

test('so many people that they do not fit: as many as do, counted in full', async () => {
  const many = Array.from({ length: 50 }, (_, i) => ({ name: [`${i} ${'ä'.repeat(400)}`], tel: ['1234'] }))
  const { data } = await pickPeople({ query: 'x', limit: 50 }, { select: async () => many }, ['name', 'tel'])
  assert.ok(data.count === 50 && data.people.length > 30 && data.people.length < 50 && fits(JSON.stringify(data)), String(data.people.length))
  assert.equal(data.people[0].name[0], '0', 'the first ones')
})

for (const [name, select, reason, took] of [
  ['closed', async () => [], 'not_picked', 0],
  ['closed, told as an error', refusal('AbortError'), 'not_picked', 0],
  ['not allowed', refusal('SecurityError'), 'not_allowed', 0],
  ['there in name only, as once in Samsung’s browser', refusal('InvalidStateError'), 'failed', 0],
  ['left open', never, 'nobody_answered', 120],
]) {
  test(`the contact picker: ${name}`, async () => {
    freeze()
    const made = await later(pickPeople({ query: 'x' }, { select }, ['name']))
    assert.deepEqual([made.ok, made.reason, Math.abs(made.took - took) <= 1], [false, reason, true], `${made.took} s`)
  })
}

// Photos

/** An input whose person does something. @param {(input: any) => void} person */
function input(person) {
  const node = Object.assign(new EventTarget(), { files: [], removed: false, click: () => setImmediate(() => person(node)), remove: () => { node.removed = true } })
  return node
}
const choose = (...files) => (node) => {
  node.files = files
  node.dispatchEvent(new Event('change'))
}
/** @param {any} person @param {object} [more] */
function picking(person, more = {}) {
  const sent = []
  const node = input(person)
  return { sent, node, parts: { input: () => node, picture: async (file) => (file === 'broken' ? null : { data: new Blob([file]), width: 1568, height: 1176 }), send: async (n, data) => void sent.push([n, data.size]), live: () => true, ...more } }
}

test('photos go out one by one, each with its name under which nobody reads anything', async () => {
  const p = picking(choose('first', 'second!'))
  const made = await pickPhotos({ max: 3 }, p.parts)
  assert.deepEqual([made.ok, made.note], [true, undefined])
  assert.deepEqual(p.sent, [[0, 5], [1, 7]])
  assert.deepEqual(made.blobs, [
    { hash: encode64(await digest('first')), bytes: 5, mime: 'image/jpeg', name: 'photo-1.jpg', width: 1568, height: 1176 },
    { hash: encode64(await digest('second!')), bytes: 7, mime: 'image/jpeg', name: 'photo-2.jpg', width: 1568, height: 1176 },
  ])
  assert.ok(p.node.removed)
})

test('more than was asked for, and what is no picture: said, and the numbers have no gap', async () => {
  const p = picking(choose('a', 'broken', 'c', 'd'))
  const made = await pickPhotos({ max: 3 }, p.parts)
  assert.deepEqual(p.sent.map(([n]) => n), [0, 1])
  assert.deepEqual([made.note, made.values], ['result.photos_less', { count: '2', total: '4' }])
})

test('photos that are no longer wanted stay here, also half way', async () => {
  for (const wanted of [0, 1]) {
    const p = picking(choose('a', 'b'))
    const made = await pickPhotos({ max: 2 }, { ...p.parts, live: () => p.sent.length < wanted })
    assert.deepEqual([made.ok, made.blobs, p.sent.length], [false, undefined, wanted])
  }
})

for (const [name, person, more, reason, took] of [
  ['closed', (node) => node.dispatchEvent(new Event('cancel')), {}, 'not_picked', 0],
  ['closed, told as a choice of nothing', choose(), {}, 'not_picked', 0],
  ['left open', () => {}, {}, 'nobody_answered', 240],
  ['nothing that can be read', choose('broken'), {}, 'no_picture', 0],
  ['nod is not reached', choose('a'), { send: refusal('NetworkError') }, 'not_sent', 0],
]) {
  test(`the photo picker: ${name}`, async () => {
    freeze()
    const p = picking(person, more)
    const made = await later(pickPhotos({}, p.parts))
    assert.deepEqual([made.ok, made.reason, made.blobs, Math.abs(made.took - took) <= 1], [false, reason, undefined, true], `${made.took} s`)
    assert.ok(p.node.removed)
  })
}

test('an upload whose answer was lost is sent again, and there it is; one that is not taken is not', async () => {
  freeze()
  const answers = (...all) => async (url, init) => {
    seen.push([url, init.method, init.headers.Authorization, init.headers['Content-Type']])
    const status = all.shift()
    if (!status) throw new TypeError('network')
    return { ok: status < 300, status }
  }
  let seen = []
  await later(put('call_a', 3, new Blob(['x']), 'token', answers(0, 503, 204)).then(() => ({})))
  assert.deepEqual([seen.length, seen[0]], [3, ['/link/blob/call_a/3', 'PUT', 'Bearer token', 'image/jpeg']])
  await later(put('call_a', 0, new Blob(['x']), 'token', answers(0, 409)).then(() => ({})))
  for (const all of [[409], [403], [0, 0, 0]]) {
    seen = []
    await assert.rejects(later(put('call_a', 0, new Blob(['x']), 'token', answers(...all))))
    assert.equal(seen.length, all.length)
  }
})

// Notifications

/** A browser with notifications. @param {object} change */
function shade(change = {}) {
  const shown = []
  return {
    shown, permission: () => 'granted', request: () => assert.fail('nobody is asked'),
    show: async (title, options) => shown.push({ title, ...options }) > 0, ...change,
  }
}
const ABOUT = { call: 'call_a', agentName: 'Laptop', os: 'android' }

test('a notification with the agent’s name first, in its thread, that is then there', async () => {
  const b = shade()
  assert.deepEqual(await post({ title: 'Done', body: 'Booked', thread: 'trip' }, ABOUT, b), { ok: true, reason: 'notified' })
  assert.deepEqual([b.shown[0].title, b.shown[0].body, b.shown[0].tag, b.shown[0].data], ['Laptop: Done', 'Booked', 'agent-Laptop-trip', { kind: 'agent', call: 'call_a' }])
  await post({ title: 'Done', body: 'Booked' }, { ...ABOUT, call: 'call_b' }, b)
  assert.equal(b.shown[1].tag, 'agent-Laptop-call_b', 'two of one wording are two')
  await post({ title: 'Done', body: 'Paid\nto \u202Eana\u0007' }, ABOUT, b)
  assert.equal(b.shown[2].body, 'Paid\nto ⟨U+202E⟩ana⟨U+0007⟩', 'nothing hides in it, as on a card')
})

for (const [name, change, expected, took, os] of [
  ['asked, and allowed', { permission: () => 'default', request: async () => 'granted' }, { ok: true, reason: 'notified' }, 0],
  ['asked, and not allowed', { permission: () => 'default', request: async () => 'denied' }, { ok: false, reason: 'not_allowed' }, 0],
  ['the question was closed', { permission: () => 'default', request: async () => 'default' }, { ok: false, reason: 'not_allowed' }, 0],
  ['nobody answered the question', { permission: () => 'default', request: never }, { ok: false, reason: 'nobody_answered' }, 120],
  ['not allowed before: nobody is asked', { permission: () => 'denied' }, { ok: false, reason: 'not_allowed' }, 0],
  ['no service worker came, or it could not show it', { show: async () => null }, { ok: false, reason: 'not_shown' }, 0],
  ['it says that it is shown, and is not', { show: async () => false }, { ok: false, started: true, reason: 'not_shown' }, 0],
  ['an iPhone, whose list leaves it out', { show: async () => false }, { ok: true, reason: 'notified' }, 0, 'ios'],
]) {
  test(`a notification: ${name}`, async () => {
    freeze()
    const { took: seconds, ...made } = await later(post({ title: 'a', body: 'b' }, { ...ABOUT, os: os ?? 'android' }, shade(change)))
    assert.deepEqual(made, expected)
    assert.ok(Math.abs(seconds - took) <= 1, `${seconds} s`)
  })
}

test('the worker shows it; what brings the person to a button has the tag of the call’s card', async () => {
  const posted = []
  let answer = { shown: true }
  const active = { postMessage: ({ kind, title, options }, [port]) => {
    posted.push([kind, title, options.tag, options.data])
    if (answer) port.postMessage(answer)
  } }
  Object.defineProperty(globalThis, 'navigator', { configurable: true, value: { serviceWorker: { ready: Promise.resolve({ active }) } } })
  globalThis.Notification = /** @type {any} */ ({ permission: 'granted' })
  await beckon({ call: 'call_a', agent_name: 'Laptop', action: 'photo_pick' })
  assert.deepEqual(posted.pop(), ['show', 'Laptop', 'card-call_a', { kind: 'card', call: 'call_a' }])
  const { needs, start } = await prepare({ title: 'a', body: 'b' }, { ...ABOUT, upload: '', platform: { os: 'android' }, left: () => {} })
  assert.deepEqual([needs, await start()], ['nothing', { ok: true, reason: 'notified' }])
  answer = { shown: null }
  assert.deepEqual(await start(), { ok: false, reason: 'not_shown' }, 'the worker could not')
  freeze()
  answer = null
  assert.equal((await later(start())).started, true, 'the worker said nothing: it may be there')
  delete globalThis.Notification
})

// The time, and what goes out

test('the time with the zone’s offset, wherever the phone is now', () => {
  const at = Date.UTC(2026, 8, 24, 16, 30, 5)
  assert.deepEqual(now(at, 'en-US', 'America/Los_Angeles'), { time: '2026-09-24T09:30:05-07:00', date: '2026-09-24', weekday: 'Thursday', zone: 'America/Los_Angeles', locale: 'en-US', hour12: true })
  assert.deepEqual(now(at, 'de-DE', 'Asia/Kathmandu'), { time: '2026-09-24T22:15:05+05:45', date: '2026-09-24', weekday: 'Thursday', zone: 'Asia/Kathmandu', locale: 'de-DE', hour12: false })
  assert.equal(now(Date.UTC(2026, 11, 31, 23, 59), 'en-GB', 'Pacific/Auckland').weekday, 'Friday', 'a day ahead')
  assert.equal(now(at, 'en-GB', 'UTC').time, '2026-09-24T16:30:05+00:00')
})

test('a text goes out with the name of it under a salt that is another one each time', async () => {
  const one = await sealed({ text: 'Tee für zwei' })
  const two = await sealed({ text: 'Tee für zwei' })
  assert.equal(one.text, '{"text":"Tee für zwei"}')
  assert.equal(one.data.bytes, 24)
  assert.equal(decode64(one.salt).length, 16)
  assert.equal(one.data.hash, encode64(await digest(new Uint8Array([...decode64(one.salt), ...new TextEncoder().encode(one.text)]))))
  assert.notEqual(one.data.hash, two.data.hash)
  assert.deepEqual(shortened({ count: 2, list: [1, 2] }, 'list'), { count: 2, list: [1, 2] })
})

test('what is made ready begins in the turn in which it is started', async () => {
  let asked = 0
  Object.defineProperty(globalThis, 'navigator', { configurable: true, value: { clipboard: { readText: async () => { asked++; return 'Tea' } } } })
  const about = { call: 'call_a', agentName: 'Laptop', upload: '', platform: { os: 'android' }, left: () => {}, live: () => true }
  const { needs, start } = await ready({ do: 'device', what: 'clipboard_read', fields: {} }, about)
  assert.deepEqual([needs, asked], ['tap', 0])
  const doing = start()
  assert.equal(asked, 1)
  const did = await doing
  assert.deepEqual([did.ok, did.reason, did.message, did.text, did.gave], [true, 'read', undefined, '{"text":"Tea","chars":3,"cut":false}', 3])
  navigator.clipboard.readText = async () => 'x'.repeat(40_000)
  const long = await (await ready({ do: 'device', what: 'clipboard_read', fields: {} }, about)).start()
  const { text, chars } = JSON.parse(long.text)
  assert.ok(long.gave === text.length && long.gave < chars, 'what is said to be given out is what is')
  navigator.clipboard.readText = refusal('NotAllowedError')
  const failed = await (await ready({ do: 'device', what: 'clipboard_read', fields: {} }, about)).start()
  assert.match(failed.message, /not allowed in the browser/)
  assert.equal(failed.text, undefined)
})
