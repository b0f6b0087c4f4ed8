// A small server for the web app's own files, with the headers that nod sends.
// The tests use it where no gateway is needed.

import { createServer } from 'node:http'
import { readFile } from 'node:fs/promises'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const TYPES = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml', '.png': 'image/png', '.webmanifest': 'application/manifest+json',
}

/** The page's rules, as internal/server sends them. */
export const CSP = "default-src 'self'; connect-src 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types nod; base-uri 'none'; form-action 'self'; object-src 'none'"

/** Starts the server; resolves to its origin and a way to stop it. */
export async function serve() {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    const file = path === '/dev/cards' ? '/dev/cards.html' : ['/', '/pair', '/resume', '/phones'].includes(path) ? '/index.html' : path
    try {
      const body = await readFile(join(ROOT, normalize(file)))
      response.writeHead(200, {
        'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream', 'Content-Security-Policy': CSP,
        'X-Content-Type-Options': 'nosniff', 'Cross-Origin-Opener-Policy': 'same-origin', 'Referrer-Policy': 'no-referrer',
      })
      response.end(body)
    } catch {
      response.writeHead(404, { 'Content-Type': 'application/json' })
      response.end('{"error":{"code":"not_found"}}')
    }
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('the test server has no port')
  return { origin: `http://localhost:${address.port}`, close: () => new Promise((resolve) => server.close(resolve)) }
}
