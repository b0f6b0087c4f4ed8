// The two forms of address that hand more than a place or a text to an app:
// Android's intent: and an iPhone's Shortcut. Pure.

/** @typedef {{ data: string, scheme?: string, package?: string, action?: string, extras?: Record<string, string | number | boolean> }} Intent */

/**
 * Percent-encodes all but the unreserved characters of RFC 3986.
 * @param {string} text
 */
export function pct(text) {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}

/**
 * The address of an intent. Chrome opens the fallback where no app takes it, or
 * where it may not be launched: the only sign of that which a page ever gets.
 * @param {Intent} intent @param {string} fallback
 */
export function intentURL({ data, scheme, package: id, action, extras = {} }, fallback) {
  const more = Object.entries({ ...extras, browser_fallback_url: fallback }).map(([key, value]) => `${TYPES[typeof value]}.${pct(key)}=${pct(String(value))}`)
  return `intent:${data}#Intent;${[scheme && `scheme=${scheme}`, action && `action=${action}`, id && `package=${id}`, ...more].filter(Boolean).join(';')};end`
}

const TYPES = /** @type {Record<string, string>} */ ({ string: 'S', boolean: 'B', number: 'i' })

/**
 * The address that runs a Shortcut, which calls back how it ended, where somebody wants to hear it.
 * @param {{ name: string, input: unknown }} run @param {string} [callbackBase]
 */
export function shortcutURL({ name, input }, callbackBase) {
  const ends = callbackBase === undefined ? {} : { success: 'ok', cancel: 'cancel', error: 'error' }
  const back = Object.entries(ends).map(([key, end]) => `&x-${key}=${pct(`${callbackBase}/${end}`)}`)
  return `shortcuts://x-callback-url/run-shortcut?name=${pct(name)}&input=text&text=${pct(JSON.stringify(input))}${back.join('')}`
}
