// The main job by tasks, as programs written with the official library of the
// Tasks extension do it. It reads a list of runs, does all at once, and prints
// one line of JSON for each.

import { withTasks } from '@modelcontextprotocol/ext-tasks/client'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { runs } from './runs.mjs'

/** @typedef {{name: string, url: string, program: string, home: string, token: string, shown: string}} Run */

const extension = 'io.modelcontextprotocol/tasks'
const framing = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'nod-conformance', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { extensions: { [extension]: {} } },
}

/** A client over HTTP: each message is a request, and its answer a stream. @param {Run} run */
function overHTTP(run) {
  const send = async (message) => {
    const name = message.params.name ?? message.params.taskId
    const response = await fetch(new URL('/mcp', run.url), {
      method: 'POST', body: JSON.stringify(message),
      headers: {
        Authorization: `Bearer ${run.token}`, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': message.method, ...name === undefined ? {} : { 'Mcp-Name': name },
      },
    })
    for (const line of (await response.text()).split('\n')) {
      const text = line.replace(/^data: /, '')
      if (text.startsWith('{') && 'id' in JSON.parse(text)) return JSON.parse(text)
    }
    throw new Error(`${message.method}: ${response.status} without an answer`)
  }
  return { send, end: async () => {} }
}

/** A client over the pipes of "nod mcp". @param {Run} run */
function overPipes(run) {
  const env = { NOD_URL: run.url, NOD_TOKEN: run.token, HOME: run.home, XDG_CONFIG_HOME: run.home }
  const nod = spawn(run.program, ['mcp'], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map()
  createInterface({ input: nod.stdout }).on('line', (line) => {
    const message = JSON.parse(line)
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
  })
  const over = new Promise((resolve) => nod.on('exit', resolve))
  const send = (message) => new Promise((resolve) => {
    waiting.set(message.id, resolve)
    nod.stdin.write(JSON.stringify(message) + '\n')
  })
  return { send, end: () => { nod.stdin.end(); return over } }
}

/** A session of the library over a client. */
function open(client, endpointId) {
  let id = 0
  const dispatch = async (request) => {
    const { method, params = {} } = request
    const answer = await client.send({ jsonrpc: '2.0', id: ++id, method, params: { ...params, _meta: { ...params._meta, ...framing } } })
    return answer.error ? { kind: 'error', error: answer.error } : { kind: 'result', result: answer.result }
  }
  const never = () => () => {}
  const port = {
    endpointId, dispatch, invalidated: false, onServerRequest: never, onNotification: never, onInvalidated: never,
    taskCapabilities: { generation: 'v2', capabilities: {} },
  }
  return { dispatch, session: withTasks(port) }
}

const text = (result) => result.content.map((c) => c.text).join('\n')

/** How a call ended. */
async function settled(execution) {
  const { outcome, lastTask } = await execution.settle()
  return {
    kind: execution.kind, status: outcome.status, last: lastTask?.statusMessage ?? '',
    text: outcome.status === 'completed' ? text(outcome.result) : '',
  }
}

/** @param {Run} run */
async function job(run) {
  const client = run.program ? overPipes(run) : overHTTP(run)
  const { dispatch, session } = open(client, run.name)
  const act = (action, fields) => session.callTool('phone_action', { action, ...fields })
  const offered = await dispatch({ method: 'server/discover' })
  const told = { extensions: Object.keys(offered.result.capabilities.extensions ?? {}) };
  [told.confirmed, told.declined, told.slow] = await Promise.all([
    act('torch', { on: true }).then(settled), act('dial', { number: '+351 21 123 4567' }).then(settled), act('timer', { seconds: 300 }).then(settled),
  ])
  const cancelled = async () => { // once its card is on the screen
    const execution = await act('alarm', { time: '07:30' })
    const task = session.task(execution.handle.taskId)
    const messages = []
    do messages.push((await task.snapshot()).statusMessage)
    while (messages.at(-1) !== run.shown && messages.length < 1000)
    await execution.cancel()
    const { status, statusMessage } = await task.snapshot()
    return { kind: execution.kind, status, messages, last: statusMessage, text: '' }
  }
  const resumed = async () => { // another program goes on with it
    const execution = await act('media', { command: 'play' })
    let reference
    await execution.handoff((r) => { reference = r })
    return settled(await open(client, run.name).session.resumeTask(reference))
  }
  [told.cancelled, told.resumed, told.refused] = await Promise.all([cancelled(), resumed(), act('add_stop', {}).then(settled)])
  told.left = (await settled(await session.callTool('call_status', {}))).text
  await session.close()
  await client.end()
  return told
}

await runs(job)
