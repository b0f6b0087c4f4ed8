// The storybook leaves nothing out: every page's module and every drawing of it,
// every action and every phase of a card has a story.
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { test } from 'node:test'

import { ACTIONS, TOOLS } from '../../app/contract.js'
import { ALIKE, CARDS, STATES } from '../../dev/samples.js'

const dir = (/** @type {string} */ path) => new URL(`../../${path}/`, import.meta.url)
const files = (/** @type {string} */ path) => readdirSync(dir(path)).filter((f) => f.endsWith('.js')).map((name) => ({ name, text: readFileSync(new URL(name, dir(path)), 'utf8') }))
const stories = files('dev').map((f) => f.text).join('\n')

test('every page that can be drawn has a story', () => {
  const drawn = files('app/pages').flatMap(({ name, text }) => [...text.matchAll(/^export (?:function|const) (\w+Page)\b/gm)].map(([, fn]) => `${name} ${fn}`))
  assert.ok(drawn.length > 10, 'there are pages')
  assert.deepEqual(drawn.filter((d) => !new RegExp(`\\b${d.split(' ')[1]}\\b`).test(stories)), [])
})

test('every path of the app leads to a page with a story', () => {
  const router = readFileSync(new URL('router.js', dir('app')), 'utf8')
  const modules = [...router.matchAll(/import\('(\.\/pages\/\w+\.js)'\)/g)].map(([, path]) => path)
  assert.ok(modules.length > 5, 'there are paths')
  for (const path of modules) assert.match(stories, new RegExp(`'\\.\\./app/${path.slice(2).replaceAll('.', '\\.')}'`), path)
})

test('every action and every phase of a card has a story', () => {
  const actions = new Set(Object.values(CARDS).map((c) => c.action))
  assert.deepEqual([...ACTIONS, ...TOOLS].map((a) => a.name).filter((a) => !actions.has(a)), [])
  const phases = new Set(Object.values(STATES).map((make) => make().phase))
  const foot = readFileSync(new URL('card-foot.js', dir('app')), 'utf8')
  const all = [...(/const FEET = \{([\s\S]*?)\n\}/.exec(foot)?.[1] ?? '').matchAll(/^ {2}(\w+):/gm)].map(([, p]) => p)
  assert.ok(all.length > 5, 'the phases are found')
  assert.deepEqual(all.filter((p) => !phases.has(/** @type {any} */ (p)) && p !== 'closed'), [])
})

test('what is said to look like another story is a story', () => {
  assert.deepEqual(ALIKE.filter((name) => !(name in CARDS) && !(name in STATES) && !stories.includes(`'${name}':`) && !stories.includes(` ${name}:`)), [])
})
