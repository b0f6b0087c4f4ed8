// Two people's screens, or two of one person's: whoever answers first has
// answered, and the other screen says so.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'

import { launch } from '../browser.mjs'
import { House } from './house.mjs'

/** @type {House} */ let house
/** @type {import('playwright-core').Browser} */ let browser
/** @type {import('./house.mjs').PhonePage} */ let first
/** @type {import('./house.mjs').PhonePage} */ let second
/** @type {import('node:child_process').ChildProcess} */ let rig

before(async () => {
  house = await House.start()
  browser = await launch()
  first = await house.pair(browser)
  await first.ready()
  second = await house.pair(browser)
  await allow()
  await second.ready()
  // A phone that shows no cards: the others' screens answer for it.
  const { link } = await house.nod('pair', '--no-wait')
  rig = spawn(house.bin, ['phone', '--sim', '--no-screen', '--name', 'Rig', '--folder', join(house.data, 'rig'), link], { stdio: 'ignore' })
  await allow()
  await first.ready()
})
after(async () => {
  rig?.kill()
  await browser?.close()
  await house?.stop()
})

/** The first phone lets the one that waits in. */
async function allow() {
  await first.page.goto(`${house.url}/phones`)
  await first.page.getByRole('button', { name: 'Allow', exact: true }).tap()
  await first.page.getByText('can confirm for you now.').waitFor()
  await first.page.goto(`${house.url}/`)
}

test('case 4: two screens answer at once: one answer counts, and the other screen says where it was given', async () => {
  const { id } = await house.ask({ action: 'torch', on: true }, { 'Nod-Phone': 'Rig' })
  for (const p of [first, second]) {
    await p.card('Switch the torch')
    await p.page.locator('nod-card[data-open]').waitFor()
  }
  const fingers = [await first.aim('.confirm'), await second.aim('.pair-buttons .plain')]
  await Promise.all(fingers.map((touch) => touch()))
  const call = await house.end(id)
  assert.ok(['done', 'declined'].includes(call.outcome), call.text)
  const [won, lost] = call.outcome === 'done' ? [first, second] : [second, first]
  await won.foot(call.outcome === 'done' ? 'Sent to Rig' : 'You said no')
  await lost.foot(/^Answered on /)
  assert.match(await lost.page.locator('.foot .state').innerText(), /Nothing was done here\./)
  const { stdout } = await promisify(execFile)(house.bin, ['log', 'show', '--last', '0', '--json', '--data', house.data])
  const lines = stdout.split('\n').filter((line) => line.includes(id) && line.includes('"call.decided"'))
  assert.equal(lines.length, 1, stdout)
})
