// needs ocserv from ocserv
// needs openconnect from openconnect
// needs openssl from openssl
// needs ping from iputils-ping
// needs setpriv from util-linux
// changes the network: a cable to this machine
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { emptyFolder, query } from '../app/processes.ts'
import { makeCertificate } from '../support/certificate.ts'
import { freeUdpPort } from '../support/free-port.ts'
import { Machine, tunnelsMissing } from '../support/machines.ts'
import { MovedClock } from '../support/moved-clock.ts'
import { type OpenedProgram, openProgram } from '../support/opened-program.ts'
import { ruble } from '../support/provider.ts'
import { ocserv, radcli, tunnelScript } from './ocserv/configurations.ts'
import { until } from '../support/until.ts'

/**
 * ocserv is the NAS, and openconnect its clients. It sends an Interim-Update whenever a client connects anew, which
 * openconnect does at SIGUSR2, and otherwise once in ten seconds at most.
 */

const secret = 'testing123'
const vpnIp = '192.0.2.1'

/** Three logins share a pool of two addresses. Resolves with the account of each. */
async function provide(program: OpenedProgram, nasIp: string): Promise<Record<string, number>> {
  await program.create('Nas', { name: 'vpn', ip: nasIp, secret })
  const tariff = await program.create('Tarif', { name: 'Home 100', price: 600 * ruble })
  const pool = await program.create('IpPull', { name: 'two', network: '10.44.0.8/30' })
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
  const { here, there } = await nas.uplink()
  await nas.cable('lan', `${vpnIp}/24`, client, 'lan', '192.0.2.2/24')
  const ports = { auth: await freeUdpPort(here), acct: await freeUdpPort(here) }
  const clock = new MovedClock()
  const env = {
    TOLLGATE_RADIUS_HOST: here,
    TOLLGATE_RADIUS_AUTH_PORT: String(ports.auth),
    TOLLGATE_RADIUS_ACCT_PORT: String(ports.acct),
  }
  const program = await openProgram(t, env, clock)
  const accounts = await provide(program, there)
  await makeCertificate(folder, 'vpn')
  writeFileSync(join(folder, 'servers'), `${here} ${secret}\n`)
  writeFileSync(join(folder, 'radiusclient.conf'), radcli(folder, here, ports))
  writeFileSync(join(folder, 'ocserv.conf'), ocserv(folder, vpnIp))
  writeFileSync(join(folder, 'tunnel'), tunnelScript, { mode: 0o755 })
  const server = nas.start(t, 'ocserv', '--foreground', '--debug', '2', '--config', join(folder, 'ocserv.conf'))
  await server.line(/sec-mod initialized/)

  const signIn = (login: string, password: string) => {
    const place = ['--resolve', `vpn:${vpnIp}`, '--cafile', join(folder, 'certificate.pem'), '--no-dtls', 'https://vpn']
    const name = ['--user', login, '--passwd-on-stdin', '--non-inter']
    const process = client.start(t, 'openconnect', '-v', '--script', join(folder, 'tunnel'), ...name, ...place)
    process.child.stdin!.end(`${password}\n`)
    return process
  }
  return {
    ...{ program, accounts, clock, signIn },
    open: async (login: string) => {
      const process = signIn(login, 'word')
      const ip = (await process.line(/^The tunnel is open: /)).split(': ')[1]!
      const timesConnected = () => process.lines.filter((line) => line.startsWith('CSTP connected')).length
      const reconnect = async () => {
        const times = timesConnected()
        process.child.kill('SIGUSR2')
        await until(() => timesConnected() > times)
      }
      return { process, ip, reconnect }
    },
    /** Of the connection that is open. */
    counted: async (login: string) => {
      const users = await nas.run('occtl', '--json', '-s', join(folder, 'occtl.sock'), 'show', 'users')
      const { RX, TX } = JSON.parse(users).find(({ Username }: { Username: string }) => Username === login)
      return { input: Number(RX), output: Number(TX) }
    },
    /** Ten packets of 1028 octets each way. */
    send: () => client.run('ping', '-q', '-A', '-c', '10', '-s', '1000', '10.44.0.1'),
    sessions: () =>
      query(
        program.databaseUrl!,
        `SELECT id, login, offered_ip, nas_identifier, input_octets::int AS input, output_octets::int AS output, end_reason
        FROM radius_sessions ORDER BY id`,
      ),
  }
}

t.test('ocserv signs in and counts, and takes no Disconnect', { skip: tunnelsMissing }, async (t) => {
  const { program, accounts, clock, signIn, open, counted, send, sessions } = await openVpn(t)
  const refused = signIn('ivan', 'wrong')
  t.match(await refused.ended, { status: 1 })
  t.match(refused.text, /^unknown login or wrong password$/m)
  const ivan = await open('ivan')
  await send()
  const first = await counted('ivan')
  t.ok(first.input >= 10_280 && first.output >= 10_280, JSON.stringify(first))
  await ivan.reconnect()
  const begun = { login: 'ivan', offered_ip: ivan.ip, nas_identifier: 'ocserv', end_reason: null }
  t.match(await sessions(), [{ ...begun, ...first }])

  await program.stop()
  await send()
  const second = await counted('ivan')
  await program.start()
  await ivan.reconnect()
  const both = { input: first.input + second.input, output: first.output + second.output }
  t.match(await sessions(), [{ ...begun, ...both }], 'the same session')
  const oleg = await open('oleg')
  t.not(oleg.ip, ivan.ip, 'the address of a session is kept over a restart')
  const anna = signIn('anna', 'word')
  await anna.ended
  t.match(anna.text, /^no free address$/m)

  await program.create('FinanceOperations', { account: accounts.ivan, op_type: 9, op_summa: ruble })
  const { disconnects } = program.parts
  while (!program.log.some(({ message }) => message.startsWith('A NAS answers no Disconnect'))) {
    await ivan.reconnect()
    await until(() => {
      if (disconnects.counts.depth > 0) clock.pass(1000)
      return disconnects.counts.depth === 0
    })
  }
  t.same(disconnects.unanswered, [{ nas: 'vpn', disconnects: 4 }], 'the first one and three repeats')

  await send()
  const last = await counted('ivan')
  ivan.process.child.kill('SIGINT')
  await until(async () => (await sessions())[0]!.end_reason !== null)
  const all = { input: both.input + last.input, output: both.output + last.output }
  t.match(await sessions(), [
    { ...begun, ...all, end_reason: 'User-Request' },
    { login: 'oleg', offered_ip: oleg.ip, end_reason: null },
  ])
})
