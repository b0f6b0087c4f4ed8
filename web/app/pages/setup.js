// What is left once a phone is paired: its place on the home screen, and that it
// can be woken. Each can be put off; agents can ask meanwhile, cards lie over it.

import { drawing } from '../drawings.js'
import { el, mark } from '../dom.js'
import { browserOf } from '../install.js'
import { dropSetup, readSetup, writeSetup } from '../setup.js'
import { localeInUse, t } from '../text.js'
import { span } from '../words.js'
import { canTurnOn } from './home.js'
import { button, head, steps, todo } from './pair.js'

/** @typedef {import('./pair.js').Os} Os */
/**
 * @typedef {'asking' | 'off' | 'working' | 'on' | 'denied' | 'failed' | 'cannot' | 'nod_cannot'} Wake how far waking is; asking: not known yet
 * @typedef {{
 *   os: Os, step: 'install' | 'wake', off: number, browser: import('../install.js').Browser, offered: boolean, placed: boolean,
 *   push: import('../push.js').PushState | null, busy: boolean, install: () => void, later: () => void, turnOn: () => void, done: () => void,
 * }} Parts offered: the browser offers to install; placed: it did; push: whether it can be woken, null while that is not known
 */

/** @param {Parts} parts */
export const setupPage = (parts) => (parts.step === 'install' ? installPage(parts) : wakePage(parts))

/** @param {Parts} parts */
function installPage({ os, off, browser, offered, placed, install, later }) {
  if (placed) return [steps(os, 'install'), drawing('homescreen'), ...head(t('pair.placed'), t('pair.placed_why')), el('div.grow'), button('pair.next', later, 'plain', 'later')]
  return [
    steps(os, 'install'), drawing('homescreen'), ...head(t('pair.install'), t('pair.install_why')), clock(off),
    !offered && todo([[MENUS[browser] ?? 'dots', t(`pair.menu.${browser}`)], ['sign', t('pair.menu_then')]]),
    el('div.grow'),
    el('div.stack', null, offered && button('pair.install_do', install, 'primary', 'install'), button('pair.later', later, 'plain', 'later')),
  ]
}

/** What the menu of a browser looks like. @type {Record<string, string>} */
const MENUS = { samsung: 'lines', edge: 'lines', safari: 'share' }

/** @param {Parts} parts */
function wakePage({ os, off, push, busy, turnOn, done }) {
  const on = push?.state === 'on'
  const desktop = os === 'desktop'
  const title = on ? (desktop ? 'pair.wake_on_desktop' : 'pair.wake_on') : desktop ? 'pair.wake_desktop' : 'pair.wake'
  const can = !push || canTurnOn(push)
  const wrong = push && !on && push.state !== 'ask' && t(push.reason, push.values)
  return [
    steps(os, 'wake'), drawing('wake'), ...head(t(title), t('pair.wake_why'), on ? '' : t('pair.wake_how')), clock(off),
    wrong && el('p.notice', { role: 'alert' }, wrong),
    el('div.grow'),
    !on && el('p.second', null, t('pair.wake_without')),
    el('div.stack', null,
      can && el('button.primary.wide', { type: 'button', id: 'wake', disabled: busy || !push, click: turnOn }, t(busy ? 'pair.wake_doing' : 'pair.wake_do')),
      can ? button('pair.later', done, 'plain', 'done') : button('pair.done', done, 'primary', 'done')),
  ]
}

/** @param {number} off */
const clock = (off) => off !== 0 && el('p.notice', null, t('pair.clock', { time: span(Math.round(Math.abs(off) / 60_000) * 60, localeInUse()) }))

/** @param {import('../app.js').Phone} phone @returns {import('../router.js').View} */
export function open(phone) {
  const { platform } = phone.parts
  const { os } = platform
  /** @type {import('../setup.js').Setup | undefined} */ let setup
  /** @type {import('../push.js').PushState | null} */ let push = null
  let busy = false
  let placed = false
  const over = new AbortController()
  const { signal } = over

  /** Where waking stands, once that can be known. @param {typeof import('../push.js').turnOn} find */
  const learn = async (find) => {
    busy = true
    phone.router.paint()
    try {
      push = await find(phone)
    } catch (e) {
      push = { state: 'broken', reason: 'home.failed', values: { reason: e instanceof Error ? e.message : String(e) } }
    }
    busy = false
    phone.router.paint()
  }
  /** Only what the person must do is asked of them: the rest is found out. */
  const look = async () => {
    if (setup?.step !== 'wake' || push || busy || phone.link.state !== 'open') return
    learn((await import('../push.js')).readPush)
  }
  const done = async () => {
    await dropSetup()
    phone.router.go('/')
  }
  const wakeStep = async () => {
    setup = { step: 'wake', off: setup?.off ?? 0 }
    await writeSetup(setup)
    phone.router.changed()
    scrollTo(0, 0)
    phone.router.focus()
  }
  const install = async () => {
    await phone.state.get().install?.prompt()
    phone.state.set({ install: null })
  }
  addEventListener('appinstalled', () => {
    placed = true
    phone.router.paint()
  }, { signal })
  const begin = async () => {
    setup = await readSetup()
    if (!setup) return phone.router.go('/')
    if (setup.step === 'install' && (os === 'desktop' || platform.standalone)) return wakeStep()
    phone.router.changed()
  }
  begin()

  return {
    title: t('pair.setup'), alone: true, look,
    draw: () => (setup ? setupPage({
      os, step: setup.step, off: setup.off, browser: browserOf(navigator.userAgent), offered: phone.state.get().install !== null, placed, push, busy,
      install, later: wakeStep, turnOn: async () => learn((await import('../push.js')).turnOn), done,
    }) : [el('div.middle', null, mark('busy'))]),
    leave: () => over.abort(),
  }
}
