import fc from 'fast-check'
import t from 'tap'
import { AuthLog } from '../../../src/network/radius/auth-log/auth-log.ts'
import { attributes } from '../../../src/network/radius/wire/attribute-types.ts'
import { codes, PacketView } from '../../../src/network/radius/wire/packet.ts'
import { SharedSecret } from '../../../src/network/radius/wire/shared-secret.ts'
import { PacketWriter } from '../../../src/network/radius/wire/writer.ts'
import { AuthEntries } from '../../../src/network/radius/worker/auth-entries.ts'
import { createLog } from '../../../src/platform/log.ts'
import { testDatabase } from '../../support/database.ts'
import { ManualClock } from '../../support/manual-clock.ts'

/** What a NAS or whoever sends through it writes into names is text of a column, and spoils no row beside it. */
const { database } = await testDatabase(t)
const { pool } = database

const writer = new PacketWriter()
const secret = new SharedSecret('testing123')

function request(login: Uint8Array, station: Uint8Array, port: Uint8Array): PacketView {
  writer.begin(codes.accessRequest, 1, Buffer.alloc(16))
  writer.octets(attributes.userName, Buffer.from(login))
  writer.octets(attributes.callingStationId, Buffer.from(station))
  writer.octets(attributes.nasPortId, Buffer.from(port))
  writer.finishRequest(secret)
  const packet = new PacketView()
  packet.reset(writer.copy())
  return packet
}

const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text))
/** What COPY, an end of line, a quote or a decoder may take for something else. */
const piece = fc.oneof(
  fc.constantFrom(
    ...[
      '\\',
      '\\.',
      '\\N',
      '\n',
      '\r',
      '\t',
      '\0',
      '\b',
      '\v',
      ';',
      "'",
      '"',
      '{',
      ' ',
      'ж',
      '😀',
      '\u2028',
      '\u202e',
    ].map(bytesOf),
  ),
  fc.uint8Array({ minLength: 1, maxLength: 3 }),
)
const name = fc.array(piece, { minLength: 1, maxLength: 40 }).map((pieces) => Buffer.concat(pieces).subarray(0, 253))

const shown = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8').replaceAll('\0', '')

t.test('whatever names hold, each answer is its row', async (t) => {
  const log = createLog({ write: (line) => t.fail(line), pretty: false })
  const clock = new ManualClock(new Date('2026-11-23T12:00:00Z'))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, name), { minLength: 1, maxLength: 30 }), async (names) => {
      await pool.query('DELETE FROM radius_auth_log')
      const authLog = new AuthLog({ pool, isUp: () => true, clock, log })
      const entries = new AuthEntries()
      for (const [at, [login, station]] of names.entries())
        entries.add(
          'wrongPassword',
          request(login, station, Buffer.from(`\t${at}`)),
          at,
          null,
          clock.now().getTime() + at,
        )
      authLog.take(entries.take()!.entries, 0)
      await authLog.flush()
      const { rows } = await pool.query<{ nas_id: string; login: string; port: string }>(
        'SELECT nas_id, login, port FROM radius_auth_log ORDER BY at',
      )
      t.strictSame(
        rows,
        names.map(([login], at) => ({ nas_id: String(at), login: shown(login), port: `\t${at}` })),
      )
    }),
    { numRuns: 40, seed: 23 },
  )
})
