// Where a web address leads, for the check and the card. The twin of
// internal/action/link.go; both run the rows in spec/testdata/check.
//
// The rule is narrower than any browser's, so that no browser reads a host out
// of an address that the card does not show: no backslash (browsers take it for
// a slash), no user name, and a host that is letters, digits and hyphens, a
// dotted quad, or an IPv6 address in brackets. A host that ends in a number and
// is no dotted quad is refused, because browsers read 0x7f.1 as 127.0.0.1.

const SCHEME = /^https?:\/\//i
const LABEL = /^(?!-)[A-Za-z0-9-]{1,63}(?<!-)$/
const NUMERIC = /^(0x[0-9a-f]*|[0-9]+)$/i
const QUAD = /^((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(\.(?!$)|$)){4}$/
const GROUP = /^[0-9A-Fa-f]{1,4}$/

/** Whether a string begins as a web address does, and goes on. @param {string} s */
export const isWeb = (s) => SCHEME.test(s) && s.replace(SCHEME, '') !== ''

/**
 * The key of the text that refuses a web address; null when a card can show where it leads.
 * @param {string} url one that isWeb
 * @returns {'limit_backslash' | 'limit_user' | 'limit_host' | 'limit_port' | null}
 */
export function linkProblem(url) {
  if (url.includes('\\')) return 'limit_backslash'
  const authority = url.replace(SCHEME, '').split(/[/?#]/, 1)[0]
  if (authority.includes('@')) return 'limit_user'
  const { host, port } = cutPort(authority)
  if (!isHost(host)) return 'limit_host'
  if (port !== null && !isPort(port)) return 'limit_port'
  return null
}

/** Splits host:port; a colon inside brackets belongs to the host. @param {string} authority */
function cutPort(authority) {
  const colon = authority.lastIndexOf(':')
  if (colon < 0 || colon < authority.lastIndexOf(']')) return { host: authority, port: null }
  return { host: authority.slice(0, colon), port: authority.slice(colon + 1) }
}

/** @param {string} s */
const isPort = (s) => /^[0-9]{1,5}$/.test(s) && Number(s) >= 1 && Number(s) <= 65535

/** @param {string} host */
function isHost(host) {
  if (host.startsWith('[')) return host.endsWith(']') && isIPv6(host.slice(1, -1))
  const labels = host.split('.')
  if (host.length > 253 || !labels.every((label) => LABEL.test(label))) return false
  return !NUMERIC.test(labels[labels.length - 1]) || QUAD.test(host)
}

/**
 * Eight groups of at most four hexadecimal digits, one run of them perhaps left
 * out as "::", the last two perhaps written as a dotted quad.
 * @param {string} s
 */
function isIPv6(s) {
  const sides = s.split('::')
  if (sides.length > 2) return false
  const counts = sides.map((side, i) => groups(side, i === sides.length - 1))
  if (counts.includes(null)) return false
  const sum = counts.reduce((a, b) => Number(a) + Number(b), 0)
  return sides.length === 1 ? sum === 8 : Number(sum) <= 7
}

/** How many groups one side of an IPv6 address has; null when it is not one. @param {string} side @param {boolean} quad */
function groups(side, quad) {
  if (side === '') return 0
  const parts = side.split(':')
  const last = parts[parts.length - 1]
  const ends = quad && QUAD.test(last) ? 2 : GROUP.test(last) ? 1 : null
  if (ends === null || !parts.slice(0, -1).every((p) => GROUP.test(p))) return null
  return parts.length - 1 + ends
}
