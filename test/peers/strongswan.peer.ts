// needs /usr/sbin/charon-systemd from charon-systemd
// needs swanctl from strongswan-swanctl
// needs /usr/lib/ipsec/plugins/libstrongswan-eap-radius.so from libcharon-extra-plugins
// needs /usr/lib/ipsec/plugins/libstrongswan-xauth-generic.so from libcharon-extauth-plugins
// needs ping from iputils-ping
// needs setpriv from util-linux
// changes the network: a cable to this machine
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { emptyFolder, query } from '../app/processes.ts'
import { freeUdpPort } from '../support/free-port.ts'
import { Machine, tunnelsMissing } from '../support/machines.ts'
import { type OpenedProgram, openProgram } from '../support/opened-program.ts'
import { systemPassword } from '../support/program.ts'
import { ruble } from '../support/provider.ts'
import { until } from '../support/until.ts'

/**
 * strongSwan is the gateway of a VPN, and clients sign in by XAuth of IKEv1, whose password it asks Tollgate for by PAP.
 * ESP is done by its own library over a tun device, because not every kernel has it; octets are those of the packets
 * within the tunnel.
 */

const secret = 'testing123'
const gatewayIp = '192.0.2.1'
/** Behind the gateway. */
const insideIp = '10.45.0.1'

type Link = { here: string; there: string; auth: number; acct: number }

/** Those of both ends. */
const basicPlugins =
  'random nonce aes sha1 sha2 md5 hmac kdf gmp kernel-libipsec kernel-netlink socket-default vici updown'

const charonConfiguration = (folder: string, name: string, plugins: string, more = '') => `
charon-systemd {
  load = ${basicPlugins} ${plugins}
  load_modular = no
  filelog {
    out {
      path = stderr
      default = 1
    }
  }
  plugins {
    vici {
      socket = unix://${folder}/${name}.vici
    }
    ${more}
  }
}
`

/** Without `accounting_close_on_timeout` a client would be disconnected by one report while Tollgate is restarted. */
const radiusConfiguration = ({ here, auth, acct }: Link) => `
    eap-radius {
      accounting = yes
      accounting_close_on_timeout = no
      accounting_send_class = yes
      nas_identifier = strongswan
      servers {
        tollgate {
          address = ${here}
          auth_port = ${auth}
          acct_port = ${acct}
          secret = ${secret}
        }
      }
      dae {
        enable = yes
        secret = ${secret}
      }
    }`

const gatewayConnection = `
connections {
  vpn {
    version = 1
    encap = yes
    proposals = aes128-sha256-modp2048
    local_addrs = ${gatewayIp}
    pools = radius
    local {
      auth = psk
    }
    remote {
      auth = psk
    }
    remote-xauth {
      auth = xauth-radius
    }
    children {
      net {
        local_ts = ${insideIp}/32
        esp_proposals = aes128-sha256
      }
    }
  }
}
secrets {
  ike {
    secret = "shared"
  }
}
`

const clientConnection = (login: string, password: string) => `
connections {
  ${login} {
    version = 1
    encap = yes
    proposals = aes128-sha256-modp2048
    remote_addrs = ${gatewayIp}
    vips = 0.0.0.0
    local {
      auth = psk
    }
    local-xauth {
      auth = xauth
      xauth_id = ${login}
    }
    remote {
      auth = psk
    }
    children {
      net {
        remote_ts = ${insideIp}/32
        esp_proposals = aes128-sha256
      }
    }
  }
}
secrets {
  ike {
    secret = "shared"
  }
  xauth {
    id = ${login}
    secret = "${password}"
  }
}
`

async function startCharon(machine: Machine, t: Test, folder: string, name: string, configuration: string) {
  const path = join(folder, `${name}.strongswan.conf`)
  writeFileSync(path, configuration)
  const withPath = ['env', `STRONGSWAN_CONF=${path}`] as const
  const charon = machine.start(t, ...withPath, '/usr/sbin/charon-systemd')
  await charon.line(/spawning \d+ worker threads/)
  const swanctl = (...args: string[]) =>
    machine.run(...withPath, 'swanctl', ...args, '--uri', `unix://${folder}/${name}.vici`)
  const load = (text: string) => {
    const file = join(folder, `${name}.swanctl.conf`)
    writeFileSync(file, text)
    return swanctl('--load-all', '--file', file)
  }
  return { charon, swanctl, load }
}

/** Of 200 packets each way. */
const sentOctets = 200 * 1000

type Octets = { input: number; output: number }
type Session = Octets & { login: string; framed_ip: string; end_reason: string | null; terminate_cause: string | null }

