// What the person chose for this phone. It stays on this phone; how long a card
// waits is the person's on every phone, and is kept by the gateway instead.

import { transact } from './db.js'
import { osOf } from './platform.js'
import { useLanguage } from './text.js'

/**
 * @typedef {{
 *   map: 'google' | 'apple' | 'waze' | 'osmand' | 'organic', calendar: 'google' | 'file', mail: 'default' | 'gmail',
 *   language: '' | 'en' | 'de', theme: '' | 'light' | 'dark', shortcuts: Record<string, number>,
 * }} Settings language and theme: '' is what the phone itself has; shortcuts: action to the date (ms) of the last test that worked
 */

/** Where theme.js finds the theme before the first paint: the database answers too late for that. */
const THEME = 'nod-theme'

/** What holds until the person chooses. @param {string} os @returns {Settings} */
export const defaults = (os) => ({ map: os === 'ios' ? 'apple' : 'google', calendar: 'google', mail: 'default', language: '', theme: '', shortcuts: {} })

/** @returns {Promise<Settings>} */
export async function readSettings() {
  return { ...defaults(osOf(navigator)), ...(await transact('phone', 'readonly', (s) => s.get('settings'))) }
}

/** Changes some of them; resolves to all of them once they are on disk. @param {Partial<Settings>} change @returns {Promise<Settings>} */
export async function writeSettings(change) {
  await transact('phone', 'readwrite', (s) => {
    const now = s.get('settings')
    now.onsuccess = () => s.put({ ...now.result, ...change }, 'settings')
    return now
  })
  const settings = await readSettings()
  if ('theme' in change) {
    localStorage.setItem(THEME, settings.theme)
    dispatchEvent(new Event(THEME))
  }
  return settings
}

/** The page speaks the chosen language, or the phone's own. @param {Settings['language']} chosen */
export function speak(chosen) {
  const own = navigator.languages
  const language = useLanguage(chosen ? [...own.filter((l) => l.split('-')[0] === chosen), chosen] : own)
  document.documentElement.lang = language
  document.documentElement.dir = ['ar', 'fa', 'he', 'ur'].includes(language) ? 'rtl' : 'ltr'
}
