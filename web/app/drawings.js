// The pictures of pairing: drawn here from a few shapes, coloured by the page's
// own tokens, and without a word in them. Screen readers pass them by: the words
// beside them say the same.

/** @typedef {[tag: string, kind: string, attributes: Record<string, string | number>]} Shape */

const SVG = 'http://www.w3.org/2000/svg'

/** @param {string} kind @param {number} x @param {number} y @param {number} width @param {number} height @param {number} [rx] @returns {Shape} */
const box = (kind, x, y, width, height, rx = 0) => ['rect', kind, { x, y, width, height, rx }]
/** @param {string} kind @param {number} cx @param {number} cy @param {number} r @returns {Shape} */
const dot = (kind, cx, cy, r) => ['circle', kind, { cx, cy, r }]
/** @param {string} kind @param {string} d @returns {Shape} */
const path = (kind, d) => ['path', kind, { d }]

/** nod's own sign, in a square. @param {number} x @param {number} y @param {number} s side @returns {Shape[]} */
const sign = (x, y, s) => [
  box('accent', x, y, s, s, s * 0.23),
  path('on', `M${x + s * 0.29} ${y + s * 0.48}c${s * 0.07} 0 ${s * 0.1} ${s * 0.18} ${s * 0.21} ${s * 0.18}s${s * 0.11}-${s * 0.29} ${s * 0.21}-${s * 0.29}`),
]

/** A phone, upright. @param {number} x @param {number} y @param {number} w @param {number} h @returns {Shape[]} */
const phone = (x, y, w, h) => [box('body', x, y, w, h, 15), path('line', `M${x + w / 2 - 9} ${y + 9}h18`)]

/** A small picture code. @param {number} x @param {number} y @param {number} m one module @returns {Shape[]} */
const picture = (x, y, m) => [
  ...[[0, 0], [6, 0], [0, 6]].flatMap(([i, j]) => [box('line', x + i * m, y + j * m, m * 3, m * 3, 1.5), box('ink', x + (i + 1) * m, y + (j + 1) * m, m, m)]),
  ...[[4, 0], [4, 2], [5, 4], [4, 5], [7, 4], [6, 6], [8, 6], [7, 7], [5, 8], [8, 8], [0, 4], [2, 4]].map(([i, j]) => box('ink', x + i * m, y + j * m, m, m)),
]

/** Four by N icons of other apps. @param {number} x @param {number} y @param {number} rows @returns {Shape[]} */
const apps = (x, y, rows) => Array.from({ length: rows * 3 }, (_, i) => box('soft', x + (i % 3) * 27, y + Math.floor(i / 3) * 30, 19, 19, 5))

/** The square with an arrow that leaves it. @param {number} x @param {number} y @returns {Shape[]} */
const share = (x, y) => [path('mark', `M${x - 5} ${y - 2}h-3v12h16v-12h-3M${x} ${y + 4}v-15M${x - 4.5} ${y - 7}l4.5-4.5 4.5 4.5`)]

/** A Shortcut as its app shows it: three steps, one under the other; the last is what it does. @param {...Shape} does a sign round 93, 134 @returns {Shape[]} */
const steps = (...does) => [
  path('line', 'M140 50v16M140 102v16'),
  ...[16, 68, 116].map((y) => box('body', 66, y - 2, 148, 36, 10)),
  ...sign(80, 20, 24), path('line', 'M116 32h64'),
  path('mark', 'M90 76c-4 0-5 2-5 4v2c0 2-1 3-3 3 2 0 3 1 3 3v2c0 2 1 4 5 4M96 76c4 0 5 2 5 4v2c0 2 1 3 3 3-2 0-3 1-3 3v2c0 2-1 4-5 4'), path('line', 'M116 84h48'),
  ...does, path('line', 'M116 132h56'),
]

