/** The command on tables that import_from has filled, against what a server said as its packets and files tell it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { bareEnv, emptyFolder, Process, runCommand } from '../processes.ts'
import { testDatabaseUrl, testPool } from '../../support/database.ts'
import {
  build,
  integer,
  revealPassword,
  sealed,
  signed,
  type Tlv,
  vendorSpecific,
  zeros,
} from '../../network/radius/wire/builder.ts'
import { capture, frame, type Hop } from './frames.ts'

const secret = 'the secret of bras'
const users = `anna Cleartext-Password := "anna's word"
	Framed-IP-Address = 10.0.0.5,
	Mikrotik-Rate-Limit = "5M/10M"
boris Cleartext-Password := "boris word"
blocked Cleartext-Password := "blocked word", Auth-Type := Reject
crypt Crypt-Password := "$1$abcdefgh$cHJi5PXp/ki/ktXzqlk6I1"
`
const clients = `client bras {
  ipaddr = 192.0.2.7
  secret = "${secret}"
  nastype = mikrotik
}
`

const url = await testDatabaseUrl(t)
const folder = emptyFolder(t)
const surroundings = { TOLLGATE_DATA_DIR: join(folder, 'data'), DATABASE_URL: url }
mkdirSync(join(folder, 'raddb'))
writeFileSync(join(folder, 'raddb', 'users'), users)
writeFileSync(join(folder, 'raddb', 'clients.conf'), clients)
const moved = await runCommand(['import_from', 'freeradius_files', join(folder, 'raddb'), '--apply'], surroundings)
t.equal(moved.status, 0, moved.text)
const client = testPool(t, url, 1)

const hop: Hop = { from: '192.0.2.7', to: '192.0.2.1', ports: [40_000, 1812] }
const back = ({ from, to, ports: [source, port] }: Hop): Hop => ({ from: to, to: from, ports: [port, source] })

type Exchange = {
  readonly login: string
  readonly password?: string
  readonly says: 'accept' | 'reject' | 'challenge'
  readonly reply?: readonly Tlv[]
  readonly from?: string
  /** Of the packets, where it is not that of the NAS. */
  readonly requestSecret?: string
  readonly replySecret?: string
  readonly isUnsigned?: boolean
  readonly eap?: boolean
}

const codes = { accept: 2, reject: 3, challenge: 11 } as const
const speed = (rate: string): Tlv => vendorSpecific(14_988, [8, rate])
const interim: Tlv = [85, integer(300)]
const address = (last: number): Tlv => [8, Buffer.from([10, 0, 0, last])]

/** One block of RFC 2865 section 5.2 is hidden as it is revealed. */
const hidden = (password: string, asked: Buffer, by: string) =>
  revealPassword(Buffer.concat([Buffer.from(password), zeros(16)]).subarray(0, 16), asked, by)

function framesOf(one: Exchange, index: number): Buffer[] {
  const { login, password = '', reply = [], from = '192.0.2.7', requestSecret = secret, replySecret = secret } = one
  const asked = Buffer.alloc(16, index + 1)
  const proof: Tlv[] = one.eap ? [[79, Buffer.from([2, 1, 0, 5, 1])]] : [[2, hidden(password, asked, requestSecret)]]
  const list: Tlv[] = [[80, zeros(16)], [1, login], ...proof]
  const request = one.isUnsigned
    ? build(1, index, asked, list.slice(1))
    : sealed(build(1, index, asked, list), asked, requestSecret)
  const answer = signed(build(codes[one.says], index, zeros(16), reply), asked, replySecret)
  const way = { ...hop, from }
  return [frame(way, request), frame(back(way), answer)]
}

function fileOf(name: string, exchanges: readonly Exchange[]): string {
  const path = join(folder, name)
  writeFileSync(path, capture(exchanges.flatMap(framesOf)))
  return path
}

type Report = {
  requests: number
  same: number
  differing: number
  passwords_unknown: number
  differences: {
    kind: string
    detail: string
    count: number
    examples: { login: string; there: string; here: string }[]
  }[]
  not_compared: Record<string, number>
  unknown_nas: { address: string; count: number }[]
}

async function shadow(source: 'pcap' | 'detail', path: string, ...options: string[]) {
  const { status, text } = await runCommand(['shadow', source, path, '--json', ...options], surroundings)
  return { status, report: JSON.parse(text) as Report, text }
}

const kindsOf = ({ differences }: Report) => differences.map(({ kind, detail, count }) => `${kind} ${detail} ${count}`)

