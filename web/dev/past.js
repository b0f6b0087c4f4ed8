// What the stories of Home and the log share: past calls, platforms, nothing to do.

import { NOW, ZONE } from './samples.js'

export const HOUR = 3_600_000
export const nothing = () => {}

/** @param {string} outcome @param {string} action @param {Record<string, any>} fields @param {number} hours ago @param {Partial<import('../app/api.js').PastCall>} [more] @returns {import('../app/api.js').PastCall} */
export const past = (outcome, action, fields, hours, more) =>
  ({ id: `call_${hours}`, agent_name: 'Laptop · Claude Code', tool: 'phone_action', action, fields, outcome, at: new Date(NOW - hours * HOUR).toISOString(), ...more })

/** A call of a tool of its own. @param {string} outcome @param {string} name @param {Record<string, any>} fields @param {number} hours ago @param {Partial<import('../app/api.js').PastCall>} [more] */
export const tool = (outcome, name, fields, hours, more) => past(outcome, name, fields, hours, { tool: name, ...more })

/** @param {import('../app/uris.js').Platform['os']} os @param {boolean} standalone @returns {import('../app/uris.js').Platform} */
export const platform = (os, standalone) => ({ os, version: os === 'ios' ? 1804 : 0, samsung: false, zone: ZONE, standalone })
