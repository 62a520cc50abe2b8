// needs /usr/sbin/freeradius from freeradius
// needs radclient from freeradius-utils
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { query } from '../app/processes.ts'
import { FakeNas } from '../support/nas.ts'
import { openProgram } from '../support/opened-program.ts'
import { systemPassword } from '../support/program.ts'
import { ruble } from '../support/provider.ts'
import { radclient } from '../support/radclient.ts'
import { freeUdpPort } from '../support/free-port.ts'

/**
 * FreeRADIUS stands between Tollgate and two NAS, west and east: it forwards their requests from one address, and each
 * Disconnect to the NAS that the request names.
 */

const proxyIp = '127.0.0.60'
const secret = 'testing123'
type Site = 'west' | 'east'
const addresses = { west: '10.9.0.1', east: '10.9.0.2' } as const satisfies Record<Site, string>

type Ports = { auth: number; acct: number; coa: number; tollgateAuth: number; tollgateAcct: number }

function configuration(folder: string, ports: Ports, sites: Readonly<Record<Site, FakeNas>>): string {
  const home = (name: string, type: 'auth' | 'acct', port: number) => `
home_server ${name} {
  type = ${type}
  ipaddr = 127.0.0.1
  port = ${port}
  src_ipaddr = ${proxyIp}
  secret = ${secret}
  status_check = none
}
home_server_pool ${name} {
  home_server = ${name}
}`
  const site = (name: Site) => `
home_server ${name} {
  type = coa
  ipaddr = ${sites[name].entry.ip}
  port = ${sites[name].entry.coaPort}
  secret = "${sites[name].entry.secret}"
  coa {
    irt = 2
    mrt = 16
    mrc = 5
    mrd = 30
  }
}
home_server_pool ${name} {
  type = fail-over
  home_server = ${name}
}`
  const listen = (type: string, port: number) => `
  listen {
    type = ${type}
    ipaddr = ${proxyIp}
    port = ${port}
  }`
  const route = (name: Site) => `
    if (&NAS-IP-Address == ${addresses[name]}) {
      update control {
        &Home-Server-Pool := "${name}"
      }
    }`
  const forward = 'update control { &Proxy-To-Realm := "tollgate" }'
  return `
libdir = /usr/lib/freeradius
logdir = ${folder}
run_dir = ${folder}
db_dir = ${folder}
max_request_time = 10
security {
  allow_core_dumps = no
}
proxy server {
  default_fallback = no
}
${home('tollgate-auth', 'auth', ports.tollgateAuth)}
${home('tollgate-acct', 'acct', ports.tollgateAcct)}
${site('west')}
${site('east')}
realm tollgate {
  auth_pool = tollgate-auth
  acct_pool = tollgate-acct
  nostrip
}
client loopback {
  ipaddr = 127.0.0.0/8
  secret = ${secret}
}
thread pool {
  start_servers = 1
}
modules {
  always ok {
    rcode = ok
  }
}
server default {${listen('auth', ports.auth)}${listen('acct', ports.acct)}${listen('coa', ports.coa)}
  authorize {
    ${forward}
  }
  preacct {
    ${forward}
  }
  accounting {
    ok
  }
  recv-coa {${route('west')}${route('east')}
    ok
  }
  send-coa {
    ok
  }
}
`
}

/** Resolves when it serves, and rejects with what it says when it ends instead. */
async function startProxy(t: Test, ports: Ports, sites: Readonly<Record<Site, FakeNas>>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-proxy-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'raddb'))
  writeFileSync(join(folder, 'raddb', 'radiusd.conf'), configuration(folder, ports, sites))
  writeFileSync(join(folder, 'raddb', 'dictionary'), '')
  const proxy: ChildProcess = spawn('/usr/sbin/freeradius', ['-fxx', '-l', 'stdout', '-d', join(folder, 'raddb')])
  t.teardown(async () => {
    if (proxy.exitCode !== null) return
    proxy.kill()
    await once(proxy, 'close')
  })
  const said: string[] = []
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: proxy.stdout! }).on('line', (line) => {
      said.push(line)
      if (line.includes('Ready to process requests')) resolve()
    })
    proxy.on('close', () => reject(new Error(said.slice(-30).join('\n'))))
  })
}

