/**
 * Strict and canonical JSON, the part of wire.js that knows nothing of keys.
 *
 * JSON.parse is not used on a whole text: it takes a key that comes twice and
 * half a surrogate pair, and a card drawn from either would not be what the
 * gateway signed.
 * JSON.stringify is used for single strings only, where it writes what RFC 8785
 * asks for.
 */

/**
 * A value as it stands in JSON. Numbers are integers within ±(2^53-1) wherever
 * something is signed.
 * @typedef {null | boolean | number | string | JsonArray | JsonObject} Json
 * @typedef {Array<Json>} JsonArray
 * @typedef {{ [key: string]: Json }} JsonObject
 */

/**
 * What a text is refused for, in the words of spec/vectors/strict.json.
 * "canonical" and "value" are this module's own: a text that is JSON and not
 * its canonical form, and a value that canonical JSON does not carry.
 * @typedef {'syntax' | 'duplicate' | 'utf8' | 'surrogate' | 'depth' | 'number' | 'trailing' | 'bom' | 'canonical' | 'value'} Problem
 */

/** Bytes that WebCrypto takes. @typedef {Uint8Array<ArrayBuffer>} Bytes */

/** How deeply arrays and objects may nest: a scalar alone is 0, [] is 1. */
export const MAX_DEPTH = 16

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Why a text or a value is refused, and where. */
export class WireError extends Error {
  /**
   * @param {Problem} problem
   * @param {string} detail goes on from "the JSON ..."
   * @param {number} [offset] the byte at which it was noticed, from 0; -1 where there is none
   */
  constructor(problem, detail, offset = -1) {
    super()
    this.name = 'WireError'
    this.problem = problem
    this.detail = detail
    this.offset = offset
    /** Leads to the value: `fields.stops[2]`; empty at the top. */
    this.path = ''
    this.message = this.#sentence()
  }

  #sentence() {
    const where = this.offset >= 0 ? [`byte ${this.offset}`] : []
    if (this.path !== '') where.push(`in ${this.path}`)
    return `the JSON ${this.detail}${where.length > 0 ? ` (${where.join(', ')})` : ''}`
  }

  /**
   * Adds one step to the front of the path.
   * @param {string | number} step a key or an index
   * @returns {this}
   */
  inside(step) {
    this.path = joinPath(typeof step === 'number' ? `[${step}]` : pathKey(step), this.path)
    this.message = this.#sentence()
    return this
  }
}

/** @param {string} key */
function pathKey(key) {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : `[${quote(key)}]`
}

/** Writes a string in JSON and ASCII, so that nothing in it can disturb what shows it. @param {string} s */
function quote(s) {
  return `"${s.replace(/["\\]/g, '\\$&').replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`
}

/** @param {string} outer @param {string} inner */
function joinPath(outer, inner) {
  return inner === '' || inner.startsWith('[') ? outer + inner : `${outer}.${inner}`
}

/** Whether a string holds no half of a surrogate pair. @param {string} s */
function wellFormed(s) {
  return !/\p{Surrogate}/u.test(s)
}

/** The UTF-8 of a string. @param {string} s @returns {Bytes} */
export function utf8(s) {
  if (!wellFormed(s)) throw new WireError('utf8', 'has half of a surrogate pair in a string')
  return /** @type {Bytes} */ (encoder.encode(s))
}

/**
 * Reads one JSON text strictly: each key once, UTF-8 only, no half of a
 * surrogate pair, at most 16 levels, nothing after the value. Objects have no
 * prototype, so that no key means anything by itself. -0 is 0.
 * @param {string | Uint8Array} data
 * @returns {Json}
 */
export function parse(data) {
  return new Parser(typeof data === 'string' ? utf8(data) : data).text()
}

const SPACE = /[ \t\n\r]*/y
const WORD = /true|false|null/y
const DIGITS = /\d*/y
/**
 * A string up to its closing quote, over bytes: whole characters of UTF-8 (long
 * forms, surrogates and what is beyond U+10FFFF are none), escapes, whole pairs.
 */
