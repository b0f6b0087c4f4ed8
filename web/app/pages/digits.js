// The six digits that two phones show. A screen reader reads them one by one,
// not as a number.

import { el } from '../dom.js'

/** @param {string} six */
export const digits = (six) => el('span', { dir: 'ltr' },
  el('span.digits', { 'aria-hidden': 'true' }, `${six.slice(0, 3)} ${six.slice(3)}`), el('span.unseen', null, [...six].join(' ')))
