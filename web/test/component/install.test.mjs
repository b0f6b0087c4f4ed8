// What a browser wants of an app before it offers to install it, and what the
// manifest says of this one.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { chromium } from 'playwright-core'

import { serve } from '../serve.mjs'

const WEB = new URL('../../', import.meta.url)

/** @type {Awaited<ReturnType<typeof serve>>} */ let site
/** @type {string} */ let profile
before(async () => {
  site = await serve()
  profile = await mkdtemp(join(tmpdir(), 'nod-profile-'))
})
after(async () => {
  await site.close()
  await rm(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }) // Chromium may still write into it
})

test('Chromium finds nothing in the way of installing it', { timeout: 120_000 }, async () => {
  // A private window never installs anything, and every context of a test is one.
  const browser = await chromium.launchPersistentContext(profile, { executablePath: process.env.NOD_CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const page = await browser.newPage()
    const cdp = await browser.newCDPSession(page)
    await page.goto(site.origin)
    const { errors } = await cdp.send('Page.getAppManifest')
    assert.deepEqual(errors, [])
    const { installabilityErrors } = await cdp.send('Page.getInstallabilityErrors')
    assert.deepEqual(installabilityErrors, [])
    const { appId } = await cdp.send('Page.getAppId')
    assert.equal(appId, `${site.origin}/`)
  } finally {
    await browser.close()
  }
})

test('the manifest names what it needs: a place to start, a name, icons that are what they say', async () => {
  const manifest = JSON.parse(await readFile(new URL('manifest.webmanifest', WEB), 'utf8'))
  assert.equal(manifest.display, 'standalone')
  assert.equal(manifest.start_url, '/')
  assert.equal(manifest.scope, '/')
  assert.ok(manifest.name && manifest.short_name && manifest.short_name.length <= 12)
  const purposes = manifest.icons.map((i) => i.purpose ?? 'any')
  assert.ok(purposes.includes('any') && purposes.includes('maskable'), purposes.join())
  for (const { src, sizes, type } of manifest.icons) {
    if (type !== 'image/png') continue
    const png = await readFile(new URL(src.replace(/^\//, ''), WEB))
    assert.equal(`${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`, sizes, src)
  }
  const page = await readFile(new URL('index.html', WEB), 'utf8')
  assert.match(page, /<meta name="viewport"/)
  assert.match(page, /<meta name="theme-color"/)
  assert.match(page, /rel="apple-touch-icon"/)
})
