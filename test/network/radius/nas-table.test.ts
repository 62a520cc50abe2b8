import t from 'tap'
import { nasId } from '../../../src/domain/ids.ts'
import type { NasSlot } from '../../../src/network/radius/worker/messages.ts'
import { parseIpv6 } from '../../../src/network/radius/wire/address.ts'
import { secretKeyBytes } from '../../../src/network/radius/wire/shared-secret.ts'
import { NasTable } from '../../../src/network/radius/worker/nas-table.ts'
import { nasEntry } from './fixture.ts'

const seatOf = (id: number, ip: string, changes: Partial<NasSlot> = {}): NasSlot => ({
  ...nasEntry({ id: nasId(id), ip }),
  nasSlot: id,
  edition: 1,
  ...changes,
})

/** A datagram from this address, described behind another one. */
function from(address: string): Int32Array {
  const words = new Int32Array(16)
  words.set(new Int32Array(parseIpv6(address.includes(':') ? address : `::ffff:${address}`)!.buffer), 12)
  return words
}

t.test('each NAS is found by its address in either family, and nobody else', async (t) => {
  const many = Array.from({ length: 500 }, (_, id) => seatOf(id + 1, `10.${id >> 8}.${id & 255}.1`))
  const table = new NasTable([
    ...many,
    seatOf(900, '2001:DB8::1'),
    seatOf(901, '::ffff:192.0.2.7'),
    seatOf(902, '192.0.2.8', { enabled: false }),
    seatOf(903, '192.0.2.9'),
    seatOf(904, '192.0.2.9'),
    seatOf(905, 'no address'),
    seatOf(906, '192.0.2.10', { secret: 'long '.repeat(40) }),
  ])
  const idOf = (address: string) => table.find(from(address), 8)?.record.id ?? null
  t.ok(many.every(({ id, ip }) => idOf(ip) === id))
  t.equal(idOf('2001:db8::1'), 900)
  t.equal(idOf('192.0.2.7'), 901)
  t.equal(idOf('192.0.2.8'), null, 'switched off')
  t.equal(idOf('192.0.2.9'), 904, 'the later of two')
  t.equal(idOf('10.9.9.9'), null)
  t.equal(idOf('::1'), null)
  const long = table.find(from('192.0.2.10'), 8)!
  t.equal(long.key, -1, 'its digests are worked out one by one')
  t.ok(table.find(from('10.1.0.1'), 8)!.key * secretKeyBytes < table.keys.length)
  t.equal(new NasTable([]).find(from('10.0.0.1'), 8), null)
})
