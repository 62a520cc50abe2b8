// needs radsecproxy from radsecproxy
// needs radclient from freeradius-utils
// needs openssl from openssl
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { emptyFolder, Process, query } from '../app/processes.ts'
import { makeCertificate } from '../support/certificate.ts'
import { freeTcpPort, freeUdpPort } from '../support/free-port.ts'
import { FakeNas } from '../support/nas.ts'
import { openProgram } from '../support/opened-program.ts'
import { systemPassword } from '../support/program.ts'
import { ruble } from '../support/provider.ts'
import { radclient } from '../support/radclient.ts'

/**
 * Two NAS stand behind one radsecproxy before Tollgate: west asks it by UDP, and east by way of another radsecproxy,
 * which speaks TLS with it. Each has a NAS record by its NAS-Identifier, and Disconnects go past the proxies.
 */

const secret = 'testing123'
const proxyIp = '127.0.0.65'
const eastIp = '127.0.0.64'

type Ports = { udp: number; tls: number; east: number; auth: number; acct: number }

/** A client, a server and where it all goes, in radsecproxy's own language. */
const configurations = (folder: string, ports: Ports) => {
  const tls = `
tls default {
  CACertificateFile ${folder}/certificate.pem
  CertificateFile ${folder}/certificate.pem
  CertificateKeyFile ${folder}/key.pem
}`
  const udpClients = `
client nas {
  host 127.0.0.0/8
  type udp
  secret ${secret}
}`
  const home = (name: string, port: number) => `
server ${name} {
  host 127.0.0.1
  port ${port}
  type udp
  secret ${secret}
}`
  return {
    before: `
ListenUDP ${proxyIp}:${ports.udp}
ListenTLS ${proxyIp}:${ports.tls}
SourceUDP ${proxyIp}
${tls}${udpClients}
client east {
  host ${eastIp}
  type tls
  secret radsec
  certificateNameCheck off
}${home('auth', ports.auth)}${home('acct', ports.acct)}
realm * {
  server auth
  accountingServer acct
}
`,
    east: `
ListenUDP ${eastIp}:${ports.east}
SourceTLS ${eastIp}
${tls}${udpClients}
server before {
  host ${proxyIp}
  port ${ports.tls}
  type tls
  secret radsec
  certificateNameCheck off
}
realm * {
  server before
  accountingServer before
}
`,
  }
}

/** Resolves when both serve; the one in the east has reached the other by then. */
async function startProxies(t: Test, ports: Ports): Promise<void> {
  const folder = emptyFolder(t)
  await makeCertificate(folder, 'proxy')
  for (const [name, text] of Object.entries(configurations(folder, ports))) {
    const path = join(folder, `${name}.conf`)
    writeFileSync(path, text)
    const proxy = new Process(t, ['-f', '-d', '2', '-c', path], {}, 'radsecproxy')
    await proxy.line(name === 'before' ? /listening for tls/ : /TLS connection to .* up$/)
    await proxy.line(/listening for udp/)
  }
}

t.test('two NAS behind radsecproxy, one by UDP and one by TLS, are told apart', async (t) => {
  const tollgate = { auth: await freeUdpPort(), acct: await freeUdpPort() }
  const program = await openProgram(t, {
    TOLLGATE_RADIUS_AUTH_PORT: String(tollgate.auth),
    TOLLGATE_RADIUS_ACCT_PORT: String(tollgate.acct),
    TOLLGATE_SETTING_SYSTEM_API_PASSWORD: systemPassword,
  })
  const ports = {
    ...{ udp: await freeUdpPort(proxyIp), tls: await freeTcpPort(), east: await freeUdpPort(eastIp) },
    ...tollgate,
  }
  await startProxies(t, ports)
  const openNas = async (identifier: string, ip: string) => {
    const nas = await FakeNas.start({ ip })
    t.teardown(() => nas.close())
    nas.entry.secret = secret
    await program.create('Nas', {
      name: identifier,
      ip: proxyIp,
      identifier,
      secret,
      coa_ip: ip,
      coa_port: nas.entry.coaPort,
    })
    return nas
  }
  const sites = {
    west: {
      login: 'ivan',
      ip: '10.0.0.5',
      at: { host: proxyIp, port: ports.udp },
      nas: await openNas('west', '127.0.0.66'),
    },
    east: {
      login: 'oleg',
      ip: '10.0.0.6',
      at: { host: eastIp, port: ports.east },
      nas: await openNas('east', '127.0.0.67'),
    },
  }
  const tariff = await program.create('Tarif', { name: 'Home 100', price: 600 * ruble })
  for (const { login, ip } of Object.values(sites)) {
    await program.createLogin(login, tariff, { ip })
  }
  const ask = (site: keyof typeof sites, kind: 'auth' | 'acct', ...more: string[]) => {
    const { login, at } = sites[site]
    return radclient(at.port, kind, [`User-Name = ${login}`, `NAS-Identifier = ${site}`, ...more], { host: at.host })
  }
  /** Both NAS number their sessions alike. */
  const account = async (site: keyof typeof sites, status: string, ...more: string[]) => {
    const answer = await ask(site, 'acct', 'Acct-Session-Id = "1"', `Acct-Status-Type = ${status}`, ...more)
    t.equal(answer.received, 'Accounting-Response', `${site} ${status}`, { answer })
  }
  const octets = (count: number) => ['Acct-Session-Time = 600', `Acct-Input-Octets = ${count}`]
  const sessions = () =>
    query(
      program.databaseUrl!,
      'SELECT login, nas_identifier, input_octets, end_reason FROM radius_sessions ORDER BY login',
    )

  for (const site of ['west', 'east'] as const) {
    const { ip } = sites[site]
    const signIn = await ask(site, 'auth', 'User-Password = word')
    t.match(signIn, { received: 'Access-Accept', attributes: { 'Framed-IP-Address': ip } }, site)
    t.equal((await ask(site, 'auth', 'User-Password = wrong')).received, 'Access-Reject')
    await account(site, 'Start')
  }
  await account('west', 'Interim-Update', ...octets(7))
  await program.stop()
  await program.start()
  await account('east', 'Interim-Update', ...octets(8))
  t.match(await sessions(), [
    { login: 'ivan', nas_identifier: 'west', input_octets: '7', end_reason: null },
    { login: 'oleg', nas_identifier: 'east', input_octets: '8', end_reason: null },
  ])

  t.match(await program.system('sessions/disconnect/', { login: 'oleg' }), { status: 'ok' })
  const [asked] = await sites.east.nas.received(1)
  t.match([asked!.code, asked!.authentic, asked!.text(1), asked!.text(44)], [40, true, 'oleg', '1'])
  await account('east', 'Stop', ...octets(9), 'Acct-Terminate-Cause = Admin-Reset')
  await account('west', 'Stop', ...octets(10), 'Acct-Terminate-Cause = User-Request')
  t.match(await sessions(), [
    { login: 'ivan', input_octets: '10', end_reason: 'User-Request' },
    { login: 'oleg', input_octets: '9' },
  ])
})
