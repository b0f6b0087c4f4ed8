/**
 * Strict and canonical JSON, the part of wire.js that knows nothing of keys.
 *
 * JSON.parse is not used: it takes a key that comes twice and half a surrogate
 * pair, and a card drawn from either would not be what the gateway signed.
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
  const bytes = typeof data === 'string' ? utf8(data) : data
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw new WireError('bom', 'starts with a byte order mark', 0)
  }
  return new Parser(bytes).text()
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Walks the bytes once, from the front. */
class Parser {
  /** @param {Uint8Array} data */
  constructor(data) {
    this.data = data
    this.pos = 0
  }

  /** @returns {Json} */
  text() {
    this.space()
    const v = this.value(0)
    this.space()
    if (this.pos < this.data.length) throw new WireError('trailing', 'goes on after the value', this.pos)
    return v
  }

  /** The character at the cursor, as ASCII; "" at the end. */
  peek() {
    return this.pos < this.data.length ? String.fromCharCode(this.data[this.pos]) : ''
  }

  /** @param {string} want */
  unexpected(want) {
    const what = this.pos < this.data.length ? `has ${quote(this.peek())}` : 'ends'
    return new WireError('syntax', `${what} where ${want} was expected`, this.pos)
  }

  space() {
    for (;;) {
      const c = this.data[this.pos]
      if (c !== 0x20 && c !== 0x09 && c !== 0x0a && c !== 0x0d) return
      this.pos++
    }
  }

  /** @param {number} depth @returns {Json} */
  value(depth) {
    const c = this.peek()
    if (c === '{') return this.object(depth + 1)
    if (c === '[') return this.array(depth + 1)
    if (c === '"') return this.string()
    if (c === 't') return this.word('true', true)
    if (c === 'f') return this.word('false', false)
    if (c === 'n') return this.word('null', null)
    if (c === '-' || (c >= '0' && c <= '9')) return this.number()
    throw this.unexpected('a value')
  }

  /** @template T @param {string} word @param {T} v @returns {T} */
  word(word, v) {
    for (let i = 0; i < word.length; i++) {
      if (this.data[this.pos + i] !== word.charCodeAt(i)) throw this.unexpected('a value')
    }
    this.pos += word.length
    return v
  }

  /** @param {number} depth */
  checkDepth(depth) {
    if (depth > MAX_DEPTH) throw new WireError('depth', `nests deeper than ${MAX_DEPTH}`, this.pos)
  }

  /** @param {number} depth */
  object(depth) {
    this.checkDepth(depth)
    this.pos++
    /** @type {{ [key: string]: Json }} */
    const out = Object.create(null)
    this.space()
    if (this.peek() === '}') {
      this.pos++
      return out
    }
    for (;;) {
      const at = this.pos
      if (this.peek() !== '"') throw this.unexpected('a key')
      const key = this.string()
      if (key in out) throw new WireError('duplicate', `has the key ${quote(key)} twice`, at)
      this.space()
      if (this.peek() !== ':') throw this.unexpected('a colon')
      this.pos++
      this.space()
      out[key] = this.inside(key, depth)
      this.space()
      const c = this.peek()
      if (c !== ',' && c !== '}') throw this.unexpected('a comma or }')
      this.pos++
      if (c === '}') return out
      this.space()
    }
  }

  /** @param {number} depth */
  array(depth) {
    this.checkDepth(depth)
    this.pos++
    /** @type {Json[]} */
    const out = []
    this.space()
    if (this.peek() === ']') {
      this.pos++
      return out
    }
    for (;;) {
      out.push(this.inside(out.length, depth))
      this.space()
      const c = this.peek()
      if (c !== ',' && c !== ']') throw this.unexpected('a comma or ]')
      this.pos++
      if (c === ']') return out
      this.space()
    }
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
    if (this.peek() === '-') this.pos++
    if (this.peek() === '0') this.pos++
    else this.digits()
    if (this.peek() === '.') {
      this.pos++
      this.digits()
    }
    if (this.peek() === 'e' || this.peek() === 'E') {
      this.pos++
      if (this.peek() === '+' || this.peek() === '-') this.pos++
      this.digits()
    }
    const n = Number(decoder.decode(this.data.subarray(start, this.pos)))
    if (!Number.isFinite(n)) throw new WireError('number', 'has a number that is too large', start)
    return n === 0 ? 0 : n
  }

  digits() {
    const start = this.pos
    while (this.data[this.pos] >= 0x30 && this.data[this.pos] <= 0x39) this.pos++
    if (this.pos === start) throw this.unexpected('a digit')
  }

  /** The string whose opening quote is at the cursor. */
  string() {
    const open = this.pos++
    let out = ''
    let start = this.pos
    while (this.pos < this.data.length) {
      const c = this.data[this.pos]
      if (c === QUOTE) {
        out += decoder.decode(this.data.subarray(start, this.pos++))
        return out
      }
      if (c === BACKSLASH) {
        out += decoder.decode(this.data.subarray(start, this.pos)) + this.escape()
        start = this.pos
      } else if (c < 0x20) {
        throw new WireError('syntax', 'has a raw control character in a string', this.pos)
      } else {
        this.pos += c < 0x80 ? 1 : this.multibyte(c)
      }
    }
    throw new WireError('syntax', 'has a string without an end', open)
  }

  /**
   * The length of the character beyond ASCII at the cursor. The second byte's
   * range is what keeps out long forms, surrogates and what is beyond U+10FFFF.
   * @param {number} lead
   */
  multibyte(lead) {
    const size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2
    const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80
    const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf
    const second = this.data[this.pos + 1]
    let ok = lead >= 0xc2 && lead <= 0xf4 && second >= low && second <= high
    for (let i = 2; i < size; i++) ok &&= (this.data[this.pos + i] & 0xc0) === 0x80
    if (!ok) throw new WireError('utf8', 'has bytes that are not UTF-8', this.pos)
    return size
  }

  /** One escape; two where they are the halves of one character. */
  escape() {
    const at = this.pos++
    const c = this.peek()
    if (c !== 'u') {
      const short = SHORT_ESCAPES.get(c)
      if (short === undefined) throw new WireError('syntax', 'has an escape that JSON does not know', at)
      this.pos++
      return short
    }
    const unit = this.hex4()
    if (unit < 0) throw new WireError('syntax', 'has a \\u without four hexadecimal digits', at)
    if (unit < 0xd800 || unit > 0xdfff) return String.fromCharCode(unit)
    if (unit < 0xdc00 && this.data[this.pos] === BACKSLASH && this.data[this.pos + 1] === 0x75) {
      this.pos++
      const low = this.hex4()
      if (low >= 0xdc00 && low <= 0xdfff) return String.fromCharCode(unit, low)
    }
    throw new WireError('surrogate', 'has half of a surrogate pair', at)
  }

  /** The four digits after \u, -1 where they are not; the cursor is at the u. */
  hex4() {
    let unit = 0
    for (let i = 1; i <= 4; i++) {
      const digit = '0123456789abcdef'.indexOf(String.fromCharCode(this.data[this.pos + i] ?? 0).toLowerCase())
      if (digit < 0) return -1
      unit = unit * 16 + digit
    }
    this.pos += 5
    return unit
  }
}

const SHORT_ESCAPES = new Map([
  ['"', '"'], ['\\', '\\'], ['/', '/'], ['b', '\b'], ['f', '\f'], ['n', '\n'], ['r', '\r'], ['t', '\t'],
])

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