async function provide(program: OpenedProgram, nasIp: string): Promise<void> {
  await program.create('Nas', { name: 'vpn', ip: nasIp, secret })
  const everySecond = [{ name: 'Acct-Interim-Interval', value: 1, op: '=' }]
  const tariff = await program.create('Tarif', { name: 'Home 100', price: 600 * ruble, radius_reply: everySecond })
  const pool = await program.create('IpPull', { name: 'vpn', network: '10.44.0.0/24' })
  for (const login of ['ivan', 'oleg']) {
    await program.createLogin(login, tariff, { pool: pool.id })
  }
}

/** The gateway, its clients, which are of one charon, and Tollgate. */
async function openVpn(t: Test) {
  const folder = emptyFolder(t)
  const [nas, road] = [await Machine.open(t), await Machine.open(t)]
  const { here, there } = await nas.uplink()
  const link = { here, there, auth: await freeUdpPort(here), acct: await freeUdpPort(here) }
  await nas.cable('lan', `${gatewayIp}/24`, road, 'lan', '192.0.2.2/24')
  await nas.run('ip', 'address', 'add', `${insideIp}/32`, 'dev', 'lo')
  const program = await openProgram(t, {
    TOLLGATE_RADIUS_HOST: here,
    TOLLGATE_RADIUS_AUTH_PORT: String(link.auth),
    TOLLGATE_RADIUS_ACCT_PORT: String(link.acct),
    TOLLGATE_SETTING_SYSTEM_API_PASSWORD: systemPassword,
  })
  await provide(program, there)
  const radius = charonConfiguration(folder, 'gateway', 'eap-radius', radiusConfiguration(link))
  const gateway = await startCharon(nas, t, folder, 'gateway', radius)
  await gateway.load(gatewayConnection)
  const client = await startCharon(road, t, folder, 'client', charonConfiguration(folder, 'client', 'xauth-generic'))
  const sessions = (): Promise<Session[]> =>
    query(
      program.databaseUrl!,
      `SELECT login, host(framed_ip) AS framed_ip, input_octets::int AS input, output_octets::int AS output, end_reason,
        terminate_cause
      FROM radius_sessions ORDER BY id`,
    ) as Promise<Session[]>
  /** From and to a client, by the gateway's own count. */
  const countOf = async (login: string): Promise<Octets> => {
    const associations = (await gateway.swanctl('--list-sas', '--raw')).split('\n')
    const own = associations.find((line) => line.includes(`remote-xauth-id=${login} `)) ?? ''
    const number = (name: string) => Number(new RegExp(` ${name}=(\\d+)`).exec(own)?.[1] ?? 0)
    return { input: number('bytes-in'), output: number('bytes-out') }
  }
  return {
    ...{ program, gateway, client, sessions },
    /** Answers the address that the client was given. */
    signIn: async (login: string, password: string): Promise<string | undefined> => {
      await client.load(clientConnection(login, password))
      const said = await client.swanctl('--initiate', '--ike', login, '--child', 'net')
      return /installing new virtual IP (\S+)/.exec(said)?.[1]
    },
    send: () => road.run('ping', '-q', '-A', '-c', '200', '-s', String(sentOctets / 200), insideIp),
    /** Until Tollgate counts so many octets each way at least, and as many as strongSwan does. */
    counted: async (login: string, least: number): Promise<Octets> => {
      for (;;) {
        const own = await countOf(login)
        const session = (await sessions()).find((one) => one.login === login)
        const isSame = session?.input === own.input && session.output === own.output
        if (isSame && own.input > least && own.output > least) return own
        await pause(20)
      }
    },
  }
}

t.test('strongSwan signs in, counts and disconnects', { skip: tunnelsMissing }, async (t) => {
  const { program, gateway, client, sessions, signIn, send, counted } = await openVpn(t)
  await t.rejects(signIn('ivan', 'wrong'))
  await gateway.charon.line(/RADIUS authentication of 'ivan' failed/)
  const ivanIp = await signIn('ivan', 'word')
  await send()
  const first = await counted('ivan', sentOctets)
  t.match(await sessions(), [{ login: 'ivan', framed_ip: ivanIp, end_reason: null }])

  await program.stop()
  await send()
  await program.start()
  const last = await counted('ivan', first.input + sentOctets)
  const olegIp = await signIn('oleg', 'word')
  t.not(olegIp, ivanIp, 'the address of a session is kept over a restart')
  await until(async () => (await sessions()).length === 2)

  t.match(await program.system('sessions/disconnect/', { login: 'oleg' }), { status: 'ok', sent: 1 })
  await client.charon.line(/received DELETE for IKE_SA oleg/)
  await until(async () => (await sessions())[1]!.terminate_cause !== null)
  await client.swanctl('--terminate', '--ike', 'ivan')
  await until(async () => (await sessions())[0]!.terminate_cause !== null)
  t.match(await sessions(), [
    { login: 'ivan', framed_ip: ivanIp, ...last, end_reason: 'User-Request' },
    { login: 'oleg', framed_ip: olegIp, terminate_cause: 'User-Request' },
  ])
})
