// What the app's code weighs: the files that main.js brings in before anything
// is drawn, without comments, and as they are served. node size.mjs prints it.

import { readFileSync, readdirSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

import { SyntaxKind } from 'typescript/unstable/ast'
import { createScanner } from 'typescript/unstable/ast/scanner'

const APP = new URL('../app/', import.meta.url)
/** The contract itself, generated: data that every phone has to hold. */
const DATA = ['spec.js']

const COMMENTS = [SyntaxKind.SingleLineCommentTrivia, SyntaxKind.MultiLineCommentTrivia]
const SPACE = [SyntaxKind.WhitespaceTrivia, SyntaxKind.NewLineTrivia]
/** After one of these a slash divides; after anything else it begins a pattern. */
const VALUES = [
  SyntaxKind.Identifier, SyntaxKind.PrivateIdentifier, SyntaxKind.NumericLiteral, SyntaxKind.StringLiteral, SyntaxKind.RegularExpressionLiteral, SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateTail, SyntaxKind.CloseParenToken, SyntaxKind.CloseBracketToken, SyntaxKind.CloseBraceToken, SyntaxKind.ThisKeyword,
]

/** The tokens of a module, comments and spaces among them. @param {string} text @returns {{ kind: number, text: string }[]} */
export function tokens(text) {
  const scanner = createScanner(false, undefined, text)
  const found = []
  const braces = [] // true for one that a template opened
  let last = SyntaxKind.Unknown
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    const slash = kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken
    if (slash && !VALUES.includes(last)) kind = scanner.reScanSlashToken()
    if (kind === SyntaxKind.OpenBraceToken) braces.push(false)
    if (kind === SyntaxKind.TemplateHead) braces.push(true)
    if (kind === SyntaxKind.CloseBraceToken && braces.pop()) {
      kind = scanner.reScanTemplateToken(false)
      if (kind === SyntaxKind.TemplateMiddle) braces.push(true)
    }
    found.push({ kind, text: scanner.getTokenText() })
    if (!COMMENTS.includes(kind) && !SPACE.includes(kind)) last = kind
  }
  if (braces.length) throw new Error('the braces do not match')
  return found
}

/** A module without comments and the empty lines they leave. @param {string} text */
export function bare(text) {
  const code = tokens(text).map((t) => (COMMENTS.includes(t.kind) ? '' : t.text)).join('')
  return code.replace(/[ \t]+$/gm, '').replace(/\n{2,}/g, '\n').trimStart()
}

/** The addresses that a module imports before it runs. @param {string} text */
function imports(text) {
  const rest = tokens(text).filter((t) => !COMMENTS.includes(t.kind) && !SPACE.includes(t.kind))
  return rest.flatMap((t, i) => {
    const names = t.kind === SyntaxKind.StringLiteral && (rest[i - 1].kind === SyntaxKind.FromKeyword || rest[i - 1].kind === SyntaxKind.ImportKeyword)
    return names ? [t.text.slice(1, -1)] : []
  })
}

/** @typedef {{ name: string, code: number, served: number, first: boolean }} Weight code: bytes without comments; first: needed before anything is drawn */

/** Every module of the app but the contract. @returns {Weight[]} */
export function weigh() {
  const first = new Set()
  const visit = (/** @type {URL} */ url) => {
    if (first.has(url.href)) return
    first.add(url.href)
    for (const address of imports(readFileSync(url, 'utf8'))) visit(new URL(address, url))
  }
  visit(new URL('main.js', APP))
  const all = readdirSync(APP, { recursive: true }).map(String).filter((f) => f.endsWith('.js') && !DATA.includes(f))
  return all.map((name) => {
    const url = new URL(name, APP)
    const text = readFileSync(url, 'utf8')
    return { name, code: Buffer.byteLength(bare(text)), served: Buffer.byteLength(text), first: first.has(url.href) }
  })
}

/** @param {Weight[]} all @param {'code' | 'served'} what */
export const sum = (all, what) => all.reduce((n, w) => n + w[what], 0)

if (process.argv[1] && relative(process.argv[1], fileURLToPath(import.meta.url)) === '') {
  const all = weigh().sort((a, b) => b.code - a.code)
  for (const { name, code, served, first } of all) console.log(`${String(code).padStart(7)} ${String(served).padStart(7)} ${first ? ' ' : 'later'.padStart(1)} ${name}`)
  const first = all.filter((w) => w.first)
  console.log(`first: ${sum(first, 'code')} bytes of code, ${sum(first, 'served')} as served; with what comes later: ${sum(all, 'code')} and ${sum(all, 'served')}`)
}
