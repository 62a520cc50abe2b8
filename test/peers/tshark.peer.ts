// needs tshark from tshark
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { nasTypes } from '../../src/domain/nas.ts'
import { challengeHash, challengeResponse, ntPasswordHash } from '../../src/network/radius/wire/ms-chap.ts'
import { emptyFolder } from '../app/processes.ts'
import { Client, secret } from '../network/radius/fixture.ts'
import { build, integer, signed, type Tlv, vendorSpecific } from '../network/radius/wire/builder.ts'
import { Capture, type Endpoint } from '../support/capture.ts'
import { type OpenedProgram, openProgram } from '../support/opened-program.ts'
import { type Json, systemPassword } from '../support/program.ts'
import { linePassword as password, ruble } from '../support/provider.ts'

/** Every NAS type asks everything there is; what was sent and answered is read by Wireshark's decoder. */

const tollgateIp = '127.0.0.1'
const asked = { auth: { ip: tollgateIp, port: 1812 }, acct: { ip: tollgateIp, port: 1813 } } as const
const coaPort = 3799

type Frame = { malformed: string; wrong: string; right: string; expert: string; code: number }

const isFaulty = ({ malformed, wrong, expert }: Frame): boolean => malformed !== '' || wrong === '1' || expert !== ''

/** One for each frame of the capture, as tshark reads it. */
async function readByTshark(t: Test, capture: Capture): Promise<Frame[]> {
  const path = join(emptyFolder(t), 'radius.pcap')
  capture.save(path)
  const fields = [
    '_ws.malformed',
    'radius.authenticator.invalid',
    'radius.authenticator.valid',
    '_ws.expert.message',
    'radius.code',
  ]
  const { stdout } = await promisify(execFile)(
    'tshark',
    [
      ...['-r', path, '-n', '-T', 'fields', ...fields.flatMap((field) => ['-e', field])],
      ...['-o', `radius.shared_secret:${secret}`, '-o', 'radius.validate_authenticator:TRUE'],
    ],
    { maxBuffer: 1 << 26 },
  )
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [malformed, wrong, right, expert, code] = line.split('\t')
      return { malformed: malformed!, wrong: wrong!, right: right!, expert: expert!, code: Number(code) }
    })
}

type Exchange = (packet: Buffer, port?: keyof typeof asked) => Promise<Json>

/** A NAS that asks, with everything it sends and gets in the capture. Its ports are those of the standards. */
async function asking(t: Test, program: OpenedProgram, ip: string, firstPort: number, capture: Capture) {
  const { authPort, acctPort } = program.address
  const client = await Client.open({ addresses: { authPort, acctPort, host: tollgateIp } }, ip)
  t.teardown(() => client.close())
  let sent = 0
  const exchange: Exchange = async (packet, port = 'auth') => {
    // Wireshark tells conversations apart by their ports alone. An identifier comes back after 256 packets.
    const from = { ip, port: firstPort + (sent++ >> 7) }
    capture.add(from, asked[port], packet)
    const answer = await client.exchange(packet, port)
    capture.add(asked[port], from, answer.bytes)
    return answer
  }
  return { client, exchange }
}

/** Answers Disconnect and CoA, always alike. */
class AnsweringNas {
  readonly codes: number[] = []
  readonly port: number
  readonly #watchers: (() => void)[] = []