const agreed: readonly Exchange[] = [
  { login: 'boris', password: 'boris word', says: 'accept', isUnsigned: true },
  // The same speed in other units, as Tollgate writes it.
  { login: 'anna', password: "anna's word", says: 'accept', reply: [address(5), speed('5000k/10000k')] },
  { login: 'anna', password: 'wrong', says: 'reject', reply: [[18, 'go away']] },
  { login: 'crypt', password: 'secret', says: 'accept', reply: [[25, 'a class'], interim] },
  { login: 'crypt', password: 'another', says: 'reject' },
  { login: 'nobody', password: 'x', says: 'reject' },
  { login: 'blocked', password: 'blocked word', says: 'reject' },
]

t.test('a server that says the same', async (t) => {
  const { status, report, text } = await shadow('pcap', fileOf('same.pcap', agreed))
  t.equal(status, 0, text)
  t.match(report, { requests: agreed.length, same: agreed.length, differing: 0, differences: [], not_compared: {} })
})

t.test('each difference is told with the reason, and nothing is written or given away', async (t) => {
  const before = await contents()
  const file = fileOf('different.pcap', [
    { login: 'boris', password: 'boris word', says: 'accept', replySecret: 'of somebody else', isUnsigned: true },
    { login: 'blocked', password: 'blocked word', says: 'accept' },
    { login: 'nobody', password: 'what nobody knows', says: 'accept' },
    { login: 'boris', password: 'boris word', says: 'reject', reply: [[18, 'no \u001b[31mmoney']] },
    { login: 'anna', password: "anna's word", says: 'accept', reply: [address(6), speed('5M/20M')] },
    { login: 'boris', password: 'boris word', says: 'accept', requestSecret: 'another', replySecret: 'another' },
    { login: 'boris', says: 'challenge', eap: true },
    { login: 'boris', says: 'accept', eap: true },
    { login: 'boris', password: 'boris word', says: 'challenge' },
    { login: 'boris', password: 'boris word', says: 'accept', from: '198.51.100.9' },
  ])
  const list = join(folder, 'list.csv')
  const { status, report, text } = await shadow('pcap', file, '--differences', list)
  t.equal(status, 1)
  t.strictSame(kindsOf(report), [
    'rejected_here blocked_operator 1',
    'rejected_here eap_not_offered 1',
    'rejected_here unknown_login 1',
    'silent_here badMessageAuthenticator 1',
    'other_secret bras 1',
    'accepted_here  1',
    'attribute Framed-IP-Address 1',
    'attribute speed 1',
  ])
  t.match(report, {
    ...{ requests: 10, same: 0, differing: 7 },
    not_compared: { eap: 1, challenge: 1, unknown_nas: 1 },
    unknown_nas: [{ address: '198.51.100.9', count: 1 }],
  })
  t.match(
    report.differences.flatMap(({ examples }) => examples),
    [
      { login: 'blocked', there: 'Access-Accept', here: 'Access-Reject, blocked: by the operator' },
      { login: 'boris', here: /EAP is not offered/ },
      { login: 'nobody', here: /unknown login or wrong password/ },
      { login: 'boris', here: /another secret/ },
      { login: 'boris', here: /another secret/ },
      { login: 'boris', there: /^Access-Reject, /, here: 'Access-Accept' },
      { login: 'anna', there: '10.0.0.6', here: '10.0.0.5' },
      { login: 'anna', there: '20 Mbit/s down, 5 Mbit/s up', here: '10 Mbit/s down, 5 Mbit/s up' },
    ],
  )
  const lines = readFileSync(list, 'utf8').trimEnd().split('\r\n')
  t.equal(lines.length, 9)
  const plain = await runCommand(['shadow', 'pcap', file], surroundings)
  t.match(plain, { status: 1, text: /^10 Access-Requests, 1970-01-01 00:16:40 to .* UTC\n {2}0 would be answered as/ })
  t.match(
    plain.text,
    'accepted there, rejected here: blocked_operator\n  1970-01-01 00:16:42 blocked at bras: there Access-Accept',
  )
  t.notMatch(plain.text, '\u001b', 'nothing that a terminal could interpret')
  for (const told of [text, plain.text, lines.join()])
    t.notMatch(told, /(boris|blocked|anna's) word|what nobody knows|the secret of bras|of somebody else/)
  t.strictSame(await contents(), before)
})

const request = (second: number, login: string, ...lines: string[]) =>
  [
    `Sat Nov 28 16:00:0${second} 2026`,
    '\tPacket-Type = Access-Request',
    `\tUser-Name = "${login}"`,
    ...lines,
    '',
    '',
  ].join('\n')
const reply = (second: number, type: string, ...lines: string[]) =>
  [`Sat Nov 28 16:00:0${second} 2026`, `\tPacket-Type = Access-${type}`, ...lines, '', ''].join('\n')

t.test('detail files without passwords are judged but for these', async (t) => {
  const radacct = join(folder, 'radacct')
  mkdirSync(join(radacct, '192.0.2.7'), { recursive: true })
  const write = (requests: string, replies: string) => {
    writeFileSync(join(radacct, '192.0.2.7', 'auth-detail-20261128'), requests)
    writeFileSync(join(radacct, '192.0.2.7', 'reply-detail-20261128'), replies)
  }
  const attributes = ['\tFramed-IP-Address = 10.0.0.5', '\tMikrotik-Rate-Limit = "5M/10M"']
  write(
    request(1, 'anna') + request(2, 'boris') + request(3, 'blocked') + request(4, 'crypt') + request(5, 'boris'),
    reply(1, 'Accept', ...attributes) + reply(2, 'Reject') + reply(3, 'Reject') + reply(4, 'Accept'),
  )
  const same = await shadow('detail', radacct)
  t.match(same, {
    status: 0,
    report: { requests: 5, same: 3, passwords_unknown: 3, not_compared: { password: 1, unanswered: 1 } },
  })
  write(
    // The challenge of CHAP was the Request Authenticator, which is not written.
    request(1, 'crypt', `\tCHAP-Password = 0x01${'00'.repeat(16)}`) +
      request(2, 'anna', '\tUser-Password = "wrong"') +
      request(3, 'blocked'),
    reply(1, 'Accept') + reply(2, 'Accept', ...attributes) + reply(3, 'Accept'),
  )
  const other = await shadow('detail', join(radacct, '192.0.2.7', 'auth-detail-20261128'))
  t.equal(other.status, 1)
  t.strictSame(kindsOf(other.report), [
    'rejected_here blocked_operator 1',
    'rejected_here chap_with_hash 1',
    'rejected_here wrong_password 1',
  ])
})

t.test('a capture that is piped in, and what cannot be compared', async (t) => {
  const path = fileOf('piped.pcap', agreed)
  const piped = await runPiped(path)
  t.match(piped, { status: 0, text: /7 would be answered as they were there/ })
  const refused: [string[], RegExp][] = [
    [['shadow', 'detail', join(folder, 'raddb')], /has no auth-detail-\*: FreeRADIUS writes it where auth_log stands/],
    [['shadow', 'detail', '/none'], /There is no file \/none/],
    [['shadow', 'pcap', '/none'], /There is no file \/none/],
    [['shadow', 'pcap', join(folder, 'raddb', 'users')], /This is no capture/],
    [['shadow', 'mail', 'x'], /There is no source "mail"; there are detail and pcap/],
    [['shadow', 'pcap'], /<from> is missing/],
    [['shadow', 'pcap', path, '--port', 'x'], /--port is a number/],
    [['shadow', 'pcap', path, '--port', '1645'], /0 Access-Requests[\s\S]*has no sign-in that could be compared/],
    [['shadow', 'pcap', path, '--differences', '/none/list.csv'], /cannot be written/],
    [['shadow', 'pcap', path, '--differences', '/dev/full'], /\/dev\/full cannot be written: ENOSPC/],
  ]
  for (const [args, sentence] of refused)
    t.match(await runCommand(args, surroundings), { status: 2, text: sentence }, args.join(' '))
  const damaged = join(folder, 'damaged.pcap')
  writeFileSync(damaged, Buffer.concat([readFileSync(path), Buffer.alloc(16, 0xff)]))
  t.match(await runCommand(['shadow', 'pcap', damaged], surroundings), {
    status: 2,
    text: /7 Access-Requests[\s\S]*damaged: packet 15/,
  })
})

async function runPiped(path: string): Promise<{ status: number | null; text: string }> {
  const child = new Process(t, ['src/main.ts', 'shadow', 'pcap', '-'], { env: { ...bareEnv, ...surroundings } })
  child.child.stdin!.end(readFileSync(path))
  const { status } = await child.ended
  return { status, text: child.text }
}

/** A digest of the rows of each table. */
async function contents(): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT quote_ident(table_name) AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`,
  )
  const parts = rows.map(
    ({ name }) =>
      `SELECT '${name}' AS name, md5(coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '')) AS sum FROM ${name} AS t`,
  )
  const found = await client.query<{ name: string; sum: string }>(parts.join('\nUNION ALL\n'))
  return Object.fromEntries(found.rows.map(({ name, sum }) => [name, sum]))
}
