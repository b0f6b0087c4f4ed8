// What is on disk, in the real browser's database: the journal, which two
// windows may write at a time, and the settings.
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { emptyPage } from './empty.mjs'

const inside = emptyPage()

test('a row is written in the place of the one it follows, and of no other', async () => {
  assert.deepEqual(await inside(`import('/app/journal.js').then(async ({ write, row, Overtaken }) => {
    const said = []
    const put = (state, was) => write({ call: 'c', state }, was).then(() => said.push(state), (e) => said.push(e instanceof Overtaken))
    await put('received', undefined)
    await put('received', undefined)
    await put('decided', 'received')
    await Promise.all([put('armed', 'decided'), put('ended', 'decided')])
    await put('ended', 'decided')
    return [...said, (await row('c')).state]
  })`), ['received', true, 'decided', 'armed', true, true, 'armed'])
})

test('two settings that are chosen at once are both kept', async () => {
  assert.deepEqual(await inside(`import('/app/settings.js').then(async ({ writeSettings, readSettings }) => {
    await Promise.all([writeSettings({ map: 'waze' }), writeSettings({ mail: 'gmail' }), writeSettings({ calendar: 'file' })])
    const { map, mail, calendar } = await readSettings()
    return [map, mail, calendar]
  })`), ['waze', 'gmail', 'file'])
})
