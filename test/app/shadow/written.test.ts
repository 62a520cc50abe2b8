import fc from 'fast-check'
import t from 'tap'
import { readRecords } from '../../../src/app/shadow/detail-records.ts'
import { type Exchange, Seen } from '../../../src/app/shadow/exchange.ts'
import { noSecret, rebuiltRequest } from '../../../src/app/shadow/request-packet.ts'
import { valueIn, writtenExchanges } from '../../../src/app/shadow/written.ts'
import { formatAddress, parseAddress } from '../../../src/network/radius/wire/address.ts'
import { inChunks } from './frames.ts'

const at = (second: number) =>
  `Sat Nov 28 16:${String(Math.floor(second / 60)).padStart(2, '0')}:${String(second % 60).padStart(2, '0')} 2026`

const record = (header: string, type: string, ...lines: string[]): string =>
  [header, `\tPacket-Type = ${type}`, ...lines.map((line) => `\t${line}`), '', ''].join('\n')
const asked = (second: number, login: string, ...lines: string[]) =>
  record(at(second), 'Access-Request', `User-Name = "${login}"`, ...lines)
const said = (second: number, type: string, ...lines: string[]) => record(at(second), `Access-${type}`, ...lines)

async function join(requests: string, replies: string, folder: string | null = '192.0.2.7', chunk = 1_000) {
  const seen = new Seen()
  const told: string[] = []
  const streams = {
    requests: inChunks(Buffer.from(requests), chunk),
    replies: inChunks(Buffer.from(replies), chunk),
    folderAddress: folder === null ? null : parseAddress(folder),
  }
  for await (const exchange of writtenExchanges(streams, seen)) told.push(shown(exchange))
  return { told, left: Object.fromEntries(seen.leftOut), others: seen.others }
}

function shown({ source, request, reply, isByOrder }: Exchange): string {
  if (request.kind !== 'written') return 'a packet'
  const type = reply?.kind === 'written' ? valueIn(reply.attributes, 'Packet-Type') : 'none'
  return `${valueIn(request.attributes, 'User-Name')} at ${formatAddress(source)}: ${type}${isByOrder ? ' by order' : ''}`
}

t.test('requests and answers of one second belong together', async (t) => {
  const requests = asked(1, 'anna') + asked(2, 'boris') + asked(3, 'clara') + asked(300, 'dora')
  const replies = said(2, 'Reject') + said(1, 'Accept', 'Framed-IP-Address = 10.0.0.1') + said(300, 'Challenge')
  const { told, left } = await join(requests, replies)
  t.strictSame(told, [
    'anna at 192.0.2.7: Access-Accept',
    'boris at 192.0.2.7: Access-Reject',
    'clara at 192.0.2.7: none',
    'dora at 192.0.2.7: Access-Challenge',
  ])
  t.strictSame(left, {})
  for (const chunk of [1, 13]) t.strictSame((await join(requests, replies, '192.0.2.7', chunk)).told, told)
})

t.test('several of one second are matched by order, or not at all', async (t) => {
  const requests = asked(1, 'anna') + asked(1, 'boris')
  const both = await join(requests, said(1, 'Accept') + said(1, 'Reject'))
  t.strictSame(both.told, ['anna at 192.0.2.7: Access-Accept by order', 'boris at 192.0.2.7: Access-Reject by order'])
  const one = await join(requests, said(1, 'Accept'))
  t.strictSame(one, { told: [], left: { ambiguous: 2 }, others: 0 })
  const none = await join(requests, said(9, 'Accept'))
  t.strictSame(none.told, ['anna at 192.0.2.7: none', 'boris at 192.0.2.7: none'])
  t.strictSame(none.left, { replyAlone: 1 })
})

