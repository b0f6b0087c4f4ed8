// Sample offers and states for the storybook. Names and numbers are invented.

/** @typedef {import('../app/card.js').Model} Model */
/** @typedef {import('../app/card.js').Status} Status */

/** The storybook's evening: Monday 30 November 2026, 20:12 in Lisbon. */
export const NOW = Date.UTC(2026, 10, 30, 20, 12)
export const ZONE = 'Europe/Lisbon'
export const TTL = 120_000

/** @type {Model} */
const base = {
  call: 'call_sample', agentName: 'Laptop · Claude Code', phoneName: 'Pixel 9', tool: 'phone_action', action: '', fields: {},
  summary: '', rule: 'always', risk: 'medium', badges: [], ttlMs: TTL, zone: ZONE, now: NOW,
}

/** @param {string} action @param {Record<string, any>} fields @param {Partial<Model>} [more] @returns {Model} */
const card = (action, fields, more) => ({ ...base, action, fields, ...(more?.app && { way: 'open' }), ...more })

/** @param {string} name @param {Record<string, any>} fields @param {Partial<Model>} [more] @returns {Model} */
const tool = (name, fields, more) => ({ ...base, tool: name, action: name, fields, rule: 'default', ...(more?.app && { way: 'open' }), ...more })

const LONG = 'The meeting with the clinic moved to 15:30, I will come straight after. '

