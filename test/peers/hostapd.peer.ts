// needs hostapd from hostapd
// needs wpa_supplicant from wpasupplicant
// needs /usr/sbin/freeradius from freeradius
// needs radclient from freeradius-utils
// needs openssl from openssl
// needs setpriv from util-linux
// changes the network: a cable to this machine
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { emptyFolder, Process, query } from '../app/processes.ts'
import { makeCertificate } from '../support/certificate.ts'
import { freeUdpPort } from '../support/free-port.ts'
import { Machine, machinesMissing } from '../support/machines.ts'
import { type OpenedProgram, openProgram } from '../support/opened-program.ts'
import { systemPassword } from '../support/program.ts'
import { ruble } from '../support/provider.ts'
import { radclient } from '../support/radclient.ts'
import { freeradius, hostapd, type Method, type Place, secret, supplicant } from './hostapd/configurations.ts'
import { until } from '../support/until.ts'

/**
 * A port of a switch that is closed by 802.1X: hostapd is the NAS at one end of a cable, wpa_supplicant the client at
 * the other. Tollgate has no EAP, so FreeRADIUS ends the tunnel of EAP and asks Tollgate for what is within, as
 * providers do it. The wired driver of hostapd counts no octets, only time.
 */

const signed = 'Message-Authenticator = 0x00'

async function openPlace(nas: Machine): Promise<Place> {
  const link = await nas.uplink()
  const free = () => freeUdpPort(link.here)
  const tollgate = { auth: await free(), acct: await free() }
  return { ...link, ...tollgate, proxyAuth: await free(), proxyAcct: await free(), das: 3799 }
}

async function startFreeradius(t: Test, folder: string, place: Place): Promise<void> {
  const raddb = join(folder, 'raddb')
  mkdirSync(raddb)
  await makeCertificate(folder, 'proxy')
  writeFileSync(join(raddb, 'radiusd.conf'), freeradius(folder, place))
  writeFileSync(join(raddb, 'dictionary'), '')
  const server = new Process(t, ['-fxx', '-l', 'stdout', '-d', raddb], {}, '/usr/sbin/freeradius')
  await server.line(/Ready to process requests/)
}

/** Three logins share a pool of two addresses. */
async function provide(program: OpenedProgram, { here, there, das }: Place): Promise<void> {
  await program.create('Nas', { name: 'proxy', ip: here, secret, coa_ip: there, coa_port: das })
  const tariff = await program.create('Tarif', { name: 'Home 100', price: 600 * ruble })
  const pool = await program.create('IpPull', { name: 'two', network: '10.0.0.0/30' })
  for (const login of ['ivan', 'oleg', 'anna']) {
    await program.createLogin(login, tariff, { pool: pool.id })
  }
}

