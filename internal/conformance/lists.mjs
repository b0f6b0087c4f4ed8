// A list of tools that changes, as the TypeScript clients hear of it: each with
// fixtures of its own, whose addresses it takes. It prints one line of JSON for
// each client.

import { Client as Client2, StreamableHTTPClientTransport as HTTP2 } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as HTTP1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const about = { name: 'nod-conformance', version: '1' }
const names = (tools) => tools.map((tool) => tool.name)

/** @param {string} name @param {(heard: object) => any} make @param {any} transport */
async function run(name, make, transport) {
  let tell
  const heard = new Promise((resolve) => { tell = resolve })
  const client = make({ tools: { debounceMs: 0, onChanged: (error, tools) => tell(error ? { error: String(error) } : { tools: names(tools) }) } })
  await client.connect(transport)
  const before = names((await client.listTools()).tools)
  // The stream on which it hears is opened beside the rest, at any time.
  let after
  for (let tries = 0; !after && tries < 50; tries++) {
    await client.callTool({ name: 'test_show_late', arguments: {} })
    after = await Promise.race([heard, new Promise((resolve) => setTimeout(resolve, 200))])
  }
  const listed = names((await client.listTools()).tools)
  await client.close()
  console.log(JSON.stringify({ name, before, listed, after: after?.tools, failed: after?.error }))
}

const clients = {
  v1: [HTTP1, (listChanged) => new Client1(about, { listChanged })],
  'v2 legacy': [HTTP2, (listChanged) => new Client2(about, { listChanged })],
  'v2 pinned': [HTTP2, (listChanged) => new Client2(about, { listChanged, versionNegotiation: { mode: { pin: '2026-07-28' } } })],
}
await Promise.all(Object.entries(JSON.parse(process.argv[2])).map(([name, url]) => {
  const [transport, make] = clients[name]
  return run(name, make, new transport(new URL(url))).catch((error) => console.log(JSON.stringify({ name, failed: String(error?.stack ?? error) })))
}))
