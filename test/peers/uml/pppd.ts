import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { emptyFolder } from '../../app/processes.ts'
import { filesParent, type Machine } from './machine.ts'
import { serveOctets, useOctets } from './octets.ts'

/** What the plugin has to know of RADIUS: it comes without a dictionary, and does not understand that of radcli. */
const dictionary = `
ATTRIBUTE User-Name 1 string
ATTRIBUTE Password 2 string
ATTRIBUTE CHAP-Password 3 string
ATTRIBUTE NAS-IP-Address 4 ipaddr
ATTRIBUTE NAS-Port-Id 5 integer
ATTRIBUTE Service-Type 6 integer
ATTRIBUTE Framed-Protocol 7 integer
ATTRIBUTE Framed-IP-Address 8 ipaddr
ATTRIBUTE Reply-Message 18 string
ATTRIBUTE Class 25 string
ATTRIBUTE Session-Timeout 27 integer
ATTRIBUTE Calling-Station-Id 31 string
ATTRIBUTE Acct-Status-Type 40 integer
ATTRIBUTE Acct-Delay-Time 41 integer
ATTRIBUTE Acct-Input-Octets 42 integer
ATTRIBUTE Acct-Output-Octets 43 integer
ATTRIBUTE Acct-Session-Id 44 string
ATTRIBUTE Acct-Authentic 45 integer
ATTRIBUTE Acct-Session-Time 46 integer
ATTRIBUTE Acct-Input-Packets 47 integer
ATTRIBUTE Acct-Output-Packets 48 integer
ATTRIBUTE Acct-Terminate-Cause 49 integer
ATTRIBUTE Acct-Input-Gigawords 52 integer
ATTRIBUTE Acct-Output-Gigawords 53 integer
ATTRIBUTE CHAP-Challenge 60 string
ATTRIBUTE NAS-Port-Type 61 integer
ATTRIBUTE Acct-Interim-Interval 85 integer
VENDOR Microsoft 311 Microsoft
ATTRIBUTE MS-MPPE-Encryption-Policy 7 string Microsoft
ATTRIBUTE MS-MPPE-Encryption-Types 8 string Microsoft
ATTRIBUTE MS-CHAP-Challenge 11 string Microsoft
ATTRIBUTE MS-MPPE-Send-Key 16 string Microsoft
ATTRIBUTE MS-MPPE-Recv-Key 17 string Microsoft
ATTRIBUTE MS-CHAP2-Response 25 string Microsoft
ATTRIBUTE MS-CHAP2-Success 26 string Microsoft
`

/** What pppd itself has counted. */
const ipDown = `#!/bin/sh
echo "$PEERNAME is down: received $BYTES_RCVD, sent $BYTES_SENT" >/dev/console
`
/**
 * pppd as NAS by its plugin radius.so, and pppd as client, each in a network namespace of the machine; a
 * pseudo-terminal joins them.
 */
export class Pppd {
  readonly #machine: Machine
  readonly #folder: string

  /** `secret` and `ports` are those of the RADIUS server at the other end of the machine's link. */
  constructor(t: Test, machine: Machine, secret: string, ports: { auth: number; acct: number }) {
    this.#machine = machine
    this.#folder = emptyFolder(t, filesParent)
    const { hostIp } = machine
    const files = {
      dictionary,
      servers: `${hostIp} ${secret}\n`,
      'radiusclient.conf': `
auth_order radius
login_tries 4
login_timeout 60
nologin /run/nologin
issue /run/issue
authserver ${hostIp}:${ports.auth}
acctserver ${hostIp}:${ports.acct}
servers ${this.#path('servers')}
dictionary ${this.#path('dictionary')}
login_radius /bin/false
login_local /bin/false
mapfile /dev/null
default_realm
seqfile /run/radius.seq
radius_timeout 10
radius_retries 10
`,
      'serve.pl': serveOctets,
      'use.pl': useOctets('10.0.0.1'),
    }
    for (const [name, text] of Object.entries(files)) writeFileSync(this.#path(name), text)
    writeFileSync(this.#path('ip-down'), ipDown, { mode: 0o755 })
  }

  /** The exit status of the server's end, 0 when the connection is up, and what it said. */
  dial(method: 'pap' | 'chap' | 'mschap-v2', client: string, password: string, options = '') {
    const dialled = `ip netns exec ${client} pppd notty nolock noauth noipv6 linkname ${client} user ${client} password ${password} ${options}`
    const asked = `require-${method} plugin radius.so radius-config-file ${this.#path('radiusclient.conf')}`
    const ends = `10.0.0.1: ip-down-script ${this.#path('ip-down')} pty '${dialled}'`
    return this.#machine.try(`pppd updetach nolock noipv6 ${asked} ${options} ${ends}`)
  }

  async open(clients: readonly string[]): Promise<void> {
    for (const client of clients) await this.#machine.run(`ip netns add ${client}`)
    await this.#machine.run(`perl ${this.#path('serve.pl')} &`)
  }

  addressesOf = (client: string) => this.#machine.run(`ip netns exec ${client} ip -4 addr show ppp0`)

  /** Sends and receives some through the connection. */
  use = (client: string) => this.#machine.run(`ip netns exec ${client} perl ${this.#path('use.pl')}`)

  /** The client hangs up. */
  close = (client: string) => this.#machine.run(`kill $(head -n 1 /run/ppp-${client}.pid)`)

  /** Resolves when the connection is down, after the server's end has reported it. */
  async counted(client: string): Promise<{ received: string; sent: string }> {
    const line = await this.#machine.line(new RegExp(`^${client} is down`))
    const [, received, sent] = /received (\d+), sent (\d+)/.exec(line)!
    return { received: received!, sent: sent! }
  }

  #path = (name: string): string => join(this.#folder, name)
}
