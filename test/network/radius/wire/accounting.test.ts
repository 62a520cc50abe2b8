import t from 'tap'
import { readAccounting } from '../../../../src/network/radius/wire/accounting.ts'
import { codes, decodePacket, type PacketView } from '../../../../src/network/radius/wire/packet.ts'
import { build, hex, integer, type Tlv, zeros } from './builder.ts'

const request = (...list: Tlv[]): PacketView => {
  const result = decodePacket(build(codes.accountingRequest, 1, zeros(16), list))
  if ('fault' in result) throw new Error(result.fault)
  return result.packet
}

t.test('a Stop is read into plain values', async (t) => {
  const stop = readAccounting(
    request(
      [40, integer(2)],
      [1, 'steve'],
      [44, '81a0'],
      [50, 'multi'],
      [4, hex('c0a80110')],
      [32, 'bras-1'],
      [95, hex('20010db8000000000000000000000001')],
      [46, integer(3600)],
      [42, integer(4294967295)],
      [52, integer(2)],
      [43, integer(7)],
      [47, integer(11)],
      [48, integer(12)],
      [8, hex('0a000001')],
      [97, hex('0040 20010db800010002')],
      [123, hex('0038 20010db8aabbcc')],
      [31, 'AA-BB-CC-DD-EE-FF'],
      [30, 'service1'],
      [5, integer(15728640)],
      [87, 'ether1'],
      [49, integer(1)],
      [41, integer(5)],
      [55, integer(1_700_000_000)],
      [25, hex('00ff')],
    ),
  )
  t.strictSame(stop, {
    statusType: 'stop',
    userName: 'steve',
    acctSessionId: '81a0',
    acctMultiSessionId: 'multi',
    nasIp: '192.168.1.16',
    nasIpv6: '2001:db8::1',
    nasIdentifier: 'bras-1',
    sessionTime: 3600,
    inputOctets: 12884901887n,
    outputOctets: 7n,
    inputGigawords: 2,
    outputGigawords: null,
    inputPackets: 11,
    outputPackets: 12,
    framedIp: '10.0.0.1',
    framedIpv6Prefix: '2001:db8:1:2::/64',
    delegatedIpv6Prefix: '2001:db8:aabb:cc00::/56',
    callingStationId: 'AA-BB-CC-DD-EE-FF',
    calledStationId: 'service1',
    nasPort: 15728640,
    nasPortId: 'ether1',
    terminateCause: 'User-Request',
    delayTime: 5,
    eventTimestamp: 1_700_000_000,
    class: hex('00ff'),
  })
})

t.test('what is absent or malformed is null', async (t) => {
  for (const [name, value] of Object.entries(readAccounting(request()))) t.equal(value, null, name)
  const wrong = readAccounting(request([40, hex('02')], [42, hex('0000')], [8, hex('0a')], [46, '']))
  t.equal(wrong.statusType, null)
  t.equal(wrong.inputOctets, null)
  t.equal(wrong.framedIp, null)
  t.equal(wrong.sessionTime, null)
})

t.test('statuses and causes have names', async (t) => {
  const statuses = [1, 2, 3, 7, 8, 9, 15].map((n) => readAccounting(request([40, integer(n)])).statusType)
  t.strictSame(statuses, ['start', 'stop', 'interim', 'on', 'off', 'other', 'other'])
  const causes = [1, 18, 23, 0, 99].map((n) => readAccounting(request([49, integer(n)])).terminateCause)
  t.strictSame(causes, ['User-Request', 'Host-Request', 'Lost-Power', '0', '99'])
})

t.test('gigawords count without octets too', async (t) => {
  t.equal(readAccounting(request([52, integer(1)])).inputOctets, 4294967296n)
  t.equal(readAccounting(request([53, integer(4294967295)], [43, integer(4294967295)])).outputOctets, 2n ** 64n - 1n)
})
