// needs linux.uml from user-mode-linux
// needs /usr/sbin/l2tpns from l2tpns
// needs /usr/sbin/xl2tpd from xl2tpd
// needs /usr/sbin/pppd from ppp
// changes the network: a tap to the machine in it
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { query } from '../app/processes.ts'
import { freeUdpPort } from '../support/free-port.ts'
import { openProgram } from '../support/opened-program.ts'
import { systemPassword } from '../support/program.ts'
import { ruble } from '../support/provider.ts'
import { L2tp } from './uml/l2tp.ts'
import { Machine, machineSkip } from './uml/machine.ts'
import { downloaded, uploaded } from './uml/octets.ts'
import { until } from '../support/until.ts'

const secret = 'testing123'
const addresses = { ivan: '10.0.0.5', oleg: '10.0.0.6' } as const

t.test('l2tpns signs its clients in, counts them and closes one', { skip: machineSkip }, async (t) => {
  const machine = await Machine.boot(t, {
    modules: ['ppp_async', 'veth', 'tun'],
    writable: ['/etc/ppp', '/etc/l2tpns'],
    megabytes: 256,
  })
  const authPort = await freeUdpPort(machine.hostIp)
  const program = await openProgram(t, {
    TOLLGATE_RADIUS_HOST: machine.hostIp,
    TOLLGATE_RADIUS_AUTH_PORT: String(authPort),
    TOLLGATE_RADIUS_ACCT_PORT: String(authPort + 1),
    TOLLGATE_SETTING_SYSTEM_API_PASSWORD: systemPassword,
  })
  await program.create('Nas', { name: 'l2tpns', ip: machine.ip, secret })
  const tariff = await program.create('Tarif', { name: 'Home 100', price: 600 * ruble })
  for (const [login, ip] of Object.entries(addresses)) await program.createLogin(login, tariff, { ip })
  const sessions = () =>
    query(
      program.databaseUrl!,
      'SELECT login, nas_port, framed_ip, input_octets, output_octets, terminate_cause, end_reason FROM radius_sessions ORDER BY id',
    )
  const l2tp = new L2tp(t, machine, secret, authPort)
  await l2tp.open()

  await l2tp.dial('stranger')
  await l2tp.line(/Authentication rejected for ivan/)
  t.strictSame(await sessions(), [], 'a wrong password')

  await l2tp.dial('ivan')
  t.equal(await l2tp.address('ivan'), addresses.ivan, 'CHAP')
  await l2tp.use()
  await program.stop()
  await program.start()
  await l2tp.use()
  // The next Interim-Update. What l2tpns shows may be older than what it has sent, so it is asked again.
  await until(async () => {
    const [session] = await sessions()
    if (!session) return false
    const { input_octets, output_octets } = session
    return isDeepStrictEqual({ input_octets, output_octets }, await l2tp.counted(session.nas_port))
  })
  t.match(await program.system('sessions/disconnect/', { login: 'ivan' }), { status: 'ok', sent: 1 })
  await l2tp.closed('ivan')
  await until(async () => (await sessions())[0]!.terminate_cause !== null)

  await l2tp.dial('oleg')
  t.equal(await l2tp.address('oleg'), addresses.oleg, 'PAP')
  await l2tp.use()
  await l2tp.close('oleg')
  await l2tp.closed('oleg')
  await until(async () => Boolean((await sessions())[1]?.end_reason))
  // The Stop and the Disconnect-ACK come together.
  const isOver = { terminate_cause: 'Admin-Reset', end_reason: /^(Disconnect-ACK|Admin-Reset)$/ }
  const [ivan, oleg] = await sessions()
  t.match(
    [ivan, oleg],
    [
      { login: 'ivan', framed_ip: addresses.ivan, ...isOver },
      { login: 'oleg', framed_ip: addresses.oleg, ...isOver },
    ],
  )
  for (const [session, uses] of [
    [ivan, 2],
    [oleg, 1],
  ] as const) {
    t.ok(Number(session!.input_octets) > uses * uploaded, `${session!.input_octets} up`)
    t.ok(Number(session!.output_octets) > uses * downloaded, `${session!.output_octets} down`)
  }
})
