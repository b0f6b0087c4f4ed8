// The pairing is over: it was lost, or the person ended it.

import { el } from '../dom.js'
import { t } from '../text.js'
import { statePage } from './state.js'

/** The pairing is gone, and nobody ended it. @param {string} name what the phone was called @param {() => void} again */
export const forgottenPage = (name, again) =>
  statePage('none', t('state.forgotten'), t('state.forgotten_why', { name }), el('button.primary.wide', { type: 'button', click: again }, t('state.pair_again')))

/** @param {boolean} told whether nod on the computer knows @param {string} name what the phone was called @param {() => void} again */
export const unpairedPage = (told, name, again) =>
  statePage('none', t('state.unpaired'), t(told ? 'state.unpaired_told' : 'state.unpaired_untold', { name }), el('button.plain.wide', { type: 'button', click: again }, t('state.pair_again')))
