import fc from 'fast-check'
import t from 'tap'
import { nasId } from '../../../src/domain/ids.ts'
import { framePacket, readFrame } from '../../../src/network/radius/accounting/spool-frames.ts'
import { packet } from '../../support/accounting.ts'

t.test('a packet in the spool keeps its record, its time and the address it came from', async (t) => {
  const start = packet('start', { id: 'S1' })
  for (const source of ['10.1.2.3', '2001:db8::7'])
    for (const offeredIp of ['10.0.0.7', null]) {
      const record = { nasId: nasId(70_000), receivedAtMs: 1_700_000_000_123.5, nasIp: source, offeredIp }
      t.match(readFrame(framePacket(record, start)), {
        kind: 'packet',
        record: { ...record, acctSessionId: 'S1', status: 'start' },
      })
    }
})

t.test('frames of older versions are read, without what they have not', async (t) => {
  const header = Buffer.alloc(13)
  header.writeDoubleLE(5, 1)
  header.writeUInt32LE(7, 9)
  const stop = packet('stop', { id: 'S2' })
  const record = { nasId: 7, receivedAtMs: 5, nasIp: null, offeredIp: undefined, acctSessionId: 'S2', status: 'stop' }
  header[0] = 1
  t.match(readFrame(Buffer.concat([header, stop])), { kind: 'packet', record })
  header[0] = 3
  const source = Buffer.from('00000000000000000000ffff0a010203', 'hex')
  t.match(readFrame(Buffer.concat([header, source, stop])), {
    kind: 'packet',
    record: { ...record, nasIp: '10.1.2.3' },
  })
})

t.test('no bytes of a packet frame bring the program down', async (t) => {
  fc.assert(
    fc.property(fc.constantFrom(0, 1, 3, 4, 5, 255), fc.uint8Array({ maxLength: 400 }), (kind, bytes) => {
      readFrame(Buffer.from([kind, ...bytes]))
    }),
    { numRuns: 2000 },
  )
  t.equal(readFrame(Buffer.of(3)), null)
  t.equal(readFrame(Buffer.alloc(0)), null)
})
