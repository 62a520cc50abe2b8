import fc from 'fast-check'
import t from 'tap'
import { framePacket, readFrame } from '../../../src/network/radius/accounting/spool-frames.ts'
import { packet } from '../../support/accounting.ts'

t.test('a packet in the spool keeps its record, its time and the address it came from', async (t) => {
  const start = packet('start', { id: 'S1' })
  for (const source of ['10.1.2.3', '2001:db8::7'])
    t.match(readFrame(framePacket(70_000, 1_700_000_000_123.5, source, start)), {
      kind: 'packet',
      record: { nasId: 70_000, receivedAtMs: 1_700_000_000_123.5, nasIp: source, acctSessionId: 'S1', status: 'start' },
    })
})

t.test('a frame of an older version is read, without a source', async (t) => {
  const header = Buffer.alloc(13)
  header[0] = 1
  header.writeDoubleLE(5, 1)
  header.writeUInt32LE(7, 9)
  t.match(readFrame(Buffer.concat([header, packet('stop', { id: 'S2' })])), {
    kind: 'packet',
    record: { nasId: 7, receivedAtMs: 5, nasIp: null, acctSessionId: 'S2', status: 'stop' },
  })
})

t.test('no bytes of a packet frame bring the program down', async (t) => {
  fc.assert(
    fc.property(fc.constantFrom(0, 1, 3, 4, 255), fc.uint8Array({ maxLength: 400 }), (kind, bytes) => {
      readFrame(Buffer.from([kind, ...bytes]))
    }),
    { numRuns: 2000 },
  )
  t.equal(readFrame(Buffer.of(3)), null)
  t.equal(readFrame(Buffer.alloc(0)), null)
})