const STRING = new RegExp(`"(?:${[
  '[ !#-[\\]-\\x7f]', '[\\xc2-\\xdf][\\x80-\\xbf]', '(?:\\xe0[\\xa0-\\xbf]|[\\xe1-\\xec\\xee\\xef][\\x80-\\xbf]|\\xed[\\x80-\\x9f])[\\x80-\\xbf]',
  '(?:\\xf0[\\x90-\\xbf]|[\\xf1-\\xf3][\\x80-\\xbf]|\\xf4[\\x80-\\x8f])[\\x80-\\xbf]{2}', '\\\\["\\\\/bfnrt]',
  '\\\\u(?:[\\dabcefABCEF][\\da-fA-F]|[dD][0-7])[\\da-fA-F]{2}', '\\\\u[dD][89abAB][\\da-fA-F]{2}\\\\u[dD][c-fC-F][\\da-fA-F]{2}',
].join('|')})*`, 'y')
const UNIT = /\\u[\da-fA-F]{4}/y

/** Walks the bytes once, from the front, each of them as one character. */
class Parser {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes
    this.data = ''
    for (const b of bytes) this.data += String.fromCharCode(b)
    this.pos = 0
  }

  /** @param {Problem} problem @param {string} detail @param {number} [at] */
  wrong(problem, detail, at = this.pos) {
    return new WireError(problem, detail, at)
  }

  /** @returns {Json} */
  text() {
    if (this.data.startsWith('\xef\xbb\xbf')) throw this.wrong('bom', 'starts with a byte order mark')
    this.take(SPACE)
    const v = this.value(0)
    this.take(SPACE)
    if (this.pos < this.data.length) throw this.wrong('trailing', 'goes on after the value')
    return v
  }

  /** What a pattern finds at the cursor, which goes behind it; "" where it finds nothing. @param {RegExp} pattern */
  take(pattern) {
    pattern.lastIndex = this.pos
    const found = pattern.exec(this.data)?.[0] ?? ''
    this.pos += found.length
    return found
  }

  /** One of some characters, and the space behind it. @param {string} of @param {string} want */
  mark(of, want) {
    this.take(SPACE)
    const c = this.data[this.pos]
    if (c === undefined || !of.includes(c)) throw this.unexpected(want)
    this.pos++
    this.take(SPACE)
    return c
  }

  /** @param {string} want */
  unexpected(want) {
    const what = this.pos < this.data.length ? `has ${quote(this.data[this.pos])}` : 'ends'
    return this.wrong('syntax', `${what} where ${want} was expected`)
  }

  /** @param {number} depth @returns {Json} */
  value(depth) {
    const c = this.data[this.pos]
    if (c === '{' || c === '[') {
      if (depth === MAX_DEPTH) throw this.wrong('depth', `nests deeper than ${MAX_DEPTH}`)
      this.mark(c, '')
      return c === '{' ? this.object(depth + 1) : this.array(depth + 1)
    }
    if (c === '"') return this.string()
    const word = this.take(WORD)
    return word ? JSON.parse(word) : this.number()
  }

  /** @param {number} depth */
  object(depth) {
    /** @type {{ [key: string]: Json }} */
    const out = Object.create(null)
    if (this.data[this.pos] === '}') return this.closed(out)
    do {
      const at = this.pos
      if (this.data[at] !== '"') throw this.unexpected('a key')
      const key = this.string()
      if (key in out) throw this.wrong('duplicate', `has the key ${quote(key)} twice`, at)
      this.mark(':', 'a colon')
      out[key] = this.inside(key, depth)
    } while (this.next('}'))
    return out
  }

  /** @param {number} depth */
  array(depth) {
    /** @type {Json[]} */
    const out = []
    if (this.data[this.pos] === ']') return this.closed(out)
    do out.push(this.inside(out.length, depth))
    while (this.next(']'))
    return out
  }

  /** @template T @param {T} v */
  closed(v) {
    this.pos++
    return v
  }

  /** Whether another one comes before the end. @param {string} end */
  next(end) {
    this.take(SPACE)
    if (this.data[this.pos] === end) return this.closed(false)
    return this.mark(',', `a comma or ${end}`) === ','
  }

  /** A value inside another one. @param {string | number} step @param {number} depth @returns {Json} */
  inside(step, depth) {
    try {
      return this.value(depth)
    } catch (err) {
      throw err instanceof WireError ? err.inside(step) : err
    }
  }

  number() {
    const start = this.pos
    if (!/[-\d]/.test(this.data[start] ?? '')) throw this.unexpected('a value')
    this.skip('-')
    if (!this.skip('0')) this.digits()
    if (this.skip('.')) this.digits()
    if (this.skip('eE')) {
      this.skip('+-')
      this.digits()
    }
    const n = Number(this.data.slice(start, this.pos))
    if (!Number.isFinite(n)) throw this.wrong('number', 'has a number that is too large', start)
    return n === 0 ? 0 : n
  }

  /** Goes over one of some characters, where it is there. @param {string} of */
  skip(of) {
    const there = of.includes(this.data[this.pos] ?? ' ')
    if (there) this.pos++
    return there
  }

  digits() {
    if (!this.take(DIGITS)) throw this.unexpected('a digit')
  }

  /** The string whose opening quote is at the cursor. @returns {string} */
  string() {
    const start = this.pos
    this.take(STRING)
    const c = this.data[this.pos++]
    if (c === '"') return JSON.parse(decoder.decode(this.bytes.subarray(start, this.pos)))
    this.pos--
    if (c === undefined) throw this.wrong('syntax', 'has a string without an end', start)
    if (c < ' ') throw this.wrong('syntax', 'has a raw control character in a string')
    if (c !== '\\') throw this.wrong('utf8', 'has bytes that are not UTF-8')
    throw this.take(UNIT) ? this.wrong('surrogate', 'has half of a surrogate pair', this.pos - 6) : this.wrong('syntax', 'has an escape that JSON does not know')
  }
}

