// What an agent may ask for, as switches that a phone signs; and what needed no
// card: a line, and where a tap is wanted a small sheet.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { emptyPage } from './empty.mjs'

const inside = emptyPage()

/** The story that is on the page is drawn: it draws over nothing any more. */
const STILL = "new Promise((resolve) => { const look = () => (document.documentElement.dataset.story ? resolve() : setTimeout(look)); look() })"

/**
 * Runs in the page with the Access page of an agent, a phone that signs, and a
 * nod that has what the test gives it.
 * @param {(b: any) => unknown} work @param {string} [wanted]
 */
const withAccess = (work, wanted = '') => inside(`Promise.all([import('/app/pages/access.js'), import('/app/wire.js'), import('/app/dom.js'), ${STILL}]).then(async ([{ open }, { generateKey }, { patch }]) => {
  const keys = await generateKey()
  const page = document.getElementById('page')
  page.replaceChildren()
  const state = { problem: null, said: null, home: {} }
  const b = {
    page, sent: [], asked: 0, kept: null,
    agents: [{ id: 'agent_a', name: 'Laptop', mode: 'ask_before_action', paused: false, only: false, phone: '', tainted: [], switches: {} }],
    button: (id) => document.getElementById('switch-' + id),
    looks: (id) => [b.button(id).getAttribute('aria-checked'), b.button(id).getAttribute('aria-busy')],
    soon: () => new Promise((resolve) => setTimeout(resolve)),
    until: async (is) => { for (const end = Date.now() + 20_000; !is(); await b.soon()) if (Date.now() > end) throw new Error('never: ' + is) },
  }
  const paint = () => patch(page, view.draw())
  const phone = {
    parts: { identity: { phone: 'phone_a', keys } }, link: { state: 'open', send: (frame) => b.sent.push(frame) }, state: { get: () => state },
    ask: async () => (b.asked++, { agents: b.agents }), router: { paint }, try: (work) => work(),
    hears: () => new Promise((resolve) => { b.kept = resolve }),
  }
  const view = open(phone, 'agent_a', ${JSON.stringify(wanted)})
  view.look()
  await b.until(() => b.button('calendar-read'))
  return (${work})(b)
})`)

test('private reads are off, the rest is on, and each switch says what it means', async () => {
  const found = await withAccess((b) => {
    const on = [...b.page.querySelectorAll('.switch')].filter((s) => s.getAttribute('aria-checked') === 'true').map((s) => s.id.slice(7))
    const bare = [...b.page.querySelectorAll('.switch')].filter((s) => s.id !== 'switch-paused' && !document.getElementById(s.getAttribute('aria-describedby'))?.textContent.endsWith('.'))
    return { off: [...b.page.querySelectorAll('.switch')].map((s) => s.id.slice(7)).filter((id) => !on.includes(id)), bare: bare.length, on: on.length }
  })
  assert.deepEqual(found, { off: ['calendar-read', 'contacts-read', 'location-read', 'clipboard-read', 'photos-read'], bare: 0, on: 16 })
})

test('a switch is saved by what the phone signed, and says that it is not there yet', async () => {
  const found = await withAccess(async (b) => {
    b.button('calendar-read').click()
    const before = b.looks('calendar-read')
    const words = b.page.textContent.includes('Saving')
    b.button('calendar-read').click() // nothing is asked for twice
    await b.until(() => b.sent.length)
    b.agents = [{ ...b.agents[0], switches: { 'calendar:read': 'ask' } }]
    b.kept(true)
    await b.until(() => !b.page.textContent.includes('Saving'))
    return { before, words, after: b.looks('calendar-read'), sent: b.sent.map(({ kind, record }) => [kind, record.kind, JSON.parse(record.body)]) }
  })
  const { id, ...body } = found.sent[0][2]
  assert.match(id, /^record_/)
  assert.deepEqual([found.before, found.words, found.after], [['true', 'true'], true, ['true', null]])
  assert.deepEqual([found.sent.length, ...found.sent[0].slice(0, 2), body], [1, 'records', 'access', { agent: 'agent_a', phone: 'phone_a', switches: { 'calendar:read': 'ask' } }])
})

test('a switch that nod never had goes back to what holds, and that is said', async () => {
  const found = await withAccess(async (b) => {
    b.button('maps-act').click()
    await b.until(() => b.sent.length)
    const before = b.looks('maps-act')
    b.kept(false)
    await b.until(() => b.page.querySelector('[role=alert]'))
    return [before, b.looks('maps-act'), b.page.querySelector('[role=alert]').textContent]
  })
  assert.deepEqual(found, [['false', 'true'], ['true', null], 'This was not saved, and stays as it was: nod did not answer.'])
})

