// The sentences people read, in their language. All of them are in the contract
// (spec/texts.json); none is written in code.

import { AGENT_TEXTS, PERSON_TEXTS } from './contract.js'

const FALLBACK = 'en'

/** The language in use: the first of the browser's that there are texts for. */
let language = FALLBACK
/** The browser's own locale of that language, for dates and numbers: "en-GB". */
let locale = FALLBACK

/** @param {readonly string[]} wanted BCP 47 tags, best first */
export function useLanguage(wanted) {
  locale = wanted.find((tag) => PERSON_TEXTS[tag.split('-')[0]]) ?? FALLBACK
  language = locale.split('-')[0]
  return language
}

/** The locale for dates and numbers. */
export const localeInUse = () => locale

/**
 * A sentence for the person.
 * @param {string} key
 * @param {Record<string, string>} [values]
 */
export function t(key, values) {
  return put(PERSON_TEXTS[language][key] ?? PERSON_TEXTS[FALLBACK][key], key, values)
}

/** A person's sentence in English, where an agent reads it too. @param {string} key @param {Record<string, string>} [values] */
export function english(key, values) {
  return put(PERSON_TEXTS[FALLBACK][key], key, values)
}

/** What an agent is told. @param {string} key @param {Record<string, string>} [values] */
export function told(key, values) {
  return put(AGENT_TEXTS[key], key, values)
}

/** Whether the person's texts have a key. @param {string} key */
export const has = (key) => PERSON_TEXTS[FALLBACK][key] !== undefined

/** @param {string | undefined} text @param {string} key @param {Record<string, string>} [values] */
function put(text, key, values = {}) {
  if (text === undefined) return key
  const said = text.replace(/\{\{(\w+)\}\}/g, (whole, name) => values[name] ?? whole)
  return text.startsWith('{{app}}') ? begin(said) : said
}

/** As a sentence begins: your browser is Your browser there. @param {string} text */
export const begin = (text) => text.charAt(0).toUpperCase() + text.slice(1)
