// A web address as a card has it: its parts, whether its host is a device
// nearby, and which letters stand behind "xn--". Pure.

/**
 * Splits a web address into scheme, whole host and the rest, letter for letter;
 * null for what a browser would read as anything else.
 * @param {string} url
 * @returns {[string, string, string] | null}
 */
export function webAddress(url) {
  const m = /^(https?:\/\/)([^/?#\\@\s]+)([^\\\u0000-\u001f]*)$/i.exec(url)
  if (!m) return null
  try {
    const read = new URL(url)
    if (!/^https?:$/.test(read.protocol) || read.username || read.password) return null
  } catch {
    return null
  }
  return [m[1], m[2], m[3]]
}

/**
 * Whether a host is on the person's own network or this phone itself, by its
 * number or by a name that no public one can have.
 * @param {string} host as it stands in an address, with or without a port
 */
export function ownNetwork(host) {
  const name = host.toLowerCase().replace(/:\d+$/, '')
  if (name.startsWith('[')) return nearSix(name.slice(1, -1))
  const quad = /^(\d+)\.(\d+)\.\d+\.\d+$/.exec(name)
  if (quad) return nearQuad(Number(quad[1]), Number(quad[2]))
  return !name.includes('.') || /\.(localhost|local|internal|lan|home|home\.arpa)$/.test(name)
}

/** Loopback, private, link-local and shared addresses. @param {number} a @param {number} b */
function nearQuad(a, b) {
  return [0, 10, 127].includes(a) || (a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168) || (a === 169 && b === 254) || (a === 100 && b >= 64 && b < 128)
}

/** @param {string} six */
function nearSix(six) {
  const whole = new URL(`http://[${six}]/`).hostname.slice(1, -1) // one way to write it: ::1, ::ffff:7f00:1
  const mapped = /^::(?:ffff:)?([0-9a-f]{1,4}):[0-9a-f]{1,4}$/.exec(whole)
  if (mapped) return nearQuad(parseInt(mapped[1], 16) >> 8, parseInt(mapped[1], 16) & 255)
  return whole === '::' || whole === '::1' || /^(f[cd]..|fe[89ab].):/.test(whole)
}

/**
 * A host with the letters that its "xn--" labels stand for; null where it has none.
 * @param {string} host
 */
export function inLetters(host) {
  if (!/(^|\.)xn--/i.test(host)) return null
  return host.split('.').map((label) => (/^xn--/i.test(label) ? punycode(label.slice(4).toLowerCase()) ?? label : label)).join('.')
}

/**
 * Reads Punycode (RFC 3492, section 6.2). The twin of internal/action/punycode.go.
 * @param {string} s @returns {string | null} null where it is none
 */
function punycode(s) {
  const dash = s.lastIndexOf('-')
  const out = dash > 0 ? [...s.slice(0, dash)] : []
  let [at, code, bias] = [dash + 1, 128, 72]
  for (let i = 0; at < s.length; ) {
    const before = i
    for (let k = 36, weight = 1; ; k += 36) {
      const digit = 'abcdefghijklmnopqrstuvwxyz0123456789'.indexOf(s[at++] ?? ' ')
      i += digit * weight
      if (digit < 0 || i > 0x7fffffff) return null
      const threshold = Math.min(Math.max(k - bias, 1), 26)
      if (digit < threshold) break
      weight *= 36 - threshold
    }
    const size = out.length + 1
    bias = adapt(i - before, size, before === 0)
    code += Math.floor(i / size)
    i %= size
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return null
    out.splice(i++, 0, String.fromCodePoint(code))
  }
  return out.join('')
}

/** @param {number} delta @param {number} size @param {boolean} first */
function adapt(delta, size, first) {
  let [d, k] = [Math.floor(delta / (first ? 700 : 2)), 0]
  for (d += Math.floor(d / size); d > 455; k += 36) d = Math.floor(d / 35)
  return k + Math.floor((36 * d) / (d + 38))
}