  private constructor(socket: Socket, ip: string, isRefusing: boolean, capture: Capture) {
    this.port = socket.address().port
    socket.on('message', (request, { port, address }) => {
      const from: Endpoint = { ip: address, port }
      const to: Endpoint = { ip, port: coaPort }
      const cause: Tlv[] = isRefusing ? [[101, integer(503)]] : []
      const code = request[0]! + (isRefusing ? 2 : 1)
      const authenticator = request.subarray(4, 20)
      const answer = signed(build(code, request[1]!, authenticator, cause), authenticator, secret)
      capture.add(from, to, request)
      capture.add(to, from, answer)
      socket.send(answer, port, address)
      this.codes.push(request[0]!)
      for (const watcher of this.#watchers.splice(0)) watcher()
    })
  }

  static async open(t: Test, ip: string, isRefusing: boolean, capture: Capture): Promise<AnsweringNas> {
    const socket = createSocket('udp4')
    socket.bind(0, ip)
    await once(socket, 'listening')
    t.teardown(() => socket.close())
    return new AnsweringNas(socket, ip, isRefusing, capture)
  }

  async received(code: number): Promise<void> {
    while (!this.codes.includes(code)) await new Promise<void>((resolve) => this.#watchers.push(resolve))
  }
}

/** Attributes of all the kinds there are: encrypted, tagged, of vendors with long types, of addresses and prefixes. */
const manyAttributes = [
  { name: 'Tunnel-Password:2', value: 'open sesame' },
  { name: 'Tunnel-Type:2', value: 'L2TP' },
  { name: 'Alc-LI-FC', value: 7 },
  { name: 'Filter-Id', value: 'x' },
  { name: 'Cisco-AVPair', value: 'ip:addr-pool=home' },
  { name: 'Cisco-AVPair', value: 'lcp:interface-config=ip unnumbered loopback 1' },
  { name: 'Framed-Route', value: '10.7.0.0/24 0.0.0.0 1' },
  { name: 'Framed-IPv6-Prefix', value: '2001:db8:7::/64' },
  { name: 'DNS-Server-IPv6-Address', value: '2001:db8::53' },
  { name: 'ERX-Service-Activate:1', value: 'home' },
  { name: 'Session-Timeout', value: 3600 },
]

const mac = '02:00:00:00:00:07'

/** A login of each kind, and a NAS of each type. */
async function provide(t: Test, program: OpenedProgram, capture: Capture) {
  const nas = await Promise.all(
    nasTypes.map(async (type, at) => {
      const ip = `127.0.0.${80 + at}`
      const answering = await AnsweringNas.open(t, ip, at % 2 === 1, capture)
      await program.create('Nas', { name: type, ip, secret, nas_type: type, coa_port: answering.port })
      return { ip, type, answering }
    }),
  )
  const tariff = { name: 'Home', price: 600 * ruble, speed_mbit: 100 }
  const home = await program.create('Tarif', tariff)
  const garden = await program.create('Tarif', { ...tariff, name: 'Garden', walled_garden: true })
  const faster = await program.create('Tarif', { ...tariff, name: 'Faster', speed_mbit: 200 })
  const many = await program.create('Tarif', { ...tariff, name: 'Many', radius_reply: manyAttributes })
  const login = async (name: string, tarif: { id: number }, more: object = {}) => {
    const abonent = await program.create('Abonents', { name, contract_number: name, tarif: tarif.id })
    await program.create('Users', { abonent: abonent.id, login: name, password, simultaneous_use: 1000, ...more })
    return abonent
  }
  const prefixes = { ipv6_prefix: '2001:db8:1::/64', delegated_ipv6_prefix: '2001:db8:100::/56' }
  const open = await login('open', home, { ip: '10.0.0.5', ...prefixes })
  await login('many', many)
  await login('station', home, { mac })
  for (const debtor of [await login('debtor', home), await login('guest', garden)])
    await program.create('FinanceOperations', { account: debtor.account, op_type: 9, op_summa: ruble })
  return { nas, open, faster }
}

const chap = (client: Client, name: string, word: string): Buffer => {
  const [id, challenge] = [Buffer.of(9), randomBytes(16)]
  const digest = createHash('md5').update(id).update(word).update(challenge).digest()
  return client.raw([
    [1, name],
    [3, Buffer.concat([id, digest])],
    [60, challenge],
  ])
}

const msChap1 = (client: Client, name: string, word: string): Buffer => {
  const challenge = randomBytes(8)
  const nt = challengeResponse(challenge, ntPasswordHash(word))
  const response = Buffer.concat([Buffer.of(5, 1), Buffer.alloc(24), nt])
  return client.raw([[1, name], vendorSpecific(311, [11, challenge]), vendorSpecific(311, [1, response])])
}

const msChap2 = (client: Client, name: string, word: string): Buffer => {
  const [challenge, peer] = [randomBytes(16), randomBytes(16)]
  const nt = challengeResponse(challengeHash(peer, challenge, Buffer.from(name)), ntPasswordHash(word))
  const response = Buffer.concat([Buffer.of(7, 0), peer, Buffer.alloc(8), nt])
  return client.raw([[1, name], vendorSpecific(311, [11, challenge]), vendorSpecific(311, [25, response])])
}

const pap = (client: Client, name: string, word: string): Buffer =>
  client.access([
    ['User-Name', name],
    ['User-Password', word],
    ['Proxy-State', Buffer.from('west')],
  ])

const eap = (client: Client, name: string, identifier: number): Buffer =>
  client.raw([
    [1, name],
    [79, Buffer.concat([Buffer.of(2, identifier, 0, 5 + name.length, 1), Buffer.from(name)])],
  ])

const status = (client: Client): Buffer => client.raw([], randomBytes(16), 12)

/** Sign-ins of all kinds, right and wrong, and one session from its beginning to its end. */
async function askEverything({ client, exchange }: { client: Client; exchange: Exchange }, ip: string, round: number) {
  const codes: string[] = []
  const ask = async (packet: Buffer) => codes.push((await exchange(packet)).code)
  for (const method of [pap, chap, msChap1, msChap2]) {
    for (const name of ['open', 'many', 'guest', 'debtor', 'nobody']) await ask(method(client, name, password))
    await ask(method(client, 'open', 'wrong'))
  }
  for (const name of [mac, '020000000008']) await ask(pap(client, name, ''))
  await ask(eap(client, 'open', round))
  await ask(status(client))
  const account = (Status: string, more: [string, unknown][] = []) =>
    exchange(
      client.accounting([
        ['Acct-Status-Type', Status],
        ['NAS-IP-Address', ip],
        ['User-Name', 'open'],
        ['Acct-Session-Id', `${ip}-${round}`],
        ...more,
      ]),
      'acct',
    )
  await account('Start')
  await account('Interim-Update', [['Acct-Session-Time', 300]])
  await account('Stop', [['Acct-Session-Time', 400]])
  await account('Accounting-On')
  await exchange(status(client), 'acct')
  return codes
}

/** What is random in a packet, such as its authenticator, is another in each. */
const rounds = 4

t.test('Wireshark finds nothing malformed and nothing wrongly signed, of any NAS type', async (t) => {
  const program = await openProgram(t, { TOLLGATE_SETTING_SYSTEM_API_PASSWORD: systemPassword })
  const capture = new Capture()
  const { nas, open, faster } = await provide(t, program, capture)
  const clients = await Promise.all(nas.map(({ ip }, at) => asking(t, program, ip, 40_000 + 1000 * at, capture)))
  await Promise.all(
    clients.map(async (client, at) => {
      for (let round = 0; round < rounds; round++) {
        const codes = await askEverything(client, nas[at]!.ip, round)
        const accepts = codes.filter((code) => code === 'Access-Accept').length
        // Of each method: the login with prefixes, the one with many attributes, the garden; the MAC and Status-Server.
        if (accepts !== 4 * 3 + 2) t.fail(`${nas[at]!.type} got ${codes}`)
      }
      const session = [
        ['Acct-Status-Type', 'Start'],
        ['User-Name', 'open'],
        ['Acct-Session-Id', 'lasting'],
      ]
      await client.exchange(client.client.accounting(session), 'acct')
    }),
  )

  const changed = await program.rest('PUT', `/rest_api/v2/Abonents/${open.id}/`, { tarif: faster.id })
  t.equal(changed.status, 200, 'a faster tariff', changed)
  // Those that know no CoA for the speed get a Disconnect.
  await Promise.all(nas.map(({ type, answering }) => answering.received(type === 'generic' ? 40 : 43)))
  await program.system('sessions/disconnect/', { login: 'open' })
  await Promise.all(nas.map(({ answering }) => answering.received(40)))

  const frames = await readByTshark(t, capture)
  t.equal(frames.length, capture.count)
  t.ok(frames.length > 1_500, `${frames.length} packets`)
  t.same(new Set(frames.map(({ code }) => code)), new Set([1, 2, 3, 4, 5, 12, 40, 41, 42, 43, 44, 45]))
  t.strictSame(frames.filter(isFaulty), [])
  // It checks answers only, and not those to Status-Server.
  const answers = frames.filter(({ code }) => ![1, 4, 12, 40, 43].includes(code))
  const statuses = frames.filter(({ code }) => code === 12)
  t.equal(answers.filter(({ right }) => right === '1').length, answers.length - statuses.length)
})

t.test('a port of the system among those of traceroute is none of its remarks', async (t) => {
  const capture = new Capture()
  const authenticator = randomBytes(16)
  const from = { ip: '127.0.0.80', port: 33_450 }
  capture.add(from, asked.auth, build(1, 1, authenticator, [[1, 'ivan']]))
  capture.add(asked.auth, from, signed(build(2, 1, authenticator, []), authenticator, secret))
  t.strictSame((await readByTshark(t, capture)).map(isFaulty), [false, false])
})

t.test('Wireshark tells an answer that another secret signed, and attributes that do not fit', async (t) => {
  const capture = new Capture()
  const authenticator = randomBytes(16)
  const from = { ip: '127.0.0.80', port: 40_000 }
  const answers = [
    signed(build(2, 1, authenticator, [[18, 'welcome']]), authenticator, secret),
    signed(build(2, 2, authenticator, [[18, 'welcome']]), authenticator, 'another secret'),
    signed(Buffer.concat([build(2, 3, authenticator, []), Buffer.of(18, 9)]), authenticator, secret),
  ]
  answers[2]!.writeUInt16BE(22, 2)
  for (const answer of answers) {
    capture.add(from, asked.auth, build(1, answer[1]!, authenticator, [[1, 'ivan']]))
    capture.add(asked.auth, from, answer)
  }
  const frames = await readByTshark(t, capture)
  t.strictSame(frames.map(isFaulty), [false, false, false, true, false, true], 'only the second and the third answer', {
    frames,
  })
})
