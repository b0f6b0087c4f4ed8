// Every sentence that the app asks for exists, in every language, and none is
// there that nobody asks for.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

import { ACTIONS, PERSON_TEXTS } from '../../app/contract.js'
import { spec } from '../../app/spec.js'

const app = new URL('../../app/', import.meta.url)
/** @param {string[][]} places folder and ending */
const read = (places) => places.flatMap(([dir, end]) => readdirSync(new URL(dir, app))
  .filter((f) => f.endsWith(end) && f !== 'spec.js' && !f.endsWith('_test.go')).map((f) => readFileSync(new URL(dir + f, app), 'utf8'))).join('\n')
/** What asks for sentences: the app and its service worker; and the gateway, for what it sends as a notification. */
const source = read([['', '.js'], ['pages/', '.js'], ['../', 'sw.js']]).replace(/\bpackage: '[\w.]+'/g, '') // an app's package is no key
const gateway = read([['../../internal/gateway/', '.go'], ['../../internal/server/', '.go']])

const ROOTS = 'access|quiet|what|plain|card|app|note|outcome|end|phone|result|cannot|home|pair|phones|resume|state|title|nav|load|test|log|receipt|settings|shortcuts|push'
const used = new Set([...source.matchAll(new RegExp(`['"\`]((?:${ROOTS})\\.[\\w.]+)['"\`]`, 'g'))].map((m) => m[1]))
const prefixes = [...source.matchAll(new RegExp(`\`((?:${ROOTS})\\.[\\w.]*)\\$\\{`, 'g'))].map((m) => m[1])
// The gateway's strings are of many kinds: those that are keys are used.
for (const [, key, joined] of gateway.matchAll(new RegExp(`"((?:${ROOTS})\\.[\\w.]+)"( *\\+)?`, 'g'))) {
  if (joined && key.endsWith('.')) prefixes.push(key)
  else if (key in PERSON_TEXTS.en) used.add(key)
}

test('each language has the same sentences, with the same gaps', () => {
  const gaps = (text) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map((m) => m[1]).sort().join()
  for (const [language, texts] of Object.entries(PERSON_TEXTS)) {
    assert.deepEqual(Object.keys(texts).sort(), Object.keys(PERSON_TEXTS.en).sort(), language)
    for (const [key, text] of Object.entries(texts)) assert.equal(gaps(text), gaps(PERSON_TEXTS.en[key]), `${language} ${key}`)
  }
})

test('every sentence asked for exists', () => {
  for (const key of used) assert.ok(key in PERSON_TEXTS.en || Object.keys(PERSON_TEXTS.en).some((k) => k.startsWith(`${key}.`)), key)
  for (const prefix of prefixes) assert.ok(Object.keys(PERSON_TEXTS.en).some((k) => k.startsWith(prefix)), prefix)
})

test('no sentence is there for nobody', () => {
  // The contract wants a label for each field, also where a card draws places on one line.
  const labels = new Set(Object.keys(spec.phone.fields).map((f) => `card.field.${f}`))
  const idle = Object.keys(PERSON_TEXTS.en).filter((k) => !used.has(k) && !labels.has(k) && !prefixes.some((p) => k.startsWith(p)))
  assert.deepEqual(idle, [])
})

test('the service worker knows by heart what it says where it can read nothing', () => {
  const source = readFileSync(new URL('../sw.js', app), 'utf8')
  for (const [language, texts] of Object.entries(PERSON_TEXTS)) assert.ok(source.includes(`${language}: '${texts['push.plain']}'`), language)
})

test('each value that the contract knows has its words', () => {
  const { enums } = spec.phone
  for (const a of ACTIONS) for (const p of ['card.title', 'end.left']) assert.ok(`${p}.${a.name}` in PERSON_TEXTS.en, `${p}.${a.name}`)
  for (const name of ['mode', 'near', 'command', 'panel']) for (const v of enums[name]) assert.ok(`card.${name}.${v}` in PERSON_TEXTS.en, `${name} ${v}`)
})

test('no jargon, no exclamation mark, no please', () => {
  for (const [key, text] of Object.entries(PERSON_TEXTS.en)) assert.doesNotMatch(text, /\b(token|agent id|payload|session|gateway|please)\b|!/i, key)
})
