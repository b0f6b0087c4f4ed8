// What a card says of the host in a web address.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainToUnicode } from 'node:url'

import { inLetters, ownNetwork } from '../../app/address.js'

test('a host on the own network is told from one on the internet', () => {
  for (const near of ['localhost', 'LOCALHOST:8080', 'a.localhost', 'router', 'printer.local', 'nas.lan', 'x.home.arpa', 'db.internal', '127.0.0.1', '127.9.9.9:80', '10.0.0.1', '172.16.0.1', '172.31.255.255',
    '192.168.1.1:8443', '169.254.169.254', '100.64.0.1', '0.0.0.0', '[::1]', '[::]', '[0:0:0:0:0:0:0:1]:80', '[fe80::1]', '[febf::1]', '[fd12:3456::1]', '[fc00::]', '[::ffff:10.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]']) {
    assert.equal(ownNetwork(near), true, near)
  }
  for (const far of ['example.com', 'local.example.com', 'a.b:443', '8.8.8.8', '172.15.0.1', '172.32.0.1', '192.169.0.1', '100.63.0.1', '100.128.0.1', '11.0.0.1', '[2001:db8::1]', '[fec0::1]', '[::ffff:8.8.8.8]', 'fd00.example', 'xn--bcher-kva.example']) {
    assert.equal(ownNetwork(far), false, far)
  }
})

test('the letters behind xn-- are those that a browser would show', () => {
  assert.equal(inLetters('www.example.com'), null)
  assert.equal(inLetters('xn--pypal-4ve.example'), 'pаypal.example')
  for (const host of ['bücher.example', 'пример.испытание', '例え.テスト', 'مثال.إختبار', 'דוגמה.טעסט', 'αβγ.gr', 'faß.de', 'a.münchen-ost.de', '한국.kr', '☕.example', '💩.la', 'ทดสอบ.th', 'đại.vn']) {
    const ascii = new URL(`http://${host}`).host
    assert.equal(inLetters(ascii), domainToUnicode(ascii), ascii)
    assert.equal(inLetters(ascii.toUpperCase())?.toLowerCase(), domainToUnicode(ascii), `${ascii} in capitals`)
  }
})

test('what is no Punycode stays as it is written', () => {
  for (const host of ['xn--99999999.example', 'xn--0.example', 'xn--a-ecp_.example']) assert.equal(inLetters(host), host)
})
