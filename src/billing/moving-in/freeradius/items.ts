import { momentOf, type Present } from '../moments.ts'
import { isIPv4, isIPv6 } from 'node:net'
import { normalMac } from '../../../domain/mac.ts'
import { passwordOf } from '../passwords.ts'
import type { MovedPassword, ReplyLine } from '../records.ts'

/** A line of radcheck or radreply, or of a `users` file. */
export type Item = { readonly attribute: string; readonly op: string; readonly value: string }

/** What the check items of a login or a group mean here. */
export type Checks = {
  readonly password: MovedPassword | null
  /** `Auth-Type := Reject`, or an Expiration that has passed. */
  readonly rejects: boolean
  /** Any password is right. */
  readonly accepts: boolean
  readonly simultaneousUse: number | null
  /** Of the only station that may sign in. */
  readonly mac: string | null
  readonly pool: string | null
  /** What is not carried over, each a sentence without its end. */
  readonly remarks: readonly string[]
}

const passwordOrder = ['clear', 'nt', 'hash', 'unreadable'] as const

/** Of several passwords the one that serves the most methods. */
function betterPassword(a: MovedPassword | null, b: MovedPassword): MovedPassword {
  const rankOf = (password: MovedPassword) =>
    passwordOrder.indexOf(
      password.kind === 'unreadable'
        ? 'unreadable'
        : password.stored.startsWith('{NT}')
          ? 'nt'
          : /^\{(?!CLEAR)/.test(password.stored)
            ? 'hash'
            : 'clear',
    )
  return a === null || rankOf(b) < rankOf(a) ? b : a
}

type Found = { -readonly [name in keyof Checks]: Checks[name] } & { remarks: string[] }

/** By attribute in small letters. Returns what is not carried over. */
const checks: Readonly<Record<string, (found: Found, value: string, present: Present) => string | null>> = {
  'auth-type': (found, value) => {
    const type = value.toLowerCase()
    if (type === 'reject') found.rejects = true
    else if (type === 'accept') found.accepts = true
    // The method follows from the packet, here as there.
    else if (!['pap', 'chap', 'ms-chap', 'mschap', 'local', 'eap'].includes(type))
      return `Auth-Type ${value} is not known here`
    return null
  },
  'simultaneous-use': (found, value) => {
    const count = Number(value)
    if (!Number.isInteger(count) || count < 0) return 'Simultaneous-Use is not a number'
    found.simultaneousUse = count
    return null
  },
  'calling-station-id': (found, value) => {
    found.mac = normalMac(value)
    return found.mac === null
      ? 'Calling-Station-Id is not a MAC address and not checked here'
      : 'Calling-Station-Id becomes the MAC address of the login, which may sign in from other stations too'
  },
  expiration: (found, value, { now, zone }) => {
    const end = momentOf(value, zone)
    if (end === null) return 'Expiration is not a date'
    if (end <= now) found.rejects = true
    return end <= now ? null : 'Expiration lies ahead; a login here has no end of its own'
  },
  'pool-name': (found, value) => {
    found.pool = value
    return null
  },
}

/** What these say of the request is true of every one, or does not matter here. */
const idle: ReadonlySet<string> = new Set(['framed-protocol', 'service-type', 'nas-port-type', 'fall-through'])

export function readChecks(items: readonly Item[], present: Present): Checks {
  const found: Found = {
    ...{ password: null, rejects: false, accepts: false, simultaneousUse: null, mac: null, pool: null, remarks: [] },
  }
  for (const { attribute, value } of items) {
    const password = passwordOf(attribute, value)
    if (password) {
      found.password = betterPassword(found.password, password)
      continue
    }
    const name = attribute.toLowerCase()
    const check = checks[name]
    const why = check
      ? check(found, value, present)
      : idle.has(name)
        ? null
        : `the check of ${attribute} is not carried over`
    if (why !== null) found.remarks.push(why)
  }
  return found
}

/** What the reply items of a login or a group mean here. */
export type Replies = {
  readonly lines: readonly ReplyLine[]
  readonly ip: string | null
  readonly ipv6Prefix: string | null
  readonly delegatedIpv6Prefix: string | null
  /** Whether groups that follow are read too; null: it does not say. */
  readonly fallThrough: boolean | null
  readonly remarks: readonly string[]
}

/** The addresses by which a NAS is told to choose one itself (RFC 2865 section 5.8). */
const chosenByNas: ReadonlySet<string> = new Set(['255.255.255.254', '255.255.255.255'])

export function readReplies(items: readonly Item[]): Replies {
  const lines: ReplyLine[] = []
  const remarks: string[] = []
  let [ip, ipv6Prefix, delegatedIpv6Prefix]: (string | null)[] = [null, null, null]
  let fallThrough: boolean | null = null
  for (const { attribute, op, value } of items) {
    const name = attribute.toLowerCase()
    if (name === 'fall-through') fallThrough = /^(yes|1|true)$/i.test(value)
    else if (/%\{|`/.test(value))
      remarks.push(`${attribute} is worked out by FreeRADIUS for each request, which is not done here`)
    else if (op !== '=' && op !== ':=' && op !== '+=')
      remarks.push(`the reply ${attribute} has the operator ${op}, which is not known here`)
    else if (name === 'framed-ip-address' && isIPv4(value) && !chosenByNas.has(value)) ip = value
    else if (name === 'framed-ipv6-prefix' && isPrefix(value)) ipv6Prefix = value
    else if (name === 'delegated-ipv6-prefix' && isPrefix(value)) delegatedIpv6Prefix = value
    else lines.push({ name: attribute, value, op: op === '+=' ? '+=' : '=' })
  }
  return { lines, ip: ip!, ipv6Prefix: ipv6Prefix!, delegatedIpv6Prefix: delegatedIpv6Prefix!, fallThrough, remarks }
}

function isPrefix(value: string): boolean {
  const [address = '', bits = ''] = value.split('/')
  return isIPv6(address) && /^\d{1,3}$/.test(bits) && Number(bits) <= 128
}
