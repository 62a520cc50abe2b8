import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { emptyFolder, query, until } from '../app/processes.ts'
import { freeUdpPort } from '../support/free-port.ts'
import { openProgram } from '../support/opened-program.ts'
import { ruble } from '../support/provider.ts'
import { fetch } from '../support/published.ts'
import { filesParent, Machine, machineSkip } from './uml/machine.ts'
import { serveOctets, useOctets, uploaded, downloaded } from './uml/octets.ts'

const secret = 'testing123'
const lnsIp = '192.0.2.1'
const gatewayIp = '10.0.0.1'

/** How each client dials. */
const clients = {
  stranger: ['user ivan', 'password wrong'],
  ivan: ['user ivan', 'password word'],
  oleg: ['user oleg', 'password word', 'refuse-chap', 'refuse-mschap', 'refuse-mschap-v2', 'refuse-eap'],
} as const
type Client = keyof typeof clients

/** Asks l2tpns at its command line for what it has counted. */
const showSessions = `
use IO::Socket::INET;
my $cli = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => 23) or die $!;
print $cli "show session\\r\\nexit\\r\\n";
local $/;
print <$cli> =~ s/[^ -~\\n]//gr;
`

/** l2tpns as NAS, and xl2tpd with pppd as client in a network namespace of its own. */
class L2tp {
  readonly #machine: Machine
  readonly #folder: string