/** @type {Record<string, Model>} */
export const CARDS = {
  navigate: card('navigate', { destination: { query: 'SFO Airport' }, stops: [{ query: 'Ferry Building' }, { query: 'Dolores Park' }], mode: 'drive' },
    { summary: 'Route to the airport with your two errands on the way.', app: 'app.google_maps', web: 'https://www.google.com/maps/dir/?api=1&destination=SFO%20Airport' }),
  'navigate, places in full': card('navigate', {
    destination: { name: 'Ferry Building', query: '1 Ferry Building, San Francisco, CA 94111', lat: '37.7955', lon: '-122.3937' },
    stops: [{ lat: '41.1496', lon: '-8.6109' }, { name: 'Café Central, Porto' }, { query: 'a place with a very long name that goes on past the edge of any small screen' }],
    mode: 'transit', replace_route: true,
  }, { summary: 'x'.repeat(320), app: 'app.google_maps' }),
  'navigate, a route may still run': card('navigate', { destination: { query: 'Grandma, Rua 5 de Outubro 12' }, mode: 'drive' },
    { app: 'app.waze', warning: { key: 'card.badge.route_running', values: { name: 'SFO Airport' } } }),
  'navigate, the map app shows the place': card('navigate', { destination: { name: 'Café Central, Porto' } }, { app: 'app.organic_maps', note: 'note.map_place' }),
  add_stop: card('add_stop', { stop: { query: 'Pharmacy, Rua Augusta 12' }, destination: { query: 'SFO Airport' } }, { app: 'app.google_maps' }),
  search_nearby: card('search_nearby', { query: 'coffee', near: 'route' }, { risk: 'low', app: 'app.google_maps', note: 'note.search_route' }),
  stop_navigation: card('stop_navigation', {}, { risk: 'low', summary: 'You have arrived.' }),
  alarm: card('alarm', { time: '07:30', label: 'Train' }, { risk: 'low', summary: 'Alarm for the 08:12 train' }),
  'alarm, by a Shortcut': card('alarm', { time: '07:30', label: 'Train' }, { risk: 'low', app: 'app.shortcuts', way: 'run' }),
  'alarm, repeated': card('alarm', { time: '06:45', label: 'Swim', days: ['mon', 'wed', 'fri'] }, { risk: 'low' }),
  'alarm, by Shortcut': card('alarm', { time: '07:30', label: 'Train' }, { risk: 'low', app: 'app.shortcuts', way: 'run' }),
  timer: card('timer', { seconds: 5430, label: 'Bread' }, { risk: 'low' }),
  calendar_event: card('calendar_event', { title: 'Dinner with Ana', start: '2026-12-04T19:30', end: '2026-12-04T22:00', place: 'Rua das Flores 8, Porto', notes: 'Bring the book.\nShe is allergic to nuts.' },
    { app: 'app.google_calendar' }),
  'calendar_event, all day': card('calendar_event', { title: 'Offsite', start: '2026-12-03', end: '2026-12-04' }, { app: 'app.google_calendar' }),
  'calendar_event, one day': card('calendar_event', { title: 'Offsite', start: '2026-12-03', end: '2026-12-03' }, { app: 'app.calendar' }),
  sms_draft: card('sms_draft', { to: ['+351 910 000 001'], text: `Running 10 minutes late. ${LONG}`.trim() }, { app: 'app.messages', badges: ['taint'], rule: 'badge' }),
  'sms_draft, hidden characters': card('sms_draft', { to: ['+351 910 000 001', '+351 910 000 002'], text: 'pay \u202e0001\u202c euros\u200b to\u2066 me\u2069 👩‍👩‍👧 نعم' }, { app: 'app.messages' }),
  email_draft: card('email_draft', { to: ['ann+work@example.com', 'bob@example.com'], cc: ['carla@example.com'], subject: 'Q3 plan: 50% + more', text: `Dear both,\n\n${LONG.repeat(12)}\n\nAna` },
    { app: 'app.mail', summary: 'The mail about the plan' }),
  dial: card('dial', { number: '+1 (800) 555-0100' }, { app: 'app.dialer' }),
  'dial, service code': card('dial', { number: '*100#' }, { app: 'app.dialer', risk: 'high', badges: ['service_code'], rule: 'high_risk' }),
  open_app: card('open_app', { app: 'Signal' }),
  open_url: card('open_url', { url: 'https://www.example.com/orders/2026/11/30?ref=laptop&show=all#items' }, { app: 'app.browser' }),
  'open_url, look-alike': card('open_url', { url: 'https://xn--pypal-4ve.example/login/confirm' }, { app: 'app.browser', badges: ['look_alike'], rule: 'badge' }),
  'open_url, own network': card('open_url', { url: 'http://192.168.1.1/admin?reboot=1' }, { app: 'app.browser' }),
  'open_url, letters': card('open_url', { url: 'https://www.xn--bcher-kva.example:8443/neu' }, { app: 'app.browser' }),
  media: card('media', { command: 'toggle' }, { risk: 'low' }),
  torch: card('torch', { on: true }, { risk: 'low', note: 'note.torch', way: 'act' }),
  settings_panel: card('settings_panel', { panel: 'wifi' }, { risk: 'low' }),
  automation_intent: card('automation_intent', { name: 'Good night', values: { room: 'kitchen', level: '20 %', note: 'doors\nwindows' } },
    { risk: 'high', rule: 'high_risk', summary: 'Turn the house off' }),
  clipboard_read: tool('clipboard_read', {}, { way: 'tap' }),
  clipboard_write: tool('clipboard_write', { text: 'Wi-Fi at the cabin: birch-7241\nRouter behind the stove.' }, { risk: 'low', way: 'tap' }),
  notify: tool('notify', { title: 'Bread is ready', body: 'Take it out and let it rest for an hour.', thread: 'Kitchen' }, { risk: 'low', badges: ['repeat'], rule: 'badge', repeat: { seconds_ago: 240, outcome: 'done' } }),
  calendars: tool('calendars', {}),
  calendar_list: tool('calendar_list', {}, { summary: 'To see whether Thursday evening is free' }),
  'calendar_list, some of it': tool('calendar_list', { from: '2026-12-03', to: '2026-12-04', query: 'dentist', calendar_id: 3, limit: 10 }),
  'calendar_list, from a time': tool('calendar_list', { from: '2026-12-03T08:00', limit: 1 }, { found: { calendar_id: [{ text: 'Family' }] } }),
  calendar_create: tool('calendar_create', { title: 'Dinner with Ana', start: '2026-12-04T19:30', end: '2026-12-04T22:00', location: 'Rua das Flores 8, Porto', description: 'Bring the book.', calendar_id: 3, reminder_minutes: 90 }, { found: { calendar_id: [{ text: 'Family', also: 'ana@example.com' }] } }),
  'calendar_create, all day': tool('calendar_create', { title: 'Offsite', start: '2026-12-03', end: '2026-12-04', all_day: true, reminder_minutes: 1440 }),
  'calendar_create, the calendar opens': tool('calendar_create', { title: 'Dentist', start: '2026-12-01T09:15' }, { app: 'app.google_calendar' }),
  'calendar_create, a time that comes twice': tool('calendar_create', { title: 'Night shift', start: '2026-10-25T01:30' }, { now: Date.UTC(2026, 9, 20, 18) }),
  calendar_update: tool('calendar_update', { id: 4711, start: '2026-12-04T20:00', location: 'Rua das Flores 10, Porto' }, { found: { id: [{ text: 'Dinner with Ana', also: 'Fri 4 Dec, 19:30 to 22:00' }] } }),
  'calendar_update, in full': tool('calendar_update', { id: 4711, title: 'Dinner with Ana and Rui', start: '2026-12-05', end: '2026-12-06', all_day: true, description: 'Moved.\nThe table is booked.' }),
  calendar_delete: tool('calendar_delete', { id: 4711 }, { risk: 'high', rule: 'high_risk', found: { id: [{ text: 'Swimming', also: 'Every Monday, 18:00 to 19:00\nThe whole series, from 7 September on' }] }, summary: 'You said you stopped swimming' }),
  'calendar_delete, not looked up': tool('calendar_delete', { id: 4711 }, { risk: 'high', rule: 'high_risk' }),
  contacts_search: tool('contacts_search', { query: 'Ana' }, { summary: 'To find the number for the text message' }),
  'contacts_search, by picking': tool('contacts_search', { query: 'Ana' }, { way: 'tap', risk: 'low' }),
  'contacts_search, one': tool('contacts_search', { query: 'Dr. Moura, dentist', limit: 1 }),
  location: tool('location', {}, { way: 'act' }),
  'location, coarse': tool('location', { accuracy: 'coarse', max_age_seconds: 0 }),
  alarm_set: tool('alarm_set', { hour: 22, minute: 0, message: 'Bins' }, { summary: 'Alarm for 10 pm tomorrow' }),
  'alarm_set, tomorrow': tool('alarm_set', { hour: 7, minute: 30, message: 'Train', vibrate: true }),
  'alarm_set, repeated': tool('alarm_set', { hour: 6, minute: 45, days: ['mon', 'wed', 'fri'], vibrate: false }),
  timer_set: tool('timer_set', { seconds: 2700, message: 'Bread' }),
  photo_pick: tool('photo_pick', { max: 3, why: 'To read the serial number on the label' }, { risk: 'low', way: 'tap' }),
  phone_now: tool('phone_now', {}, { risk: 'low' }),
  'sms_draft, after your data': card('sms_draft', { to: ['+351 910 000 009'], text: 'The code is 4711.' }, { app: 'app.messages', badges: ['taint'], rule: 'badge', taint: ['calendar', 'contacts'] }),
  'sms_draft, a name': card('sms_draft', { to: ['Ana', '+351 910 000 002'], text: 'Running late' }, { found: { to: [{ text: 'Ana Moura', also: 'mobile · +351 910 000 001' }, { text: '+351 910 000 002' }] } }),
  'repeat': card('navigate', { destination: { query: 'SFO Airport' } }, { app: 'app.google_maps', badges: ['repeat'], rule: 'badge', repeat: { seconds_ago: 130, outcome: 'opened' } }),
  'right to left': card('sms_draft', { to: ['+972 50 000 0001'], text: 'אני מאחר בעשר דקות.\nאפשר להתחיל בלעדי' }, { agentName: 'מחשב · עוזר', phoneName: 'הטלפון של נועה', app: 'app.messages' }),
}

