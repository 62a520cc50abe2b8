// needs /usr/sbin/openvpn from openvpn
// needs /usr/lib/openvpn/radiusplugin.so from openvpn-auth-radius
// needs openssl from openssl
// needs ping from iputils-ping
// needs setpriv from util-linux
// changes the network: a cable to this machine
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { emptyFolder, query } from '../app/processes.ts'
import { makeCertificate } from '../support/certificate.ts'
import { Machine, tunnelsMissing } from '../support/machines.ts'
import { MovedClock } from '../support/moved-clock.ts'
import { type OpenedProgram, openProgram } from '../support/opened-program.ts'
import { ruble } from '../support/provider.ts'
import { until } from '../support/until.ts'

/**
 * OpenVPN with Debian's plugin for RADIUS is the NAS, and clients connect to it. It counts the octets of its encrypted
 * packets; the plugin reads them in the file of `status`, which is written every second here.
 */

const secret = 'testing123'
const vpnIp = '192.0.2.1'

type Link = { here: string; there: string }

/** The plugin reads four digits of a port and not more. */
const ports = { auth: 1812, acct: 1813 }

const pluginConfiguration = (folder: string, { here, there }: Link) => `
NAS-Identifier=vpn
Service-Type=5
Framed-Protocol=1
NAS-Port-Type=5
NAS-IP-Address=${there}
OpenVPNConfig=${folder}/server.conf
subnet=255.255.255.0
server
{
  authport=${ports.auth}
  acctport=${ports.acct}
  name=${here}
  retry=60
  wait=1
  sharedsecret=${secret}
}
`

/** By TCP, so that the server knows at once when a client has gone. */
const serverConfiguration = (folder: string) => `
dev tun
topology subnet
server 10.44.0.0 255.255.255.0
local ${vpnIp}
port 1194
proto tcp-server
ca ${folder}/certificate.pem
cert ${folder}/certificate.pem
key ${folder}/key.pem
dh none
verify-client-cert none
username-as-common-name
client-config-dir ${folder}/ccd
plugin /usr/lib/openvpn/radiusplugin.so ${folder}/radius.conf
status ${folder}/status 1
status-version 1
management ${folder}/management unix
`

const clientConfiguration = (folder: string, name: string, more: string) => `
client
dev tun
proto tcp-client
nobind
remote ${vpnIp} 1194
ca ${folder}/certificate.pem
auth-user-pass ${folder}/${name}.password
${more}
`

async function startServer(t: Test, nas: Machine, folder: string, link: Link) {
  await makeCertificate(folder, 'vpn')
  mkdirSync(join(folder, 'ccd'))
  writeFileSync(join(folder, 'radius.conf'), pluginConfiguration(folder, link))
  writeFileSync(join(folder, 'server.conf'), serverConfiguration(folder))
  const server = nas.start(t, '/usr/sbin/openvpn', '--config', join(folder, 'server.conf'))
  await server.line(/Initialization Sequence Completed/)
  return server
}

/** Of 200 packets each way. */
const sentOctets = 200 * 1400

type Octets = { input: number; output: number }
type Session = Octets & { login: string; framed_ip: string; end_reason: string | null }

/**
 * From and to a client, by the server's own count; none before it is connected. To be asked also wakes the server, which
 * writes nothing into the file of `status` while it has nothing else to do.
 */
async function countOf(folder: string, login: string): Promise<Octets> {
  const management = connect(join(folder, 'management'))
  management.write('status 1\n')
  const own = { input: 0, output: 0 }
  for await (const line of createInterface(management)) {
    const [name, , input, output] = line.split(',')
    if (name === login && output !== undefined) Object.assign(own, { input: Number(input), output: Number(output) })
    if (line === 'END') break
  }
  management.destroy()
  return own
}

/** All logins share a pool; the address of the server is not given out. */
async function provide(program: OpenedProgram, nasIp: string): Promise<Record<string, number>> {
  await program.create('Nas', { name: 'vpn', ip: nasIp, secret })
  const everySecond = [{ name: 'Acct-Interim-Interval', value: 1, op: '=' }]
  const tariff = await program.create('Tarif', { name: 'Home 100', price: 600 * ruble, radius_reply: everySecond })
  const pool = await program.create('IpPull', { name: 'vpn', network: '10.44.0.0/24', gateway: '10.44.0.1' })
  const accounts: Record<string, number> = {}
  for (const login of ['ivan', 'oleg', 'anna']) {
    accounts[login] = (await program.createLogin(login, tariff, { pool: pool.id })).account
  }
  return accounts
}

