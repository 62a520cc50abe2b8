import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { emptyFolder } from '../../app/processes.ts'
import { filesParent, type Machine } from './machine.ts'
import { serveOctets, useOctets } from './octets.ts'

const lnsIp = '192.0.2.1'
const gatewayIp = '10.0.0.1'

/** How each client dials. */
const clients = {
  stranger: ['user ivan', 'password wrong'],
  ivan: ['user ivan', 'password word'],
  oleg: ['user oleg', 'password word', 'refuse-chap', 'refuse-mschap', 'refuse-mschap-v2', 'refuse-eap'],
} as const
type Client = keyof typeof clients

/**
 * A pipe of what the client's pppd says, which comes to the console behind the client's name. No ip-down script tells
 * that a connection is closed: xl2tpd ends pppd by SIGTERM after its hangup, and pppd then kills a script that still runs.
 */
const logOf = (client: string): string => `/run/${client}.log`

/** Asks l2tpns at its command line for what it has counted of a session. The list of all of them takes it seconds. */
const showSession = `
use IO::Socket::INET;
my $cli = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => 23) or die $!;
print $cli "show session $ARGV[0]\\r\\nexit\\r\\n";
local $/;
print <$cli> =~ s/[^ -~\\n]//gr;
`

/** l2tpns as NAS, and xl2tpd with pppd as client in a network namespace of its own. */
export class L2tp {
  readonly #machine: Machine
  readonly #folder: string

  /** `secret` and `authPort` are those of the RADIUS server at the machine's other end; it takes accounting one port on. */
  constructor(t: Test, machine: Machine, secret: string, authPort: number) {
    this.#machine = machine
    this.#folder = emptyFolder(t, filesParent)
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
      'show.pl': showSession,
      ...Object.fromEntries(
        Object.entries(clients).map(([name, own]) => [
          name,
          ['noauth', 'nolock', 'noipv6', `logfile ${logOf(name)}`, ...own, ''].join('\n'),
        ]),
      ),
    }
    for (const [name, text] of Object.entries(files)) writeFileSync(this.#path(name), text)
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
      ...Object.keys(clients).flatMap((name) => [
        `mkfifo ${logOf(name)}`,
        `sed -u 's/^/${name}: /' ${logOf(name)} >/dev/console &`,
      ]),
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
  /** Resolves with the client's address when its connection is up. */
  async address(client: Client): Promise<string> {
    const line = await this.line(new RegExp(`${client}: local +IP address`))
    return line.split(' ').at(-1)!
  }
  /** Resolves when the client's connection is closed. */
  closed = (client: Client) => this.line(new RegExp(`${client}: Connection terminated`))
  /** Sends and receives some through the connection. */
  use = () => this.#machine.run(`ip netns exec client perl ${this.#path('use.pl')}`)

  /** Octets of a session, as l2tpns itself counts them, in the words of its client. Its id is the NAS-Port. */
  async counted(id: unknown): Promise<{ input_octets: string | undefined; output_octets: string | undefined }> {
    const shown = await this.#machine.run(`perl ${this.#path('show.pl')} ${id}`)
    const [, received, sent] = /Bytes In\/Out:(\d+)\/(\d+)/.exec(shown) ?? []
    return { input_octets: sent, output_octets: received }
  }

  #path = (name: string): string => join(this.#folder, name)
}