t.test('the port of the NAS and a longer first line tell more than the second', async (t) => {
  const from = (port: number) => ['Packet-Src-IP-Address = 192.0.2.9', `Packet-Src-Port = ${port}`]
  const to = (port: number) => ['Packet-Dst-IP-Address = 192.0.2.9', `Packet-Dst-Port = ${port}`]
  const byPort = await join(
    asked(1, 'anna', ...from(1001)) + asked(1, 'boris', ...from(1002)),
    said(1, 'Reject', ...to(1002)) + said(1, 'Accept', ...to(1001)),
  )
  t.strictSame(byPort.told, ['anna at 192.0.2.9: Access-Accept', 'boris at 192.0.2.9: Access-Reject'])
  const line = (identifier: number) => `${at(1)} ${identifier}`
  const byLine = await join(
    record(line(7), 'Access-Request', 'User-Name = "anna"') + record(line(8), 'Access-Request', 'User-Name = "boris"'),
    record(line(8), 'Access-Reject') + record(line(7), 'Access-Accept'),
    null,
  )
  t.strictSame(byLine.left, { noAddress: 2 })
  const named = await join(
    asked(1, 'anna', 'NAS-IP-Address = 10.1.1.1').replace(at(1), line(7)),
    record(line(7), 'Access-Accept'),
    null,
  )
  t.strictSame(named.told, ['anna at 10.1.1.1: Access-Accept'])
})

t.test('a file that was cut off, or of something else, does no harm', async (t) => {
  const broken = `${at(1)}\n\tPacket-Type = Access-Request\n\tUser-Name = "an${at(2)}\n`
  const accounting = `${at(3)}\n\tAcct-Status-Type = Start\n\tUser-Name = "anna"\n\tTimestamp = 1795883033\n\n`
  const { told, left, others } = await join(
    broken + asked(4, 'boris') + accounting + asked(5, 'clara').trimEnd(),
    said(4, 'Accept'),
  )
  t.strictSame(told, ['boris at 192.0.2.7: Access-Accept'])
  t.strictSame([left, others], [{ unreadable: 2 }, 1])
  const endless = await join(`${'x'.repeat(30_000)}\n\n${asked(4, 'boris')}`, said(4, 'Accept'))
  t.strictSame(endless.told, ['boris at 192.0.2.7: Access-Accept'])
})

t.test('a sign-in that is hours behind the others is not held back', async (t) => {
  const requests = asked(3_000, 'anna') + asked(10, 'boris') + asked(3_001, 'clara')
  const { told } = await join(requests, said(3_000, 'Accept') + said(10, 'Reject') + said(3_001, 'Accept'))
  t.equal(told.length, 3)
})

t.test('values are read as FreeRADIUS escapes them', async (t) => {
  const lines = [`\tUser-Name = "a \\"b\\" \\\\ \\303\\251\\n"`, '\tCHAP-Password = 0x01ff', '\tState = 0x']
  const records = []
  for await (const one of readRecords(inChunks(Buffer.from(`${at(1)}\n${lines.join('\n')}\n\n`)))) records.push(one)
  t.strictSame(
    records[0]?.attributes.map(({ value }) => value),
    ['a "b" \\ é\n', '0x01ff', '0x'],
  )
})

t.test('whatever a file has in it, it is read or left out', async (t) => {
  const name = fc.constantFrom(
    'User-Name',
    'User-Password',
    'CHAP-Password',
    'MS-CHAP2-Response',
    'EAP-Message',
    'NAS-Identifier',
    'Packet-Type',
    'Timestamp',
    'Packet-Src-IP-Address',
  )
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom('0x', '0x01', '0xzz', '"', '"\\', 'Access-Request', '99999999999', '::', `0x${'ab'.repeat(260)}`),
  )
  const line = fc.oneof(
    fc.tuple(name, value).map(([left, right]) => `\t${left} = ${right}`),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom('', '\t', at(1), at(200), '\tPacket-Type = Access-Request', '\tPacket-Type = Access-Accept'),
  )
  const file = fc.array(line, { maxLength: 40 }).map((lines) => lines.join('\n'))
  await fc.assert(
    fc.asyncProperty(file, file, fc.integer({ min: 1, max: 100 }), async (requests, replies, chunk) => {
      const streams = {
        requests: inChunks(Buffer.from(requests), chunk),
        replies: inChunks(Buffer.from(replies), chunk),
      }
      for await (const { request } of writtenExchanges({ ...streams, folderAddress: null }, new Seen()))
        if (request.kind === 'written') rebuiltRequest(request.attributes, noSecret)
    }),
    { numRuns: 400 },
  )
  t.pass()
})
