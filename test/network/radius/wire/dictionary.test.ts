import fc from 'fast-check'
import t from 'tap'
import { attributes, microsoft, vendors } from '../../../../src/network/radius/wire/attribute-types.ts'
import {
  attributeNames,
  attributeOf,
  encodeReplyAttributes,
  findAttribute,
} from '../../../../src/network/radius/wire/dictionary.ts'
import { anyCharacter } from '../../../support/any-character.ts'
import { encodeReplyAttribute } from '../../../support/attributes.ts'

const encoded = (name: string, value: string | number): string => {
  const result = encodeReplyAttribute(name, value)
  return 'fault' in result ? `fault: ${result.fault}` : result.toString('hex')
}

t.test('attributes of every type are encoded', async (t) => {
  const cases: [string, string | number, string][] = [
    ['Session-Timeout', '3600', '1b0600000e10'],
    ['session-timeout', 3600, '1b0600000e10'],
    ['Session-Timeout', '0xe10', '1b0600000e10'],
    ['Service-Type', 'Framed-User', '060600000002'],
    ['Service-Type', 'framed-user', '060600000002'],
    ['Filter-Id', 'vip', '0b05766970'],
    ['Reply-Message', 'да', '1206d0b4d0b0'],
    ['Class', '0x00ff', '190400ff'],
    ['Class', 'gold', '1906676f6c64'],
    ['Framed-IP-Address', '10.0.0.255', '08060a0000ff'],
    ['Framed-IPv6-Prefix', '2001:db8:1:2::/64', '610c004020010db800010002'],
    ['Delegated-IPv6-Prefix', '2001:DB8::/33', '7b09002120010db800'],
    ['Framed-IPv6-Address', '2001:db8::1', 'a81220010db8000000000000000000000001'],
    ['Framed-Interface-Id', '0:0:abcd:1', '600a00000000abcd0001'],
    ['Event-Timestamp', '2001-09-09T01:46:40Z', '37063b9aca00'],
    ['Event-Timestamp', '1000000000', '37063b9aca00'],
    ['Tunnel-Type:1', 'L2TP', '400601000003'],
    ['Tunnel-Type', '3', '400600000003'],
    ['Tunnel-Type:1', 'VLAN', '40060100000d'],
    ['Tunnel-Private-Group-Id:2', '100', '510602313030'],
    ['Tunnel-Private-Group-Id', '100', '5105313030'],
    ['Mikrotik-Address-List', 'vip', '1a0b00003a8c1305766970'],
    ['Mikrotik-Rate-Limit', '10M/20M', '1a0f00003a8c080931304d2f32304d'],
    ['Cisco-AVPair', 'ip:x=y', '1a0e00000009010869703a783d79'],
    ['WISPr-Bandwidth-Max-Up', '1000', '1a0c0000372a0706000003e8'],
    ['Huawei-Input-Average-Rate', '1024', '1a0c000007db020600000400'],
    ['ERX-Service-Activate:1', 'inet(10)', '1a110000130a410b01696e657428313029'],
    ['Juniper-Primary-Dns', '10.1.1.1', '1a0c00000a4c1f060a010101'],
    ['Actual-Data-Rate-Upstream', '5', '1a0c00000de9810600000005'],
    ['Attr-245', '0x0102', 'f5040102'],
    ['Vendor-35265-Attr-12', '0x0a', '1a09000089c10c030a'],
    ['Vendor-14988-Attr-17', '5', '1a0c00003a8c110600000005'],
  ]
  for (const [name, value, bytes] of cases) t.equal(encoded(name, value), bytes, `${name} = ${value}`)
})