/** The server, its clients and Tollgate. */
async function openVpn(t: Test) {
  const folder = emptyFolder(t)
  const [nas, client] = [await Machine.open(t), await Machine.open(t)]
  const link = await nas.uplink()
  await nas.cable('lan', `${vpnIp}/24`, client, 'lan', '192.0.2.2/24')
  const clock = new MovedClock()
  const env = {
    TOLLGATE_RADIUS_HOST: link.here,
    TOLLGATE_RADIUS_AUTH_PORT: String(ports.auth),
    TOLLGATE_RADIUS_ACCT_PORT: String(ports.acct),
  }
  const program = await openProgram(t, env, clock)
  const accounts = await provide(program, link.there)
  const server = await startServer(t, nas, folder, link)
  const signIn = (login: string, password: string, more = '') => {
    writeFileSync(join(folder, `${login}.password`), `${login}\n${password}\n`, { mode: 0o600 })
    writeFileSync(join(folder, `${login}.conf`), clientConfiguration(folder, login, more))
    return client.start(t, '/usr/sbin/openvpn', '--config', join(folder, `${login}.conf`))
  }
  const sessions = (): Promise<Session[]> =>
    query(
      program.databaseUrl!,
      `SELECT login, framed_ip, input_octets::int AS input, output_octets::int AS output, end_reason
      FROM radius_sessions ORDER BY id`,
    ) as Promise<Session[]>
  return {
    ...{ program, clock, server, signIn, sessions },
    open: async (login: string, more = '') => {
      const process = signIn(login, 'word', more)
      await process.line(/Initialization Sequence Completed/)
      const ip = /net_addr_v4_add: ([\d.]+)\/24/.exec(process.text)![1]!
      return { process, ip }
    },
    send: () => client.run('ping', '-q', '-A', '-c', '200', '-s', String(sentOctets / 200), '10.44.0.1'),
    /** Until Tollgate counts so many octets each way at least, and as many as OpenVPN does. */
    counted: async (login: string, least: number): Promise<Octets> => {
      for (;;) {
        const own = await countOf(folder, login)
        const session = (await sessions()).find((one) => one.login === login)
        const isSame = session?.input === own.input && session.output === own.output
        if (isSame && own.input > least && own.output > least) return own
        await pause(20)
      }
    },
    closeAccess: (login: string) =>
      program.create('FinanceOperations', { account: accounts[login], op_type: 9, op_summa: ruble }),
  }
}

t.test(
  'OpenVPN signs in and counts, and a debtor is refused when it signs in anew',
  { skip: tunnelsMissing },
  async (t) => {
    const { program, clock, server, signIn, open, send, sessions, counted, closeAccess } = await openVpn(t)
    await signIn('ivan', 'wrong').line(/AUTH_FAILED/)
    await server.line(/Reply-Message:unknown login or wrong password/)
    const ivan = await open('ivan')
    await send()
    const first = await counted('ivan', sentOctets)
    t.match(await sessions(), [{ login: 'ivan', framed_ip: ivan.ip, end_reason: null }])

    await program.stop()
    await send()
    await program.start()
    await counted('ivan', first.input + sentOctets)
    const oleg = await open('oleg')
    t.not(oleg.ip, ivan.ip, 'the address of a session is kept over a restart')

    await closeAccess('ivan')
    const isTold = () => program.log.some(({ message }) => message.startsWith('A NAS answers no Disconnect'))
    await until(() => {
      if (program.parts.disconnects.counts.depth > 0) clock.pass(1000)
      return isTold()
    })
    t.same(program.parts.disconnects.unanswered, [{ nas: 'vpn', disconnects: 4 }], 'the first one and three repeats')
    const last = await counted('ivan', 0)
    ivan.process.child.kill()
    await until(async () => (await sessions())[0]!.end_reason !== null)
    t.match(await sessions(), [
      { login: 'ivan', framed_ip: ivan.ip, ...last, end_reason: 'Unknown' },
      { login: 'oleg', framed_ip: oleg.ip, end_reason: null },
    ])

    const anna = await open('anna', 'reneg-sec 2')
    await closeAccess('anna')
    await anna.process.line(/AUTH_FAILED/)
    await server.line(/Reply-Message:blocked: negative balance/)
    await until(async () =>
      (await sessions()).filter(({ login }) => login === 'anna').every(({ end_reason }) => end_reason),
    )
  },
)