t.test('two NAS behind FreeRADIUS are two, and a Disconnect comes back through it', async (t) => {
  const tollgate = { auth: await freeUdpPort(), acct: await freeUdpPort() }
  const program = await openProgram(t, {
    TOLLGATE_RADIUS_AUTH_PORT: String(tollgate.auth),
    TOLLGATE_RADIUS_ACCT_PORT: String(tollgate.acct),
    TOLLGATE_SETTING_SYSTEM_API_PASSWORD: systemPassword,
  })
  const sites = {
    west: await FakeNas.start({ id: 1, ip: '127.0.0.61' }),
    east: await FakeNas.start({ id: 2, ip: '127.0.0.62' }),
  }
  for (const site of Object.values(sites)) t.teardown(() => site.close())
  const ports = {
    ...{ auth: await freeUdpPort(proxyIp), acct: await freeUdpPort(proxyIp), coa: await freeUdpPort(proxyIp) },
    ...{ tollgateAuth: tollgate.auth, tollgateAcct: tollgate.acct },
  }
  await startProxy(t, ports, sites)

  const nas = await program.create('Nas', { name: 'proxy', ip: proxyIp, secret, coa_port: ports.coa })
  const tariff = await program.create('Tarif', { name: 'Home 100', price: 600 * ruble })
  for (const [login, ip] of Object.entries({ ivan: '10.0.0.5', oleg: '10.0.0.6' })) {
    await program.createLogin(login, tariff, { ip })
  }

  const named = (site: Site) => [`NAS-IP-Address = ${addresses[site]}`, `NAS-Identifier = "${site}"`]
  const signIn = (site: Site, login: string) =>
    radclient(ports.auth, 'auth', [`User-Name = ${login}`, 'User-Password = word', ...named(site)], { host: proxyIp })
  /** Both NAS number their sessions alike. */
  const account = async (site: Site, login: string, status: string, ...more: string[]) => {
    const about = [`User-Name = ${login}`, 'Acct-Session-Id = "1"', `Acct-Status-Type = ${status}`, ...named(site)]
    const answer = await radclient(ports.acct, 'acct', [...about, ...more], { host: proxyIp })
    t.equal(answer.received, 'Accounting-Response', `${site} ${status}`, { answer })
  }
  const sessions = () =>
    query(
      program.databaseUrl!,
      `SELECT login, nas_ip_address, nas_identifier, input_octets, end_reason FROM radius_sessions ORDER BY nas_ip_address, login`,
    )

  t.match(await signIn('west', 'ivan'), { received: 'Access-Accept', attributes: { 'Framed-IP-Address': '10.0.0.5' } })
  t.match(await signIn('east', 'oleg'), { received: 'Access-Accept', attributes: { 'Framed-IP-Address': '10.0.0.6' } })
  await account('west', 'ivan', 'Start')
  await account('east', 'oleg', 'Start')
  await account('west', 'ivan', 'Interim-Update', 'Acct-Session-Time = 600', 'Acct-Input-Octets = 7')
  await account('east', 'oleg', 'Interim-Update', 'Acct-Session-Time = 600', 'Acct-Input-Octets = 8')
  t.match(await sessions(), [
    { login: 'ivan', nas_ip_address: '10.9.0.1', nas_identifier: 'west', input_octets: '7', end_reason: null },
    { login: 'oleg', nas_ip_address: '10.9.0.2', nas_identifier: 'east', input_octets: '8', end_reason: null },
  ])
  // What is learned is stored beside the answer, not before it.
  let record = nas
  while (record.learned_interims === null) record = (await program.rest('GET', `/rest_api/v2/Nas/${nas.id}/`)).body
  t.match(record, { interims: 'auto', learned_interims: true, session_hours_max: 168 }, 'Interim-Updates are known')

  await program.stop()
  await program.start()
  await account('west', 'west', 'Accounting-On')
  t.match(await sessions(), [{ end_reason: 'NAS-Reboot' }, { end_reason: null }], 'one NAS has started anew')

  t.match(await program.system('sessions/disconnect/', { login: 'oleg' }), { status: 'ok', sent: 1 })
  const [asked] = await sites.east.received(1)
  t.match([asked!.code, asked!.authentic, asked!.text(1), asked!.text(44)], [40, true, 'oleg', '1'])
  t.equal(asked!.text(32), 'east')
  t.equal(sites.west.seen.length, 0, 'the other NAS is not asked')
  await account('east', 'oleg', 'Stop', 'Acct-Session-Time = 700', 'Acct-Input-Octets = 9')
  t.match(await sessions(), [{}, { login: 'oleg', input_octets: '9' }])

  const saved = await program.rest('PUT', `/rest_api/v2/Nas/${nas.id}/`, { comment: 'saved' })
  t.match(saved.body, { learned_interims: null }, 'a record that was saved learns anew')
})
