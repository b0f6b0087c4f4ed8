// The app stays small: what a phone loads before it can show a page. The card
// and the check of it follow while the page stands, before the link opens.
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { test } from 'node:test'

import { bare, sum, tokens, weigh } from '../size.mjs'

const LIMIT = 100 * 1024
const APP = new URL('../../app/', import.meta.url)

test('what main.js brings in is under 100 KB of code', (t) => {
  const all = weigh()
  const first = all.filter((w) => w.first)
  t.diagnostic(`${sum(first, 'code')} bytes of code in ${first.length} files, ${sum(first, 'served')} as served with comments; later, when needed: ${sum(all, 'code') - sum(first, 'code')} in ${all.length - first.length}`)
  const largest = first.sort((a, b) => b.code - a.code).slice(0, 12).map((w) => `${w.name} ${w.code}`)
  assert.ok(sum(first, 'code') < LIMIT, `${sum(first, 'code')} bytes; the largest: ${largest.join(', ')}`)
})

test('comments are told from code', () => {
  const code = 'const a = /[/]*"/.test(b) ? `// ${c /* no */ + `/* ${1 / d} */`} //` : "/* x */" / 2 // yes\n\n/** and\n this */\nlet e = { f: [1] / 2 }\n'
  assert.equal(bare(code), 'const a = /[/]*"/.test(b) ? `// ${c  + `/* ${1 / d} */`} //` : "/* x */" / 2\nlet e = { f: [1] / 2 }\n')
})

test('without its comments every module has the same tokens', () => {
  const code = (text) => tokens(text).map((t) => t.text.trim()).filter((t) => t && !/^\/[/*]/.test(t))
  for (const name of readdirSync(APP).filter((f) => f.endsWith('.js') && f !== 'spec.js')) {
    const text = readFileSync(new URL(name, APP), 'utf8')
    assert.deepEqual(code(bare(text)), code(text), name)
  }
})
