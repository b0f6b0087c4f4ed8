// The main job as programs written with the TypeScript clients do it. It reads
// a list of runs, does all at once, and prints one line of JSON for each.

import { Client as Client2, StreamableHTTPClientTransport as HTTP2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as HTTP1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { runs } from './runs.mjs'

/** @typedef {{name: string, client: string, mode: string, url: string, program: string, home: string, patient: string, hasty: string, shown: string}} Run */

/** How each library makes a connection, and calls a tool. */
const libraries = {
  v1: {
    client: () => new Client1({ name: 'nod-conformance', version: '1' }),
    http: HTTP1,
    stdio: Stdio1,
    call: (client, params, options) => client.callTool(params, undefined, options),
    version: (_client, transport) => transport.agreed,
  },
  v2: {
    client: (mode) => new Client2({ name: 'nod-conformance', version: '1' }, { versionNegotiation: { mode: mode === 'legacy' || mode === 'auto' ? mode : { pin: mode } } }),
    http: HTTP2,
    stdio: Stdio2,
    call: (client, params, options) => client.callTool(params, options),
    version: (client) => client.getNegotiatedProtocolVersion(),
  },
}

/** @param {Run} run @param {string} token */
async function connect(run, token) {
  const library = libraries[run.client]
  const transport = run.program
    ? new library.stdio({ command: run.program, args: ['mcp'], env: { NOD_URL: run.url, NOD_TOKEN: token, HOME: run.home, XDG_CONFIG_HOME: run.home }, stderr: 'inherit' })
    : new library.http(new URL('/mcp', run.url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } })
  // The first library tells its transport alone, and one on pipes does not keep it.
  const tell = transport.setProtocolVersion?.bind(transport)
  transport.setProtocolVersion = (version) => { transport.agreed = version; tell?.(version) }
  const client = library.client(run.mode)
  await client.connect(transport)
  const call = async (name, args, options) => {
    const result = await library.call(client, { name, arguments: args }, options)
    return { text: result.content.map((c) => c.text).join('\n'), error: result.isError ?? false, structured: result.structuredContent !== undefined }
  }
  return { client, transport, call, version: library.version(client, transport) ?? '' }
}

const act = (action, fields) => ['phone_action', { action, ...fields }]

/** The calls of the main job, each of which the person answers in another way. @param {Run} run */
async function job(run) {
  const [patient, hasty] = [await connect(run, run.patient), await connect(run, run.hasty)]
  const told = { version: patient.version, instructions: patient.client.getInstructions() ?? '' }
  told.tools = (await patient.client.listTools()).tools.map((tool) => tool.name)
  told.confirmed = await patient.call(...act('torch', { on: true }))
  told.declined = await patient.call(...act('dial', { number: '+351 21 123 4567' }))
  told.refused = await patient.call(...act('add_stop', {}))
  told.unknown = await patient.call('order_pizza', {})
  told.progress = []
  told.slow = await patient.call(...act('timer', { seconds: 300 }), { onprogress: (p) => told.progress.push(p.message ?? ''), resetTimeoutOnProgress: true })

  told.waiting = await hasty.call(...act('media', { command: 'play' }))
  do { // each answer comes after a second: the hasty agent is set so
    told.waited = await hasty.call('call_status', { call_id: /call_id (\w+)/.exec(told.waiting.text)?.[1] ?? '' })
  } while (told.waited.text.startsWith('STILL WAITING'))

  const abort = new AbortController()
  const cancelled = patient.call(...act('alarm', { time: '07:30' }), {
    signal: abort.signal,
    onprogress: (p) => p.message === run.shown && abort.abort(new Error('taken back')),
  })
  told.cancelled = await cancelled.then((result) => result.text, () => 'thrown')
  const late = Date.now() + 5000
  do {
    told.left = (await patient.call('call_status', {})).text
  } while (/call_/.test(told.left) && Date.now() < late)
  await Promise.all([patient.client.close(), hasty.client.close()])
  return told
}

await runs(job)