const at = () => performance.now()

/** @type {Record<string, () => Status>} */
export const STATES = {
  waiting: () => status('waiting'),
  'others wait': () => status('waiting', { others: 2 }),
  'nearly over': () => status('waiting', { deadline: at() + 9_000 }),
  'not connected': () => status('waiting', { online: false }),
  kept: () => status('kept', { until: at() + 9_000 }),
  sending: () => status('confirmed'),
  declining: () => status('declining'),
  'about to open': () => status('arming'),
  opening: () => status('launched'),
  away: () => status('away', { until: at() + 20_000 }),
  'the phone does it': () => status('acting'),
  button: () => status('button', { until: at() + 58_000 }),
  'did it open': () => status('asking', { until: at() + 20_000 }),
  opened: () => over({ kind: 'opened', started: true }),
  declined: () => over({ kind: 'declined' }),
  'declined, and why': () => over({ kind: 'declined', message: 'Tomorrow would do' }),
  'declined, not told': () => over({ kind: 'declined', reason: 'untold' }),
  expired: () => over({ kind: 'expired' }),
  'withdrawn, cancelled': () => over({ kind: 'withdrawn', reason: 'cancelled' }),
  'withdrawn, gone': () => over({ kind: 'withdrawn', reason: 'gone' }),
  'withdrawn, agent removed': () => over({ kind: 'withdrawn', reason: 'agent_removed' }),
  'withdrawn, phone removed': () => over({ kind: 'withdrawn', reason: 'phone_removed' }),
  'withdrawn, restart': () => over({ kind: 'withdrawn', reason: 'restart' }),
  'withdrawn, paused': () => over({ kind: 'withdrawn', reason: 'paused' }),
  'withdrawn, switched off': () => over({ kind: 'withdrawn', reason: 'access_off' }),
  'answered elsewhere': () => over({ kind: 'answered', by: 'Ana’s tablet' }),
  'sent to another phone': () => over({ kind: 'handed' }),
  'failed, no go': () => over({ kind: 'failed', started: false, reason: 'no_go', message: 'The go-ahead came too late, so it was not started.' }),
  'failed, unused': () => over({ kind: 'failed', started: false, reason: 'unused', message: 'The person confirmed and did not tap the button that opens the app.' }),
  'failed, did not open': () => over({ kind: 'failed', started: true, reason: 'not_opened', message: 'The person says that the app did not open.' }),
  unknown: () => over({ kind: 'unknown', started: true }),
  'failed, not on this phone': () => over({ kind: 'failed', started: false, reason: 'fallback', message: 'The app is not on this phone, or did not open.' }),
  'failed, opened again': () => over({ kind: 'failed', started: true, reason: 'not_opened', message: 'The person says that the app did not open.', again: true }),
  'failed, not made ready': () => over({ kind: 'failed', started: false, reason: 'deposit', message: 'It could not be made ready, so it was not started.' }),
  'did it run': () => status('asking', { until: at() + 20_000 }),
  ran: () => over({ kind: 'done', started: true, reason: 'ran' }),
  'failed, stopped': () => over({ kind: 'failed', started: true, reason: 'cancel', message: 'The person stopped the shortcut.' }),
  'not known how it ended': () => over({ kind: 'unknown', started: true }),
  'torch on': () => over({ kind: 'done', started: true, reason: 'torch_on', message: 'The torch is on. It goes off when the person leaves nod on the phone.' }),
  'torch left': () => over({ kind: 'done', started: true, reason: 'torch_left', message: 'The torch is on. It goes off when the person leaves nod on the phone.' }),
  'one more tap': () => status('button', { until: at() + 88_000 }),
  'photos to choose': () => status('button', { until: at() + 232_000 }),
  'a place to share': () => status('button', { until: at() + 118_000 }),
  'the browser asks': () => status('acting', { until: at() + 100_000 }),
  'the phone’s picker is open': () => status('acting', { until: at() + 200_000 }),
  'given, some': () => over({ kind: 'done', started: true, reason: 'read' }, { gave: 3, acked: true }),
  'given, one': () => over({ kind: 'done', started: true, reason: 'read' }, { gave: 1, acked: true }),
  'given, nothing there': () => over({ kind: 'done', started: true, reason: 'read' }, { gave: 0, acked: true }),
  'given, a place': () => over({ kind: 'done', started: true, reason: 'read' }, { acked: true }),
  'given, not yet': () => over({ kind: 'done', started: true, reason: 'read' }, { gave: 2, acked: false, online: false }),
  'done, copied': () => over({ kind: 'done', started: true, reason: 'copied' }),
  'not allowed': () => over({ kind: 'failed', started: false, reason: 'not_allowed', why: 'not_allowed' }),
  'clipboard not allowed': () => over({ kind: 'failed', started: false, reason: 'not_allowed', why: 'not_allowed' }),
  'nobody answered': () => over({ kind: 'failed', started: false, reason: 'nobody_answered', why: 'nobody_answered' }),
  'nothing chosen': () => over({ kind: 'failed', started: false, reason: 'not_picked', why: 'not_picked' }),
  'in the background': () => over({ kind: 'failed', started: false, reason: 'background', why: 'background' }),
  'no place found': () => over({ kind: 'failed', started: false, reason: 'no_fix' }),
  'a time that comes twice': () => over({ kind: 'failed', started: false, why: 'two_such_times' }),
  'torch not allowed': () => over({ kind: 'failed', started: false, reason: 'torch_not_allowed', message: `It is not allowed to use the camera, whose light the torch is. Do not ask again now: the person can allow it in the phone's settings.` }),
}