test('a switch that nod has, and whose answer was lost, is not said to be as it was', async () => {
  const found = await withAccess(async (b) => {
    b.button('maps-act').click()
    await b.until(() => b.sent.length)
    b.agents = [{ ...b.agents[0], switches: { 'maps:act': 'off' } }]
    b.kept(false)
    await b.until(() => b.looks('maps-act')[1] === null)
    return [b.looks('maps-act'), b.page.querySelector('[role=alert]')]
  })
  assert.deepEqual(found, [['false', null], null])
})

test('who comes from a request has its switch before them, and not turned', async () => {
  const found = await withAccess(async (b) => {
    await b.until(() => document.activeElement?.id === 'switch-contacts-read')
    return [b.looks('contacts-read'), b.button('contacts-read').closest('.wanted') !== null, b.sent.length]
  }, 'contacts-read')
  assert.deepEqual(found, [['false', null], true, 0])
})

/** Runs in the page with a deck and calls that are carried out without a card. @param {(b: any) => unknown} work */
const withQuiet = (work) => inside(`Promise.all([import('/app/deck.js'), import('/app/card.js'), ${STILL}]).then(async ([{ Deck }, { NodCard }]) => {
  const shell = document.getElementById('shell')
  const quiet = document.getElementById('quiet')
  const entries = new Map()
  const b = {
    quiet, dispatched: [], deck: null, online: true,
    soon: () => new Promise((resolve) => setTimeout(resolve)),
    until: async (is) => { for (const end = Date.now() + 20_000; !is(); await b.soon()) if (Date.now() > end) throw new Error('never: ' + is) },
    sheet: () => quiet.querySelector('[role=dialog]'),
    inert: () => document.getElementById('page').inert,
    /** Does something in no time: a machine that stands still meanwhile is no later. */
    atOnce: (does) => {
      const now = performance.now()
      performance.now = () => now
      try { return does() } finally { delete performance.now }
    },
    set(call, tool, state, more = {}) {
      const offer = { call, agent_name: 'Laptop', phone: 'p', tool, action: tool, fields: tool === 'photo_pick' ? { max: 2, why: 'The label' } : {}, summary: '', rule: 'never', risk: 'low', badges: [], verdict: 'allow', ttl_seconds: 120 }
      entries.set(call, { state: { call, acts: true, way: 'tap', choice: 'standing', deadline: performance.now() + 60_000, until: performance.now() + 240_000, ...state }, offer, plan: { do: 'device' }, order: 0, ...more })
      b.deck.refresh()
    },
  }
  b.deck = new Deck({
    sheet: document.getElementById('sheet'), page: shell, host: { entries, parts: { plan: () => ({}) }, dispatch: (call, event) => b.dispatched.push([call, event.type]), forget: (call) => entries.delete(call) }, zone: 'UTC',
    card: () => new NodCard(), phoneName: (id) => id, online: () => b.online, pauseAll() {}, release() {}, folded() {}, shown() {}, title: () => 'nod',
  })
  return Promise.resolve((${work})(b)).finally(() => b.deck.stop())
})`)

test('what needed no card is one line, and no card', async () => {
  assert.deepEqual(await withQuiet(async (b) => {
    const region = b.quiet.querySelector('[role=status]') // it is there before its words are, to be heard
    b.set('1', 'phone_now', { phase: 'acting' })
    b.set('1', 'phone_now', { phase: 'ended', acked: true, ending: { kind: 'done', started: true } })
    await b.until(() => b.quiet.textContent)
    return [region === b.quiet.querySelector('[role=status]'), region.textContent, b.sheet(), b.inert(), document.querySelector('nod-card')]
  }), [true, 'Laptop asked the time · by nod’s own rule', null, false, null])
})

test('where a tap is wanted a sheet says who, what and why, and "Not now" is told at once', async () => {
  assert.deepEqual(await withQuiet(async (b) => {
    b.set('0', 'photo_pick', { phase: 'ended', acked: true, ending: { kind: 'failed', started: false, reason: 'not_picked' } })
    await b.until(() => b.quiet.textContent) // what draws it is loaded
    b.atOnce(() => {
      b.set('1', 'photo_pick', { phase: 'button' })
      b.sheet().querySelector('button').click() // it has only just come up
    })
    const early = b.dispatched.length
    const text = b.sheet().innerText.replace(/\s*\n+\s*/g, ' | ').replace(/Good for [\d:]+/, 'Good for …')
    const focus = document.activeElement?.tagName
    const about = b.sheet().getAttribute('aria-describedby').split(' ').map((id) => document.getElementById(id).textContent.slice(0, 9))
    const inert = b.inert()
    await b.until(() => !b.sheet().querySelector('[aria-disabled]'))
    const [leave, press] = b.sheet().querySelectorAll('button')
    press.click() // by a script: no tap
    leave.click()
    press.focus()
    b.set('1', 'photo_pick', { phase: 'acting' })
    const held = document.activeElement.id
    b.set('1', 'photo_pick', { phase: 'ended', acked: true, ending: { kind: 'failed', started: false, reason: 'not_picked', why: 'not_picked' } })
    return { text, about, focus, held, inert, early, dispatched: b.dispatched, after: [b.sheet(), b.inert(), b.quiet.querySelector('[role=status]').textContent] }
  }), {
    text: 'L | Laptop | asks p | Choose photos | How many | Up to 2 photos | The agent says | “The label” | Laptop will be given: the photos you choose, made smaller, without where and when they were taken | Good for … | The browser wants a tap | Not now | Choose photos',
    about: ['LLaptopas', 'How manyU', 'Laptop wi'], focus: 'H2', held: 'ask-title', inert: true, early: 0, dispatched: [['1', 'leave']],
    after: [null, false, 'Laptop: Choose photos · Nothing was given out.'],
  })
})