t.test('a fault explains to the operator what is wrong', async (t) => {
  const cases: [string, string, RegExp][] = [
    ['Mikrotic-Rate-Limit', '1M', /no RADIUS attribute "Mikrotic-Rate-Limit" in the dictionary/],
    ['', '1', /no RADIUS attribute/],
    ['Session-Timeout', 'soon', /Session-Timeout needs a whole number from 0 to 4294967295, not "soon"/],
    ['Session-Timeout', '-1', /whole number/],
    ['Session-Timeout', '4294967296', /whole number/],
    ['Session-Timeout', '', /whole number/],
    ['Service-Type', 'Framed', /or one of its names \(login-user, framed-user/],
    ['Filter-Id', '', /Filter-Id needs a value/],
    ['Filter-Id', 'x'.repeat(254), /at most 253 bytes, and this value has 254/],
    ['Mikrotik-Address-List', 'x'.repeat(248), /at most 247 bytes/],
    ['Framed-IP-Address', '10.0.0.256', /needs an IPv4 address/],
    ['Framed-IPv6-Address', '10.0.0.1', /needs an IPv6 address/],
    ['Framed-IPv6-Prefix', '2001:db8::1/64', /needs an IPv6 prefix/],
    ['Framed-IPv6-Prefix', '2001:db8::', /needs an IPv6 prefix/],
    ['Framed-IPv6-Prefix', '2001:db8::/129', /needs an IPv6 prefix/],
    ['Framed-Interface-Id', '1:2:3', /four groups/],
    ['Class', '0x0', /pairs of hexadecimal digits/],
    ['Event-Timestamp', 'tomorrow', /needs a moment/],
    ['User-Password', 'x', /encrypted for each packet/],
    ['MS-MPPE-Send-Key', '0x00', /encrypted for each packet/],
    ['Message-Authenticator', '0x00', /belongs to the protocol/],
    ['Proxy-State', '0x00', /belongs to the protocol/],
    ['Attr-80', '0x00', /belongs to the protocol/],
    ['Attr-26', '0x00', /belongs to the protocol/],
    ['Session-Timeout:1', '5', /takes no tag/],
    ['Tunnel-Type:32', '3', /tag of Tunnel-Type is a number from 0 to 31/],
    ['Tunnel-Type:', '3', /tag of Tunnel-Type/],
    ['Tunnel-Type:1:2', '3', /no RADIUS attribute/],
    ['Tunnel-Preference:1', '16777216', /0 to 16777215/],
    ['Attr-0', '1', /no RADIUS attribute/],
    ['Attr-256', '1', /no RADIUS attribute/],
  ]
  for (const [name, value, fault] of cases) t.match(encoded(name, value), fault, `${name} = ${value.slice(0, 20)}`)
})

t.test('a list is encoded in order, and the first fault is reported', async (t) => {
  const list = [
    { name: 'Session-Timeout', value: '60' },
    { name: 'Mikrotik-Address-List', value: 'vip' },
  ]
  t.strictSame(encodeReplyAttributes(list), Buffer.from('1b060000003c1a0b00003a8c1305766970', 'hex'))
  t.strictSame(encodeReplyAttributes([]), Buffer.alloc(0))
  const faults: [unknown, RegExp][] = [
    [null, /are a list/],
    [{}, /are a list/],
    [[null], /RADIUS attribute 1 is not/],
    [[{ name: 'Class' }], /RADIUS attribute 1 is not/],
    [[...list, { name: 5, value: '1' }], /RADIUS attribute 3 is not/],
    [[{ name: 'Class', value: [] }], /RADIUS attribute 1 is not/],
    [[...list, { name: 'Nonsense', value: '1' }], /no RADIUS attribute "Nonsense"/],
    [Array.from({ length: 9 }, () => ({ name: 'Class', value: 'x'.repeat(253) })), /take 2295 bytes/],
  ]
  for (const [wrong, fault] of faults) t.match(encodeReplyAttributes(wrong), { fault })
})

t.test('the dictionary is whole', async (t) => {
  const names = attributeNames()
  t.equal(new Set(names.map((name) => name.toLowerCase())).size, names.length)
  const wrong = names.filter((name) => {
    const { type, vendor, kind } = findAttribute(name)!
    const shown = attributeOf(type, vendor)!
    // A second name of a number is of the same kind as the first.
    return type < 1 || type > 255 || shown.type !== type || shown.kind !== kind
  })
  t.strictSame(wrong, [])
  t.equal(findAttribute('No-Such'), null)
  t.equal(attributeOf(250), null)
  t.equal(attributeOf(19, 14988)?.name, 'Mikrotik-Address-List')
})

const mikrotik = { recvLimit: 1, xmitLimit: 2, group: 3, rateLimit: 8, addressList: 19, delegatedIpv6Pool: 22 }
const wispr = { bandwidthMinUp: 5, bandwidthMinDown: 6, bandwidthMaxUp: 7, bandwidthMaxDown: 8 }
const huawei = {
  inputBurstSize: 1,
  inputAverageRate: 2,
  inputPeakRate: 3,
  outputBurstSize: 4,
  outputAverageRate: 5,
  outputPeakRate: 6,
  qosProfileName: 31,
}
const erx = {
  ingressPolicyName: 10,
  egressPolicyName: 11,
  qosProfileName: 26,
  serviceActivate: 65,
  serviceDeactivate: 66,
  serviceStatistics: 69,
  cosShapingRate: 177,
}

t.test('the numbers of the program are those of the dictionary', async (t) => {
  const plain = (name: string) => name.toLowerCase().replaceAll('-', '')
  for (const [name, type] of Object.entries(attributes)) t.equal(plain(attributeOf(type)!.name), plain(name))
  const own: [number, string, Record<string, number>][] = [
    [vendors.microsoft, 'MS', microsoft],
    [14988, 'Mikrotik', mikrotik],
    [14122, 'WISPr', wispr],
    [2011, 'Huawei', huawei],
    [4874, 'ERX', erx],
  ]
  for (const [vendor, prefix, types] of own) {
    for (const [name, type] of Object.entries(types)) {
      // Microsoft's 8 goes by MS-MPPE-Encryption-Type and -Types.
      const known = plain(attributeOf(type, vendor)!.name).replace(/type$/, 'types')
      t.equal(known, plain(`${prefix}${name}`))
    }
  }
  const ciscoNames = [1, 55, 56, 250, 251].map((type) => attributeOf(type, 9)!.name)
  t.strictSame(ciscoNames, [
    'Cisco-AVPair',
    'Cisco-Sub-QoS-Pol-In',
    'Cisco-Sub-QoS-Pol-Out',
    'Cisco-Account-Info',
    'Cisco-Service-Info',
  ])
})

t.test('whatever the operator writes becomes whole attributes or a sentence', async (t) => {
  const names = fc.oneof(
    fc.constantFrom(...attributeNames()),
    fc.string(),
    fc.stringMatching(/^Vendor-\d{1,9}-Attr-\d{1,4}$/),
  )
  const values = fc.oneof(
    fc.string(),
    fc.ipV4(),
    fc.ipV6(),
    fc.nat().map(String),
    fc.string({ unit: anyCharacter }),
    fc.double(),
  )
  fc.assert(
    fc.property(names, values, (name, value) => {
      const result = encodeReplyAttribute(name, value)
      if ('fault' in result) return result.fault.endsWith('.')
      return result.length > 2 && result.length <= 255 && result[1] === result.length
    }),
    { numRuns: 5000 },
  )
  t.pass()
})
