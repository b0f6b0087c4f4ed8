// What a phone asks the gateway over HTTP, under the bearer of its connection.

/** A request that did not work; message is a sentence for a person. */
export class ApiError extends Error {
  /** @param {string} message @param {string} code */
  constructor(message, code) {
    super(message)
    this.code = code
  }
}

/** How long nod may take to answer, where nobody says otherwise. */
const ANSWER_MS = 20_000

/**
 * @param {string} method @param {string} path
 * @param {{ bearer?: string, body?: unknown, signal?: AbortSignal, heard?: (response: Response) => void }} [options]
 * @returns {Promise<any>}
 */
export async function call(method, path, { bearer, body, signal = AbortSignal.timeout(ANSWER_MS), heard } = {}) {
  const response = await fetch(path, {
    method, signal, cache: 'no-store', redirect: 'error',
    headers: { ...(bearer && { Authorization: `Bearer ${bearer}` }), ...(body !== undefined && { 'Content-Type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  heard?.(response)
  const text = await response.text()
  const answer = text === '' ? {} : parsed(text)
  if (!response.ok) throw new ApiError(answer?.error?.message ?? `${response.status} ${response.statusText}`, answer?.error?.code ?? String(response.status))
  return answer
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/**
 * @typedef {{ id: string, name: string, paused: boolean, last_used?: number | string }} Agent
 * @typedef {{
 *   id: string, agent_name: string, tool: string, action: string, fields?: Record<string, any>, outcome: string, why?: string,
 *   text?: string, at: number | string, ended_at?: number | string, decided_by?: string,
 *   agent?: string, kind?: 'read' | 'act', released_at?: number | string, app?: string, rule?: string, basis?: string, phone?: string, phone_name?: string, message?: string, started?: boolean,
 * }} PastCall decided_by: a phone's name; released_at: when what was read was first handed over; phone and what follows it: in the log only
 * @typedef {{
 *   id: string, name: string, mode: 'observe_only' | 'strict' | 'ask_before_action' | 'trusted_actions', paused: boolean, only: boolean,
 *   switches: Record<string, 'ask' | 'off'>, phone: string, tainted: string[], last_used_at?: number | string, added_at?: number | string,
 * }} AgentAccess what it may ask for; phone: the one it is bound to, or ''; tainted: the apps it was given private data of lately
 * @typedef {{ person: string, phone: { id: string, name: string, host: string }, paused: boolean, agents: Agent[], calls: PastCall[] }} Home
 * @typedef {{ id: string, phone: string, name: string, host: string, key: string, digits: string }} Waiting
 */

/** @param {string} bearer @returns {Promise<Home>} */
export const home = (bearer) => call('GET', '/phone/home', { bearer })

/** Pauses one agent, or all. @param {string} bearer @param {string} [agent] */
export const pause = (bearer, agent) => call('POST', '/phone/pause', { bearer, body: agent ? { agent } : {} })

/** The phones that wait for a yes here. @param {string} bearer @returns {Promise<{ waiting: Waiting[] }>} */
export const pairing = (bearer) => call('GET', '/phone/pairing', { bearer })

/** @param {string} bearer @param {string} id */
export const reject = (bearer, id) => call('POST', '/phone/pairing/reject', { bearer, body: { id } })