/** @type {Record<string, Shape[]>} */
const DRAWINGS = {
  'shortcut-alarm': steps(dot('mark', 93, 133, 9), path('mark', 'M93 128v5l4 2M84 123l-3 3M102 123l3 3')),
  'shortcut-timer': steps(dot('mark', 93, 134, 9), path('mark', 'M93 134v-5M90 121h6')),
  'shortcut-torch': steps(path('mark', 'M87 122h12l-3 7v14h-6v-14zM93 133v3')),
  'shortcut-media': steps(path('mark', 'M86 124v18l9-9zM99 124v18M104 124v18')),
  'shortcut-own': steps(path('mark', 'M93 121v10M93 137v8M81 133h8M97 133h8')),
  // A computer's screen with a picture code, and the phone that reads it.
  pair: [
    box('body', 22, 30, 142, 96, 9), path('line', 'M8 140h170'), ...picture(66, 42, 6),
    path('dash', 'M170 78c14-14 26-14 38-6'),
    ...phone(206, 22, 66, 130), box('tint', 214, 44, 50, 66, 8), path('mark', 'm229 78 8 8 15-18'), box('accent', 214, 118, 50, 18, 7),
  ],
  // This computer itself: a card on its screen, and a yes.
  desktop: [
    box('body', 50, 18, 180, 116, 10), path('line', 'M30 148h220'), box('tint', 96, 34, 88, 82, 9), path('line', 'M108 50h36M108 62h64M108 72h50'),
    box('soft', 106, 92, 30, 15, 6), box('accent', 142, 92, 32, 15, 6), path('on', 'm152 99 4 4 8-8'),
  ],
  // The home screen, and nod's place on it.
  homescreen: [
    ...phone(88, 8, 104, 158), ...apps(103, 30, 2), box('soft', 103, 90, 19, 19, 5), box('soft', 157, 90, 19, 19, 5),
    dot('halo', 139.5, 99.5, 24), ...sign(125, 85, 29), path('dash', 'M212 60c-10 26-24 36-42 38'), path('mark', 'm178 90-10 8 10 8'),
    box('soft', 103, 136, 74, 17, 8),
  ],
  // Safari's own bar with Share, the row to choose, and where it leads.
  share: [
    ...phone(22, 8, 88, 158), path('line', 'M34 34h64M34 46h48M34 58h56'), path('line', 'M22 132h88'),
    dot('halo', 66, 148, 16), ...share(66, 149), path('dot', 'M36 148h.1M96 148h.1'),
    path('dash', 'M120 92h30'), path('mark', 'm144 84 9 8-9 8'),
    ...phone(166, 8, 92, 158), ...apps(180, 30, 1), box('soft', 180, 60, 19, 19, 5), dot('halo', 216.5, 69.5, 22), ...sign(203, 56, 27),
    box('soft', 180, 136, 64, 17, 8),
  ],
  // The code goes from one place into the other.
  paste: [
    ...phone(88, 8, 104, 158), ...sign(126, 28, 28), box('field', 100, 82, 80, 26, 8), path('dots', 'M111 95h40'), path('mark', 'M160 88v14'),
    box('accent', 100, 118, 80, 22, 8), path('on', 'm132 129 5 5 11-11'),
    box('body', 26, 66, 46, 58, 7), box('tint', 38, 60, 22, 12, 4), path('line', 'M36 84h26M36 95h26M36 106h16'), path('dash', 'M76 92h18'),
  ],
  // Two phones that show the same.
  digits: [
    ...phone(34, 18, 80, 138), ...phone(166, 18, 80, 138), box('tint', 44, 66, 60, 30, 8), box('tint', 176, 66, 60, 30, 8),
    path('dots', 'M54 81h14M80 81h14M186 81h14M212 81h14'), path('mark', 'M132 76h16M132 88h16'), box('accent', 176, 120, 60, 20, 7), path('on', 'm201 130 4 4 9-9'),
  ],
  // A phone that sleeps, and what wakes it.
  wake: [
    box('night', 88, 8, 104, 158, 15), path('moon', 'M152 128a15 15 0 1 1-15-19 12 12 0 0 0 15 19z'),
    box('body', 62, 38, 156, 46, 13), ...sign(74, 48, 26), path('line', 'M112 54h62'), path('soft-line', 'M112 67h86'),
    path('mark', 'M40 44c-8 10-8 24 0 34M240 44c8 10 8 24 0 34'),
  ],
}

/** The names of all drawings. */
export const NAMES = Object.keys(DRAWINGS)

/** A picture, by its name. @param {string} name */
export function drawing(name) {
  const svg = document.createElementNS(SVG, 'svg')
  for (const [key, value] of Object.entries({ class: 'drawing', viewBox: '0 0 280 174', 'aria-hidden': 'true', focusable: 'false' })) svg.setAttribute(key, value)
  for (const [tag, kind, attributes] of DRAWINGS[name]) {
    const node = document.createElementNS(SVG, tag)
    node.setAttribute('class', `d-${kind}`)
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value))
    svg.append(node)
  }
  return svg
}
