// What plans are made from in the tests: systems, settings and a moment, and the
// address that comes out.

import { intentURL, shortcutURL } from '../../app/intents.js'
import { defaults } from '../../app/settings.js'
import { plan } from '../../app/uris.js'

export const LA = 'America/Los_Angeles'
export const NOW = Date.UTC(2026, 10, 30, 12)
export const FALLBACK = 'https://nod.example/launch-failed/TOKEN'
export const CALLBACK = 'https://nod.example/cb/TOKEN'

export const android = { os: 'android', version: 0, samsung: false, zone: LA, standalone: true }
export const samsung = { ...android, samsung: true }
export const ios = { ...android, os: 'ios', version: 1804 }
export const desktop = { ...android, os: 'desktop', standalone: false }

/** A plan with the person's settings, where they are not the usual ones. */
export const planned = (action, fields, platform, change = {}, route = null, probed = undefined) => plan(action, fields, platform, { ...defaults(platform.os), ...change }, route, NOW, probed)

/** The one address that a plan comes to. */
export function address(made) {
  if ('url' in made) return made.url
  if ('intent' in made) return intentURL(made.intent, FALLBACK)
  return made.do === 'shortcut' ? shortcutURL(made, CALLBACK) : undefined
}