/** The card that a state is shown on, where it is not a route's. @type {Record<string, string>} */
export const ON = {
  'one more tap': 'clipboard_read', 'photos to choose': 'photo_pick', 'a place to share': 'location', 'the browser asks': 'location', 'the phone’s picker is open': 'photo_pick',
  'given, some': 'contacts_search', 'given, one': 'photo_pick', 'given, nothing there': 'calendar_list', 'given, a place': 'location, coarse', 'given, not yet': 'photo_pick',
  'done, copied': 'clipboard_write', 'not allowed': 'location', 'clipboard not allowed': 'clipboard_read', 'nobody answered': 'clipboard_read', 'nothing chosen': 'contacts_search', 'in the background': 'clipboard_read',
  'no place found': 'location', 'a time that comes twice': 'calendar_create, a time that comes twice',
  'the phone does it': 'torch', 'torch on': 'torch', 'torch left': 'torch', 'torch not allowed': 'torch',
  away: 'alarm, by a Shortcut', 'did it run': 'alarm, by a Shortcut', ran: 'alarm, by a Shortcut', 'failed, stopped': 'alarm, by a Shortcut', 'not known how it ended': 'alarm, by a Shortcut',
}

/** Stories that have the shape of another, in other words: pictures are made of all, what takes long looks at one of each shape. */
export const ALIKE = [
  'calendars', 'calendar_list, from a time', 'calendar_create', 'calendar_create, the calendar opens', 'calendar_update', 'calendar_delete, not looked up', 'contacts_search, one', 'contacts_search, by picking', 'location, coarse', 'alarm_set, tomorrow', 'phone_now',
  'declined, and why', 'photos to choose', 'a place to share', 'the phone’s picker is open', 'given, one', 'given, a place', 'clipboard not allowed', 'nobody answered', 'in the background', 'no place found', 'a time that comes twice',
  'agents, loading', 'agents, offline from the start', 'agents, could not be loaded', 'access, not saved', 'access, could not be loaded', 'access, could not be loaded again', 'access, offline from the start', 'access, paused, with a list',
  'quiet, photos being chosen', 'quiet, a notification wants a tap', 'request, after private data', 'request, by nod’s own rule',
]

/** @param {Status['phase']} phase @param {Partial<Status>} [more] @returns {Status} */
function status(phase, more) {
  return { phase, deadline: at() + 94_000, until: null, others: 0, online: true, ...more }
}

/** @param {import('../app/phone.js').Ending} ending @param {Partial<Status>} [more] */
const over = (ending, more) => status('ended', { ending, ...more })
