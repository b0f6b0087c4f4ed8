// The parts of the contract that this app reads, under the names it uses.

import { spec } from './spec.js'

/** The actions of phone_action, in no order that matters. @type {{ name: string, app: string, risk: string, capability: string, fields: readonly string[] }[]} */
export const ACTIONS = Object.values(spec.phone.actions)

/** The tools of their own that a phone carries out. @type {{ name: string, app: string, risk: string, capability: string }[]} */
export const TOOLS = Object.entries(spec.tools).flatMap(([name, tool]) => (tool.capability ? [{ ...tool, name }] : []))

/** @type {Record<string, string>} */
export const AGENT_TEXTS = spec.agent

/** @type {Record<string, Record<string, string>>} */
export const PERSON_TEXTS = spec.person

/** Code points that no single line may hold, as ranges. @type {readonly (readonly number[])[]} */
export const FORBIDDEN_IN_A_LINE = spec.phone.classes.line

/** How much of the agent's own line a card shows. */
export const SUMMARY_SHOWN = spec.phone.summary_shown_chars

/** How long a reason a person may give, and a result's message may be. */
export const MESSAGE_MAX = spec.phone.message_max_chars

export const PROTOCOL = { name: spec.protocol, min_version: 1, max_version: 1 }

/** Which version of this app the page is, as the gateway that served it wrote into it. */
export const APP_VERSION = globalThis.document?.querySelector('meta[name="nod-version"]')?.getAttribute('content') || 'unknown'
