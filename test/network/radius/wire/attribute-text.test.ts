import { randomBytes, randomInt } from 'node:crypto'
import t from 'tap'
import { attributeTexts } from '../../../../src/network/radius/wire/attribute-text.ts'
import { encodeReplyAttribute } from '../../../support/attributes.ts'

const encoded = (name: string, value: string | number): Buffer => {
  const bytes = encodeReplyAttribute(name, value)
  if ('fault' in bytes) throw new Error(bytes.fault)
  return bytes
}

t.test('attributes are shown as radius_reply takes them', (t) => {
  const attributes: readonly [name: string, value: string][] = [
    ['Framed-IP-Address', '10.64.0.7'],
    ['Framed-IPv6-Prefix', '2001:db8:1::/48'],
    ['Framed-Interface-Id', '0:0:0:1'],
    ['Service-Type', 'framed-user'],
    ['Session-Timeout', '600'],
    ['Reply-Message', 'добро пожаловать'],
    ['Tunnel-Type:1', 'l2tp'],
    ['Tunnel-Medium-Type', 'ieee-802'],
    ['Tunnel-Private-Group-Id:1', '204'],
    ['Tunnel-Private-Group-Id', '204'],
    ['Event-Timestamp', '2030-01-31T12:00:00Z'],
    ['Mikrotik-Rate-Limit', '10M/20M'],
    ['Cisco-AVPair', 'lcp:interface-config#1=rate-limit'],
    ['Huawei-Output-Average-Rate', '20000000'],
    ['L4-Redirect', '1'],
    ['Vendor-65000-Attr-1', '0x00ff'],
    ['Attr-201', '0x0102'],
  ]
  const bytes = Buffer.concat(attributes.map(([name, value]) => encoded(name, value)))
  t.strictSame(
    attributeTexts(bytes),
    attributes.map(([name, value]) => ({ name, value })),
  )
  t.end()
})

t.test('an encrypted value is masked', (t) => {
  const [password] = attributeTexts(encoded('Tunnel-Password:1', 'open sesame'))
  t.match(password, { name: 'Tunnel-Password:1', value: /^•+$/ })
  t.end()
})

t.test('what has another form than the dictionary says is shown in hexadecimal', (t) => {
  t.strictSame(attributeTexts(Buffer.from([8, 5, 1, 2, 3])), [{ name: 'Framed-IP-Address', value: '0x010203' }])
  t.strictSame(attributeTexts(Buffer.from([18, 4, 0x1b, 0x5b])), [{ name: 'Reply-Message', value: '0x1b5b' }])
  t.strictSame(attributeTexts(Buffer.from([26, 5, 0, 0, 9])), [{ name: 'Vendor-Specific', value: '0x000009' }])
  t.strictSame(attributeTexts(Buffer.from([26, 8, 0, 0, 0, 9, 1, 9])), [
    { name: 'Vendor-Specific', value: '0x000000090109' },
  ])
  t.end()
})

t.test('several attributes of one Vendor-Specific are shown one by one', (t) => {
  const bytes = Buffer.from([26, 14, 0, 0, 0x39, 0xe7, 1, 4, 1, 2, 2, 4, 3, 4])
  t.equal(attributeTexts(bytes).length, 2)
  t.end()
})

t.test('no octets break it', (t) => {
  for (let round = 0; round < 20_000; round++) {
    const bytes = randomBytes(randomInt(0, 64))
    // Half of them are Vendor-Specific of a vendor with attributes, or of one with another format.
    if (round % 2 === 0 && bytes.length > 8) {
      bytes[0] = 26
      bytes[1] = bytes.length
      bytes.writeUInt32BE([9, 311, 24_757, 429, 4846][round % 5]!, 2)
    }
    for (const { name, value } of attributeTexts(bytes)) {
      if (typeof name !== 'string' || typeof value !== 'string') t.fail(bytes.toString('hex'))
    }
  }
  t.end()
})