/**
 * Writes a value as RFC 8785 canonical JSON, for integers only. A property that
 * is undefined is left out.
 * @param {unknown} value
 * @returns {string}
 */
export function canonical(value) {
  return write(value, 0)
}

/** @param {unknown} v @param {number} depth @returns {string} */
function write(v, depth) {
  if (v === null || typeof v === 'boolean') return String(v)
  if (typeof v === 'string') return writeString(v)
  if (typeof v === 'number') {
    if (Number.isSafeInteger(v)) return String(v)
    throw new WireError('value', 'has a number with a fraction or beyond 2^53-1, which is never signed')
  }
  const list = Array.isArray(v)
  if (!list && !isPlain(v)) throw new WireError('value', 'cannot carry this value')
  if (depth >= MAX_DEPTH) throw new WireError('depth', `nests deeper than ${MAX_DEPTH}`)
  if (list) return `[${Array.from(v, (item, i) => writeInside(item, i, depth + 1)).join(',')}]`
  const object = /** @type {Record<string, unknown>} */ (v)
  const parts = Object.keys(object)
    .filter((key) => object[key] !== undefined)
    .sort() // by UTF-16 code units, as RFC 8785 has it
    .map((key) => `${writeString(key)}:${writeInside(object[key], key, depth + 1)}`)
  return `{${parts.join(',')}}`
}

/** @param {unknown} v @param {string | number} step @param {number} depth */
function writeInside(v, step, depth) {
  try {
    return write(v, depth)
  } catch (err) {
    throw err instanceof WireError ? err.inside(step) : err
  }
}

/** @param {string} s */
function writeString(s) {
  if (!wellFormed(s)) throw new WireError('utf8', 'has half of a surrogate pair in a string')
  return JSON.stringify(s)
}

/** @param {unknown} v */
function isPlain(v) {
  const proto = typeof v === 'object' && v !== null ? Object.getPrototypeOf(v) : undefined
  return proto === null || proto === Object.prototype
}

/**
 * Parses a text and requires that it is its own canonical form.
 * @param {string | Uint8Array} data
 * @returns {Json}
 */
export function parseCanonical(data) {
  const value = parse(data)
  const text = typeof data === 'string' ? data : decoder.decode(data)
  if (canonical(value) !== text) throw new WireError('canonical', 'is not canonical')
  return value
}
