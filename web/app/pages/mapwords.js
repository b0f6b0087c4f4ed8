// What a map app takes from this phone, in a line: asked of the same code that
// plans a real route, so that the line cannot say something else.

import { stopsOf } from '../maps.js'
import { t, localeInUse } from '../text.js'
import { plan } from '../uris.js'
import { list } from '../words.js'

const POINT = { lat: '41.1496', lon: '-8.6109', name: 'Porto' }

/** @param {import('../settings.js').Settings['map']} id @param {import('../uris.js').Platform} platform @param {import('../settings.js').Settings} settings */
export function mapWords(id, platform, settings) {
  /** @param {string} action @param {Record<string, any>} fields */
  const made = (action, fields) => plan(action, fields, platform, { ...settings, map: id }, null, 0)
  /** @param {string} action @param {Record<string, any>} fields */
  const takes = (action, fields) => !('reason' in made(action, fields))
  const named = made('navigate', { destination: { query: 'Porto' } })
  const stops = stopsOf(id, platform) ?? 0
  const missing = ['walk', 'bicycle', 'transit'].filter((mode) => !takes('navigate', { destination: POINT, mode })).map((mode) => t(`settings.map.mode.${mode}`))
  return [
    stops === Infinity ? t('settings.map.any_stops') : stops === 0 ? t('settings.map.no_stops') : t('settings.map.stops', { count: String(stops) }),
    'reason' in named ? t('settings.map.points') : named.note === 'note.map_place' && t('settings.map.searched'),
    stops > 0 && takes('navigate', { destination: POINT, mode: 'transit' }) && !takes('navigate', { destination: POINT, stops: [POINT], mode: 'transit' }) && t('settings.map.transit_alone'),
    missing.length > 0 && t('settings.map.missing', { what: list(missing, localeInUse()) }),
    !takes('search_nearby', { query: 'Porto' }) && t('settings.map.no_search'),
  ].filter(Boolean).join(' ')
}
