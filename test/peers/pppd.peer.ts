// needs linux.uml from user-mode-linux
// needs /usr/sbin/pppd from ppp
// changes the network: a tap to the machine in it
import t from 'tap'
import { query } from '../app/processes.ts'
import { DatabaseTime } from '../support/database-time.ts'
import { testDatabaseUrl } from '../support/database.ts'
import { freeUdpPort } from '../support/free-port.ts'
import { reopenProgram } from '../support/opened-program.ts'
import { RunningProgram, type TestProgram } from '../support/program.ts'
import { ruble } from '../support/provider.ts'
import { Machine, machineSkip } from './uml/machine.ts'
import { downloaded, uploaded } from './uml/octets.ts'
import { Pppd } from './uml/pppd.ts'
import { until } from '../support/until.ts'

const secret = 'testing123'
const clients = {
  petr: { ip: '10.0.0.5', radius_reply: [] },
  ivan: { ip: '10.0.0.6', radius_reply: [] },
  oleg: { ip: '10.0.0.7', radius_reply: [{ name: 'Session-Timeout', value: '2' }] },
} as const

t.test('pppd signs its clients in and counts them', { skip: machineSkip }, async (t) => {
  const machine = await Machine.boot(t, { modules: ['ppp_async', 'ppp_mppe'], writable: ['/etc/ppp'] })
  const ports = { auth: await freeUdpPort(machine.hostIp), acct: await freeUdpPort(machine.hostIp) }
  const url = await testDatabaseUrl(t)
  const time = await DatabaseTime.open(url)
  const killed = new RunningProgram({
    DATABASE_URL: url,
    TOLLGATE_RADIUS_HOST: machine.hostIp,
    TOLLGATE_RADIUS_AUTH_PORT: String(ports.auth),
    TOLLGATE_RADIUS_ACCT_PORT: String(ports.acct),
    TOLLGATE_RADIUS_WORKERS: '1',
    TOLLGATE_SETTING_RADIUS_INTERIM_INTERVAL: '600',
  })
  t.teardown(async () => {
    await killed.kill()
    killed.remove()
  })
  let program: TestProgram = await killed.start()
  const nas = await program.create('Nas', { name: 'pppd', ip: machine.ip, secret })
  const tariff = await program.create('Tarif', { name: 'Home 100', price: 600 * ruble })
  for (const [login, fields] of Object.entries(clients)) {
    await program.createLogin(login, tariff, fields)
  }
  const sessions = () =>
    query(
      program.databaseUrl!,
      'SELECT login, framed_ip, input_octets, output_octets, end_reason FROM radius_sessions ORDER BY id',
    )
  const aheadOfDatabase = async () => (await program.rest('GET', '/admin/nodes/')).body.nodes[0].clock_offset_ms
  /** So many seconds have passed by the clock of the database when the program looks for silent sessions. */
  const sweepAt = async (...ahead: number[]) => {
    for (const seconds of ahead) {
      await time.set(seconds * 1000)
      await until(async () => Math.abs((await aheadOfDatabase()) + seconds * 1000) < 10_000)
      await until(async () => {
        const { status, body } = await program.rest('POST', '/admin/jobs/close_silent_sessions/run')
        // The clock that was moved on may have begun it already, of which nobody knows by which time.
        if (status !== 200 && body.code !== 'conflict') throw new Error(JSON.stringify(body))
        return status === 200
      })
    }
  }
  const ppp = new Pppd(t, machine, secret, ports)
  await ppp.open(Object.keys(clients))

  for (const method of ['pap', 'chap', 'mschap-v2'] as const) {
    const refused = await ppp.dial(method, 'ivan', 'wrong')
    // The server may have hung up before the client leaves for what it was told.
    t.ok([11, 16].includes(refused.status), method)
    t.match(refused.text, /authentication failed for ivan|ivan failed CHAP authentication/)
  }
  t.strictSame(await sessions(), [], 'a wrong password')

  t.match(await ppp.dial('mschap-v2', 'petr', 'word', 'require-mppe-128'), { status: 0 }, 'MS-CHAP v2')
  t.match(await ppp.dial('chap', 'ivan', 'word'), { status: 0 }, 'CHAP')
  t.match(await ppp.dial('pap', 'oleg', 'word'), { status: 0 }, 'PAP')
  for (const client of ['petr', 'ivan'] as const)
    t.match(await ppp.addressesOf(client), `inet ${clients[client].ip} peer 10.0.0.1/32`)
  // What passes is encrypted by the keys that the server's end got in the Access-Accept.
  await ppp.use('petr')
  // The time of oleg may be up while nobody hears it.
  await killed.kill()
  program = await reopenProgram(t, killed)
  await ppp.use('petr')
  await ppp.counted('oleg')
  await until(async () => (await sessions())[2]?.end_reason !== null)
  t.match(await sessions(), [
    { end_reason: null },
    { end_reason: null },
    { login: 'oleg', end_reason: 'Session-Timeout' },
  ])

  await sweepAt(0, 500, 1000, 1500, 2000)
  t.match(await sessions(), [{ end_reason: null }, { end_reason: null }, {}], 'a NAS that has sent no Interim-Update')
  await program.rest('PUT', `/rest_api/v2/Nas/${nas.id}/`, { interims: 'yes' })
  // Accounting hears of it behind the answer.
  await until(async () => {
    await sweepAt(2000)
    return (await sessions())[0]?.end_reason !== null
  })
  t.match(await sessions(), [{ end_reason: 'Lost-Carrier' }, { end_reason: 'Lost-Carrier' }, {}], 'one that should')

  await ppp.close('petr')
  const { received, sent } = await ppp.counted('petr')
  await until(async () => (await sessions())[0]?.end_reason !== 'Lost-Carrier')
  const [petr] = await sessions()
  t.strictSame(petr, {
    login: 'petr',
    framed_ip: '10.0.0.5',
    input_octets: received,
    output_octets: sent,
    end_reason: 'User-Request',
  })
  t.ok(Number(received) > 2 * uploaded && Number(sent) > 2 * downloaded, `${received} up, ${sent} down`)
})
