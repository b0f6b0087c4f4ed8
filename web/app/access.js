// What an agent may ask for, as the contract divides it: by app, and whether it
// reads or does something. The twin of nod.Access. Pure.

import { ACTIONS, TOOLS } from './contract.js'

/**
 * @typedef {'read' | 'act'} Kind
 * @typedef {{ key: string, app: string, kind: Kind, private: boolean }} Switch key: "calendar:read"
 * @typedef {{ only: boolean, switches: Record<string, 'ask' | 'off'> }} Access only: what no switch names is off
 */

/** What a person decides about first. */
const READS = ['calendar', 'contacts', 'location', 'clipboard', 'photos', 'clock']
const ACTS = ['calendar', 'clock', 'notifications', 'clipboard', 'messages', 'mail', 'dialer', 'maps', 'browser', 'apps', 'media', 'torch', 'settings', 'automation']

const tools = /** @type {readonly { app: string, kind: Kind, private: boolean }[]} */ (/** @type {unknown} */ (TOOLS))

/** @param {Kind} kind @returns {Switch[]} one for each app that has something of the kind */
export function switches(kind) {
  const order = kind === 'read' ? READS : ACTS
  const those = tools.filter((t) => t.kind === kind)
  const apps = new Set([...those.map((t) => t.app), ...(kind === 'act' ? ACTIONS.map((a) => a.app) : [])])
  return [...apps].sort((a, b) => place(order, a) - place(order, b)).map((app) => ({ key: `${app}:${kind}`, app, kind, private: those.some((t) => t.app === app && t.private) }))
}

/** @param {string[]} order @param {string} app */
const place = (order, app) => (order.includes(app) ? order.indexOf(app) : order.length)

/** Whether the agent may ask for it. @param {Access} access @param {Switch} s */
export function isOn(access, { key, kind, private: secret }) {
  const said = access.switches[key]
  return said ? said === 'ask' : !(access.only || (kind === 'read' && secret))
}
