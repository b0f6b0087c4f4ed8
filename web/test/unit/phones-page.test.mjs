// docs/phones.md says what a browser can do. Its tables are made here, from what
// plan() does, and must be fresh: NOD_UPDATE=1 node --test unit/phones-page.test.mjs
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'

import { able } from '../../app/capabilities.js'
import { ACTIONS, TOOLS } from '../../app/contract.js'
import { mapsOn } from '../../app/maps.js'
import { UNPROBED } from '../../app/probe.js'
import { defaults } from '../../app/settings.js'
import { spec } from '../../app/spec.js'
import { english } from '../../app/text.js'
import { BY_SHORTCUT, plan } from '../../app/uris.js'

const PAGE = new URL('../../../docs/phones.md', import.meta.url)
const SYSTEMS = { android: 'Android', ios: 'iPhone', desktop: 'computer' }
const platform = (os) => ({ os, version: os === 'ios' ? 2600 : 0, samsung: false, zone: 'UTC', standalone: true })
const ALL = Object.fromEntries(BY_SHORTCUT.map((action) => [action, 1]))

/** What no browser of a system has; the page finds that out by looking. @type {Record<string, string[]>} */
const LACKS = { android: [], ios: ['contacts'], desktop: ['contacts'] }
const everything = (os) => Object.fromEntries(Object.keys(UNPROBED).map((what) => [what, LACKS[os].includes(what) ? 'unsupported' : 'ready']))

/** @param {string[]} head @param {string[][]} rows */
const table = (head, rows) => [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n').replace(/\| ---/g, '|---').replace(/--- \|/g, '---|')

/** What one system can do of an action, with its default settings, and why it cannot. @param {string} os @param {string} action */
function cell(os, action) {
  const state = (shortcuts, probed) => able(platform(os), { ...defaults(os), shortcuts }, probed).find((c) => c.action === action)
  const bare = state({}, UNPROBED)
  if (bare.state === 'ready') return { text: 'yes' }
  if (state(ALL, UNPROBED).state === 'ready') return { text: 'with a Shortcut' }
  if (state({}, { ...UNPROBED, torch: 'ready' }).state === 'ready') return { text: 'where a camera has a light' }
  if (state({}, everything(os)).state === 'ready') return { text: 'where the browser can' }
  return { text: 'no', why: english(bare.reason) }
}

/** @param {string} what @param {{ name: string }[]} list */
const hostsOf = (what, list) => table([what, ...Object.values(SYSTEMS).map((name) => `browser, ${name}`), 'simulated phone', 'why not'], list.map(({ name }) => {
  const cells = Object.keys(SYSTEMS).map((os) => cell(os, name))
  return [`\`${name}\``, ...cells.map((c) => c.text), 'yes', [...new Set(cells.flatMap((c) => c.why ?? []))].join(' ')]
}))

const hosts = hostsOf('action', ACTIONS)
const tools = hostsOf('tool', TOOLS)

const POINT = { lat: '41.15', lon: '-8.61' }
const PLACE = { query: 'Café Central' }

/** @param {string} os @param {string} map */
function mapRow(os, map) {
  const settings = { ...defaults(os), map }
  const go = (fields, action = 'navigate') => plan(action, fields, platform(os), settings, null, 0)
  const can = (fields, action) => !('reason' in go(fields, action))
  const counts = Array.from({ length: spec.phone.fields.stops.max_items + 1 }, (_, n) => n)
  const stops = Math.max(...counts.filter((n) => can({ destination: POINT, stops: Array(n).fill(POINT) })))
  const modes = spec.phone.enums.mode.filter((mode) => can({ destination: POINT, mode }))
    .map((mode) => (stops && !can({ destination: POINT, stops: [POINT], mode }) ? `${mode} (no stops)` : mode))
  const named = go({ destination: PLACE })
  const names = 'reason' in named ? 'no' : named.note === 'note.map_place' ? 'shows the place' : 'yes'
  return [SYSTEMS[os], english(mapsOn(os).find((m) => m.id === map).app), stops === counts.at(-1) ? 'any' : String(stops), modes.join(', '), names, can({ query: 'coffee' }, 'search_nearby') ? 'yes' : 'no']
}

const maps = table(['system', 'map app', 'stops', 'ways of travelling', 'a name or an address', 'search'],
  Object.keys(SYSTEMS).flatMap((os) => mapsOn(os).map(({ id }) => mapRow(os, id))))

for (const [name, fresh] of Object.entries({ hosts, tools, maps })) {
  test(`docs/phones.md: the table "${name}" says what the code does`, () => {
    const page = readFileSync(PAGE, 'utf8')
    const block = new RegExp(`(<!-- table ${name}: [^>]*-->\\n)[^]*?(<!-- end -->)`)
    assert.match(page, block)
    const want = page.replace(block, (_, head, end) => `${head}${fresh}\n${end}`)
    if (process.env.NOD_UPDATE && want !== page) writeFileSync(PAGE, want)
    else assert.equal(page, want, 'NOD_UPDATE=1 makes it anew')
  })
}

test('each action can be done by a browser somewhere, or a browser says why not', () => {
  for (const { name } of ACTIONS) for (const os of Object.keys(SYSTEMS)) assert.doesNotMatch(cell(os, name).why ?? 'yes', /^cannot\./)
})
