// What an hour costs in which nothing happens, measured at a real page in
// Chromium and scaled: the frames of the link both ways, and any request. Not
// part of the check; docs/speed.md keeps its figures.
//
//   NOD_BIN=/path/to/nod node idle.mjs [SECONDS]

import { launch } from './browser.mjs'
import { House } from './e2e/house.mjs'

const seconds = Number(process.argv[2] ?? 120)
const browser = await launch()
const house = await House.start()
try {
  const phone = await house.pair(browser)
  await phone.ready()
  for (const state of ['seen', 'hidden']) {
    const cost = { frames: 0, bytes: 0, requests: 0 }
    const cdp = await phone.context.newCDPSession(phone.page)
    await cdp.send('Network.enable')
    if (state === 'hidden') await phone.hide()
    await phone.page.waitForTimeout(2_000) // what opening or hiding it costs is no idling
    /** @param {number} head */
    const frame = (head) => ({ response }) => {
      cost.frames++
      cost.bytes += response.payloadData.length + head
    }
    cdp.on('Network.webSocketFrameReceived', frame(2))
    cdp.on('Network.webSocketFrameSent', frame(6))
    cdp.on('Network.requestWillBeSent', () => { cost.requests++ })
    cdp.on('Network.dataReceived', ({ encodedDataLength }) => { cost.bytes += encodedDataLength })
    phone.context.on('request', (r) => r.serviceWorker() && cost.requests++)
    await phone.page.waitForTimeout(seconds * 1000)
    await cdp.detach()
    const hour = 3600 / seconds
    console.log(`${state}: ${cost.frames} frames, ${cost.bytes} bytes, ${cost.requests} requests in ${seconds} s; an hour: ${Math.round(cost.bytes * hour)} bytes, ${Math.round(cost.requests * hour)} requests`)
  }
} finally {
  await browser.close()
  await house.stop()
}