  constructor(t: Test, machine: Machine, authPort: number) {
    this.#machine = machine
    this.#folder = emptyFolder(t, filesParent)
    const ppp = ['noauth', 'nolock', 'noipv6', 'logfile /dev/console', `ip-up-script ${this.#path('ip-up')}`]
    const files = {
      'startup-config': `
set debug 3
set pid_file "/run/l2tpns.pid"
set hostname "uml"
set primary_radius ${machine.hostIp}
set primary_radius_port ${authPort}
set radius_secret "${secret}"
set radius_authtypes "chap,pap"
set radius_accounting yes
set radius_interim 2
set radius_dae_port 3799
set bind_address ${lnsIp}
set iftun_address ${gatewayIp}
set peer_address ${gatewayIp}
set cluster_interface "lns"
set ppp_restart_time 1
set cluster_hb_interval 1
set cluster_hb_timeout 15
set cli_bind_address 127.0.0.1
`,
      ip_pool: '10.0.0.0/24\n',
      users: '',
      'xl2tpd.conf': [
        '[global]\naccess control = no\n',
        ...Object.keys(clients).map((name) => `[lac ${name}]\nlns = ${lnsIp}\npppoptfile = ${this.#path(name)}\n`),
      ].join(''),
      'serve.pl': serveOctets,
      'use.pl': useOctets(gatewayIp),
      'show.pl': showSessions,
      ...Object.fromEntries(
        Object.entries(clients).map(([name, own]) => [
          name,
          [...ppp, `ip-down-script ${this.#path('ip-down')}`, `ipparam ${name}`, ...own, ''].join('\n'),
        ]),
      ),
    }
    for (const [name, text] of Object.entries(files)) writeFileSync(this.#path(name), text)
    for (const [name, event] of [
      ['ip-up', 'up as $4'],
      ['ip-down', 'down'],
    ] as const)
      writeFileSync(this.#path(name), `#!/bin/sh\nprintf '\\n%s\\n' "$6 is ${event}" >/dev/console\n`, { mode: 0o755 })
  }

  /** Resolves when l2tpns takes tunnels. */
  async open(): Promise<void> {
    const inClient = 'ip netns exec client'
    for (const command of [
      'echo 1 >/proc/sys/vm/overcommit_memory',
      'ip netns add client',
      'ip link add lac type veth peer name lns',
      'ip link set lac netns client',
      `ip addr add ${lnsIp}/24 dev lns`,
      'ip link set lns up',
      `${inClient} ip addr add 192.0.2.2/24 dev lac`,
      `${inClient} ip link set lac up`,
      `cp ${this.#path('*')} /etc/l2tpns`,
      '(l2tpns >/dev/console 2>&1; echo l2tpns ended) &',
    ])
      await this.#machine.run(command)
    await this.#machine.line(/I am declaring myself the master/)
    await this.#machine.run(`perl ${this.#path('serve.pl')} &`)
    await this.#machine.run('mkdir /run/xl2tpd')
    const files = `-c ${this.#path('xl2tpd.conf')} -p /run/xl2tpd.pid -C /run/xl2tpd/control`
    await this.#machine.run(`${inClient} xl2tpd -D ${files} >/dev/console 2>&1 &`)
    // By then it hears what is written to its control file.
    await this.#machine.line(/Listening on IP address/)
  }

  dial = (client: Client) => this.#machine.run(`echo 'c ${client}' >/run/xl2tpd/control`)
  close = (client: Client) => this.#machine.run(`echo 'd ${client}' >/run/xl2tpd/control`)
  line = (pattern: RegExp) => this.#machine.line(pattern)
  /** Sends and receives some through the connection. */
  use = () => this.#machine.run(`ip netns exec client perl ${this.#path('use.pl')}`)

  /** Octets of the login's session, as l2tpns itself counts them. */
  async counted(login: string): Promise<{ input_octets: string; output_octets: string }> {
    const shown = await this.#machine.run(`perl ${this.#path('show.pl')}`)
    const [, output, input] = new RegExp(`${login} +[0-9.]+ +(?:[NY] +){4}\\d+ +(\\d+) +(\\d+)`).exec(shown)!
    return { input_octets: input!, output_octets: output! }
  }

  #path = (name: string): string => join(this.#folder, name)
}

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
    TOLLGATE_SETTING_SYSTEM_API_PASSWORD: secret,
  })
  const made = async (model: string, record: object) => {
    const { status, body } = await program.rest('POST', `/rest_api/v2/${model}/`, record)
    if (status !== 201) throw new Error(`${model} was refused: ${JSON.stringify(body)}`)
    return body
  }
  await made('Nas', { name: 'l2tpns', ip: machine.ip, secret })
  const tariff = await made('Tarif', { name: 'Home 100', price: 600 * ruble })
  for (const [login, ip] of Object.entries({ ivan: '10.0.0.5', oleg: '10.0.0.6' })) {
    const abonent = await made('Abonents', { name: login, contract_number: login, tarif: tariff.id })
    await made('Users', { abonent: abonent.id, login, password: 'word', ip })
  }
  const sessions = () =>
    query(
      program.databaseUrl!,
      'SELECT login, framed_ip, input_octets, output_octets, terminate_cause, end_reason FROM radius_sessions ORDER BY id',
    )
  const l2tp = new L2tp(t, machine, authPort)
  await l2tp.open()

  await l2tp.dial('stranger')
  await l2tp.line(/Authentication rejected for ivan/)
  t.strictSame(await sessions(), [], 'a wrong password')

  await l2tp.dial('ivan')
  t.match(await l2tp.line(/^ivan is up/), 'ivan is up as 10.0.0.5', 'CHAP')
  await l2tp.use()
  await program.stop()
  await program.start()
  await l2tp.use()
  // The next Interim-Update.
  await until(async () => {
    const { input_octets, output_octets } = (await sessions())[0]!
    const counted = await l2tp.counted('ivan')
    return input_octets === counted.input_octets && output_octets === counted.output_octets
  })
  const cut = await fetch(`${program.address.http}/system_api/sessions/disconnect/`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-System-Password': secret },
    body: JSON.stringify({ login: 'ivan' }),
  })
  t.match(await cut.json(), { status: 'ok', sent: 1 })
  await l2tp.line(/^ivan is down/)
  await until(async () => (await sessions())[0]!.terminate_cause !== null)

  await l2tp.dial('oleg')
  t.match(await l2tp.line(/^oleg is up/), 'oleg is up as 10.0.0.6', 'PAP')
  await l2tp.use()
  await l2tp.close('oleg')
  await l2tp.line(/^oleg is down/)
  await until(async () => (await sessions())[1]!.end_reason !== null)
  // The Stop and the Disconnect-ACK come together.
  const isOver = { terminate_cause: 'Admin-Reset', end_reason: /^(Disconnect-ACK|Admin-Reset)$/ }
  const [ivan, oleg] = await sessions()
  t.match(
    [ivan, oleg],
    [
      { login: 'ivan', framed_ip: '10.0.0.5', ...isOver },
      { login: 'oleg', framed_ip: '10.0.0.6', ...isOver },
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
