import assert from 'node:assert/strict'
import { test } from 'node:test'

import { canTurnOn } from '../../app/pages/home.js'

test('notifications are turned on with a tap only where a tap can', () => {
  const rows = [
    ['ask', 'push.why.ask', true], ['broken', 'push.why.timeout', true], ['off', 'push.why.off', true],
    ['off', 'push.why.disabled', false], ['denied', 'push.why.denied_android', false], ['unsupported', 'push.why.unsupported', false], ['on', 'push.why.on', false],
  ]
  for (const [state, reason, can] of rows) assert.equal(canTurnOn({ state, reason }), can, reason)
})
