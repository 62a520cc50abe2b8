import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { freeUdpPort } from '../../test/support/free-port.ts'
import { needPackages } from '../packages.ts'
import { load } from './load.ts'
import {
  addressOf,
  blockedEvery,
  type Crowd,
  classOf,
  interimSeconds,
  loginOf,
  passwordNumber,
  passwords,
  rateLimit,
  secret,
} from './subscribers.ts'
import type { Server } from './tollgate.ts'

const binary = '/usr/sbin/freeradius'
/** Debian's nobody: the server needs no rights. */
const ordinary = { uid: 65534, gid: 65534 }

export type FreeRadiusOptions = {
  /** `pool`: Debian's default threads; `single`: `-s`, everything in one thread. */
  threads: 'pool' | 'single'
  accounting?: Accounting
}

/** Pieces of configuration for accounting, and files beside it. */
export type Accounting = {
  readonly modules: string
  readonly instantiate: string
  readonly policy: string
  readonly preacct: string
  readonly store: string
  readonly files: Readonly<Record<string, string>>
}

/**
 * FreeRADIUS with all users in memory (rlm_files), as lean as it can be: only the modules it needs for PAP, CHAP and
 * MS-CHAPv2 and for the duplicate cache it always has, no log of sign-ins, rejects at once. It checks and answers what
 * Tollgate does.
 */
export async function startFreeRadius(crowd: Crowd, options: FreeRadiusOptions): Promise<Server> {
  needPackages(binary, 'freeradius')
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-freeradius-'))
  const [authPort, acctPort] = [await freeUdpPort(), options.accounting ? await freeUdpPort() : 0]
  const files: Record<string, string> = {
    'radiusd.conf': radiusd(folder, crowd, authPort, acctPort, options),
    users: users(crowd),
    reject:
      'DEFAULT\n\tMessage-Authenticator =* ANY,\n\tReply-Message =* ANY,\n\tMS-CHAP-Error =* ANY,\n\tProxy-State =* ANY\n',
    dictionary: '',
    ...options.accounting?.files,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const isRoot = process.getuid?.() === 0
  if (isRoot) for (const path of ['.', ...Object.keys(files)]) chownSync(join(folder, path), ordinary.uid, ordinary.gid)
  const words = ['-f', ...(options.threads === 'single' ? ['-s'] : []), '-d', folder, '-l', join(folder, 'radius.log')]
  const child = spawn(binary, words, { stdio: 'ignore', cwd: folder, ...(isRoot && ordinary) })
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await answering(child, authPort, join(folder, 'radius.log'), crowd.nas[0]!)
    return { authPort, acctPort, pids: [child.pid!], stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function answering(child: ChildProcess, port: number, log: string, nas: string): Promise<void> {
  for (let tries = 0; tries < 200 && child.exitCode === null; tries++) {
    await after(100)
    const { answered } = await load({
      port,
      method: 'pap',
      nas,
      sockets: 1,
      users: 1,
      requests: 1,
      timeout: 0.1,
      tries: 1,
    })
    if (answered > 0) return
  }
  throw new Error(`FreeRADIUS does not answer: ${existsSync(log) ? readFileSync(log, 'utf8').slice(-2000) : ''}`)
}

function users({ users }: Crowd): string {
  const lines: string[] = []
  for (let user = 1; user <= users; user++) {
    if (user % blockedEvery === 0) {
      lines.push(`${loginOf(user)} Auth-Type := Reject\n\tReply-Message = "blocked: by the operator"\n`)
      continue
    }
    lines.push(
      `${loginOf(user)} Cleartext-Password := "${passwords[passwordNumber(user)]}"\n\tMessage-Authenticator = 0x00,\n` +
        `\tFramed-IP-Address = ${addressOf(user)},\n\tAcct-Interim-Interval = ${interimSeconds},\n` +
        `\tClass = 0x${Buffer.from(classOf(user)).toString('hex')},\n\tMikrotik-Rate-Limit = "${rateLimit}"\n`,
    )
  }
  return lines.join('')
}

const radiusd = (
  folder: string,
  crowd: Crowd,
  authPort: number,
  acctPort: number,
  { accounting }: FreeRadiusOptions,
) => `
prefix = /usr
libdir = /usr/lib/freeradius
logdir = ${folder}
run_dir = ${folder}
raddbdir = ${folder}
pidfile = ${folder}/radiusd.pid
max_request_time = 30
cleanup_delay = 5
max_requests = 65536
hostname_lookups = no
proxy_requests = no
log {
  destination = files
  file = ${folder}/radius.log
  auth = no
}
security {
  max_attributes = 200
  reject_delay = 0
  status_server = no
}
thread pool {
  start_servers = 5
  max_servers = 32
  min_spare_servers = 3
  max_spare_servers = 10
  max_requests_per_server = 0
  auto_limit_acct = no
}
modules {
  files {
    filename = ${folder}/users
  }
  pap {
  }
  chap {
  }
  mschap {
  }
  attr_filter attr_filter.access_reject {
    key = "%{User-Name}"
    filename = ${folder}/reject
  }
  ${accounting?.modules ?? ''}
}
instantiate {
  ${accounting?.instantiate ?? ''}
}
policy {
  ${accounting?.policy ?? ''}
}
${crowd.nas
  .map((ip) => `client ${ip} {\n  ipaddr = ${ip}\n  secret = ${secret}\n  require_message_authenticator = yes\n}\n`)
  .join('')}
server default {
  listen {
    type = auth
    ipaddr = 127.0.0.1
    port = ${authPort}
  }
  authorize {
    chap
    mschap
    files
    pap
  }
  authenticate {
    Auth-Type PAP {
      pap
    }
    Auth-Type CHAP {
      chap
    }
    Auth-Type MS-CHAP {
      mschap
    }
  }
  post-auth {
    Post-Auth-Type REJECT {
      attr_filter.access_reject
      update reply {
        Message-Authenticator := 0x00
      }
    }
  }
  ${accounting ? accountingSections(accounting, acctPort) : ''}
}
`

const accountingSections = ({ preacct, store }: Accounting, port: number) => `
  listen {
    type = acct
    ipaddr = 127.0.0.1
    port = ${port}
  }
  preacct {
    ${preacct}
  }
  accounting {
    ${store}
  }`