test('a card lies over the sheet; who closes it has the sheet before them anew', async () => {
  assert.deepEqual(await withQuiet(async (b) => {
    b.set('1', 'photo_pick', { phase: 'button' })
    await b.until(() => b.sheet() && !b.sheet().querySelector('[aria-disabled]'))
    b.set('2', 'clipboard_read', { phase: 'waiting', choice: undefined })
    const card = document.querySelector('nod-card')
    const [above, below] = ['sheet', 'quiet'].map((id) => Number(getComputedStyle(document.getElementById(id)).zIndex))
    b.set('2', 'clipboard_read', { phase: 'closed', choice: undefined, ending: { kind: 'expired' } })
    document.activeElement.blur()
    const off = b.atOnce(() => {
      card.dispatchEvent(new CustomEvent('dismiss', { bubbles: true }))
      b.sheet().querySelector('button').click() // a second touch, meant for the card
      return b.sheet().querySelectorAll('[aria-disabled]').length
    })
    return [above > below, document.querySelector('nod-card'), document.activeElement.id, b.dispatched.filter(([call]) => call === '1'), off]
  }), [true, null, 'ask-title', [], 2])
})

test('what is asked is in the sheet in full, from who asks on, and its button comes after it', async () => {
  const { top, lines, button, inside } = await withQuiet(async (b) => {
    const body = Array.from({ length: 60 }, (_, i) => 'line ' + i).join('\n')
    const offer = { call: '1', agent_name: 'Laptop', phone: 'p', tool: 'notify', action: 'notify', fields: { title: 'T'.repeat(100), body }, summary: '', rule: 'never', risk: 'low', badges: [], verdict: 'allow', ttl_seconds: 120 }
    b.set('1', 'notify', { phase: 'button' }, { offer })
    await b.until(() => b.sheet())
    b.quiet.scrollTop = 0
    const at = (node) => node.getBoundingClientRect()
    return { top: at(b.sheet()).top, lines: b.sheet().querySelectorAll('.body p').length, button: at(b.sheet().querySelector('.primary')).top - innerHeight, inside: b.quiet.scrollHeight - at(b.sheet()).height }
  })
  assert.ok(top >= 0 && inside >= 0 && lines === 60, `${top} px, ${lines} lines`)
  assert.ok(button > 0, 'the button is where the reading ends')
})

test('who comes by its notification while the link is being opened is not told that it is over', async () => {
  assert.deepEqual(await withQuiet((b) => {
    b.set('1', 'photo_pick', { phase: 'button', go: true })
    b.deck.want('1')
    return b.deck.expect([]) // it does not wait for an answer any more
  }), true)
})

test('what is on its way is not said to have been given', async () => {
  const { due, said } = await withQuiet(async (b) => {
    const told = () => b.quiet.textContent
    const ended = { phase: 'ended', acked: false, ending: { kind: 'done', started: true, reason: 'read' } }
    b.online = false
    b.set('1', 'photo_pick', ended)
    await b.until(told)
    const due = told()
    b.online = true
    b.set('2', 'photo_pick', { ...ended, acked: true })
    await b.until(() => told() !== due)
    return { due, said: told() }
  })
  assert.deepEqual([due, said], ['Laptop: Choose photos · It is handed over as soon as nod is reached again.', 'Laptop was given photos you chose · by nod’s own rule'])
})

test('today says that photos were given once they were, and not while they are kept for the agent', async () => {
  assert.deepEqual(await inside(`import('/app/past.js').then(({ pastRow }) => [undefined, 1_800_000_000_000].map((released_at) => pastRow(
    { id: '1', agent_name: 'Laptop', tool: 'photo_pick', action: 'photo_pick', fields: { max: 1 }, outcome: 'done', kind: 'read', rule: 'never', basis: 'spec', at: 1_800_000_000_000, released_at }, { now: 1_800_000_000_000, zone: 'UTC', me: 'p' },
  ).querySelector('.title').textContent))`), ['Choose photos', 'Laptop was given photos you chose'])
})