t.test('a port that hostapd guards is opened and closed by Tollgate', { skip: machinesMissing }, async (t) => {
  const folder = emptyFolder(t)
  const [nas, client] = [await Machine.open(t), await Machine.open(t)]
  await nas.cable('port', null, client, 'wire', null)
  const place = await openPlace(nas)
  const program = await openProgram(t, {
    TOLLGATE_RADIUS_HOST: place.here,
    TOLLGATE_RADIUS_AUTH_PORT: String(place.auth),
    TOLLGATE_RADIUS_ACCT_PORT: String(place.acct),
    TOLLGATE_SETTING_SYSTEM_API_PASSWORD: systemPassword,
  })
  await provide(program, place)
  await startFreeradius(t, folder, place)
  writeFileSync(join(folder, 'hostapd.conf'), hostapd(folder, place))
  const authenticator = nas.start(t, 'hostapd', join(folder, 'hostapd.conf'))
  await authenticator.line(/AP-ENABLED/)

  /** For some seconds after a failure and a logoff hostapd hears nothing of a device, so the next one is another. */
  const connect = async (device: number, method: Method, password: string) => {
    await client.run('ip', 'link', 'set', 'wire', 'address', `02:00:00:00:00:0${device}`)
    const path = join(folder, `${method}-${password}.conf`)
    writeFileSync(path, supplicant(folder, method, password))
    return client.start(t, 'wpa_supplicant', '-Dwired', '-iwire', '-c', path)
  }
  const leave = async (supplicant: Process) => {
    supplicant.child.kill()
    await supplicant.ended
  }
  const sessions = () =>
    query(
      program.databaseUrl!,
      `SELECT id, acct_session_id, login, user_id, nas_identifier, nas_port, offered_ip, session_time::int,
        end_reason, terminate_cause FROM radius_sessions ORDER BY id`,
    )
  const lastSession = async (is: (session: Record<string, unknown>) => boolean) => {
    let last: Record<string, unknown> | undefined
    await until(async () => {
      last = (await sessions()).at(-1)
      return last !== undefined && is(last)
    })
    return last!
  }
  /** What hostapd itself says of the client. */
  const counted = async () => {
    const text = await nas.run('hostapd_cli', '-p', join(folder, 'hostapd'), 'all_sta')
    const of = (name: string) => new RegExp(`^dot1xAuthSession${name}=(.*)$`, 'm').exec(text)?.[1]
    return { id: of('Id'), time: Number(of('Time')) }
  }

  const refused = await connect(1, 'TTLS', 'wrong')
  await refused.line(/CTRL-EVENT-EAP-FAILURE/)
  await leave(refused)
  t.same(await sessions(), [])

  const first = await connect(2, 'TTLS', 'word')
  await first.line(/CTRL-EVENT-EAP-SUCCESS/)
  const begun = await lastSession(() => true)
  t.match(
    begun,
    { login: 'anonymous', user_id: '1', nas_identifier: 'switch', nas_port: '7' },
    'whose it is says Class',
  )
  t.equal((await counted()).id, begun.acct_session_id)

  await program.stop()
  await program.start()
  const before = await counted()
  const updated = await lastSession((session) => Number(session.session_time) > before.time)
  t.match(updated, { id: begun.id, acct_session_id: before.id, offered_ip: begun.offered_ip, end_reason: null })
  t.ok(Number(updated.session_time) <= (await counted()).time, 'the time is that of hostapd')
  const ask = (login: string) =>
    radclient(place.auth, 'auth', [`User-Name = ${login}`, 'User-Password = word', signed], { host: place.here })
  const [oleg, anna] = [await ask('oleg'), await ask('anna')]
  t.equal(oleg.received, 'Access-Accept')
  t.not(oleg.attributes['Framed-IP-Address'], begun.offered_ip)
  t.match(anna, { received: 'Access-Reject', attributes: { 'Reply-Message': 'no free address' } })

  await program.system('sessions/disconnect/', { login: 'ivan' })
  await authenticator.line(/AP-STA-DISCONNECTED/)
  t.match(authenticator.text, /DAS: Unsupported attribute 5 in Disconnect-Request/, 'it takes no NAS-Port')
  const cut = await lastSession(({ terminate_cause }) => terminate_cause !== null)
  // The Stop, which gives no cause, and the Disconnect-ACK come together.
  t.match(cut, { id: begun.id, end_reason: /^(Disconnect-ACK|Unknown)$/ })
  const answers = () => query(program.databaseUrl!, 'SELECT result, error_cause FROM coa_requests ORDER BY id')
  await until(async () => (await answers()).length === 1)
  t.match(await answers(), [{ result: 'ack', error_cause: null }])
  await leave(first)

  // hostapd begins the first of these under the Acct-Session-Id of the one that was cut.
  for (const [device, method] of [
    [2, 'TTLS'],
    [3, 'PEAP'],
  ] as const) {
    const again = await connect(device, method, 'word')
    await again.line(/CTRL-EVENT-EAP-SUCCESS/)
    await lastSession(({ end_reason }) => end_reason === null)
    await client.run('wpa_cli', '-p', join(folder, 'supplicant'), 'logoff')
    const closed = await lastSession(({ end_reason }) => end_reason !== null)
    t.match(closed, { user_id: '1', offered_ip: begun.offered_ip, end_reason: 'User-Request' }, method)
    await leave(again)
  }
  t.match(await sessions(), [{ login: 'anonymous' }, { login: 'anonymous' }, { login: 'ivan' }])
})
