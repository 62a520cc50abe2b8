import type { RefusalReason } from '../../../domain/access.ts'
import type { NasId } from '../../../domain/ids.ts'
import type { NasEntry } from '../../../domain/nas.ts'
/** What crosses the border between the main thread and the RADIUS worker threads. Plain data only. */
import type { PoolShare } from '../../access/pool-layout.ts'
import type { SharedHandle } from '../../access/shared.ts'
import type { TableShare } from '../../access/table.ts'
import type { CompiledTemplate } from '../wire/answer-template.ts'
import type { UdpMode, UdpPreference } from '../udp/open-port.ts'

/** What a worker found out about a NAS on `auto`. */
export type NasLearned = { nasId: NasId; messageAuthenticator: boolean | null; proxyState: boolean | null }

/** What the packets of a NAS told; times are milliseconds since 1970. */
export type NasHeard =
  /** It asked this address of ours, on a socket that listens on several. */
  | { kind: 'asked'; nasId: NasId; address: string; atMs: number }
  /** Its secret is being changed, and it proved the next one, or still the old one. */
  | { kind: 'proved'; nasId: NasId; usesNext: boolean; atMs: number }

/** The settings a worker needs. */
export type RadiusSettings = {
  /** RADIUS_INTERIM_INTERVAL, seconds: Acct-Interim-Interval. */
  interimSeconds: number
  /** RADIUS_SIMULTANEOUS. */
  simultaneous: 'reject' | 'replace'
  /** LK_WALLED_GARDEN_LIST: Mikrotik-Address-List, elsewhere Filter-Id. */
  walledGardenList: string
  /** RADIUS_REALMS, as RealmList reads it. */
  realms: string
  /** RADIUS_LOGIN_CASE. */
  loginCase: 'exact' | 'ignore'
  /** RADIUS_LOG_ACCEPTS. */
  logsAccepts: boolean
  /** TIME_ZONE. */
  timeZone: string
}

/** Accounting-Requests that were received together: already authenticated, not yet decoded. */
export type AccountingBatch = {
  /** The tokens by which PendingAccounting finds the requests again. */
  tokens: Int32Array
  nasIds: Int32Array
  /** The source address of each packet, four words as a datagram describes it. */
  sources: Int32Array
  /** When each of them arrived, in milliseconds of `steadyMs` (UdpPort.arrivedMs). */
  arrivedMs: Float64Array
  /** End offset of each packet in `packets`. */
  ends: Int32Array
  packets: Uint8Array
}

/** Whether this is the password of a hash of crypt(3). */
export type PasswordQuestion = {
  readonly kind: 'password'
  /** Unique within the worker; the PasswordAnswer names it. */
  readonly token: number
  readonly hash: string
  readonly password: string
}

/** `isRight` null: too many wait, nothing was compared. */
export type PasswordAnswer = {
  readonly kind: 'passwordCompared'
  readonly token: number
  readonly isRight: boolean | null
}

/** Compares a password with a hash of crypt(3). A rejection means that nothing was compared. */
export type PasswordComparison = (hash: string, password: string) => Promise<boolean>

/** Stores accounting; resolves with the accepted indexes of the batch once they are durable. */
export type AccountingSink = (batch: AccountingBatch) => Promise<Int32Array>

/** An Access-Reject as it is shown to operators. */
export type Rejection = {
  atMs: number
  login: string
  subscriberId: number | null
  organizationId: number | null
  nasId: NasId
  reason: RefusalReason
  text: string
  station: string | null
}

/**
 * A NAS with its row in the counters. `edition` grows when the records are set anew, which voids what was learned
 * before. `askedAtMs`: when `askedIp` was last reported, milliseconds since 1970.
 */
export type NasSlot = NasEntry & { nasSlot: number; edition: number; askedAtMs?: number }

/** The rules that every worker follows; a change applies from the next datagram on. */
export type WorkerRules = {
  nas: NasSlot[]
  settings: RadiusSettings
  /** How each NAS is told speeds and the walled garden; one that is missing here is told neither. */
  templates?: ReadonlyMap<NasId, CompiledTemplate>
}

export type WorkerStart = {
  /** 1 or more; it also marks the pool locks that this worker holds. */
  number: number
  host: string
  authPort: number
  /** Several sockets share the port. */
  sharesPort: boolean
  udp: UdpPreference
  table: SharedHandle<TableShare>
  pools: SharedHandle<PoolShare[]>
  rules: SharedHandle<WorkerRules>
  /** Where offers of pool addresses are written down (access/offer-log.ts); null for nowhere. */
  offersFolder: string | null
  /** Signs Class attributes; every node has the same, and it stays the same when the program starts again. */
  classKey: Uint8Array
  /** Open what the access table has still sealed: Secrets.keys. */
  secretKeys: readonly Uint8Array[]
  /** The origin of the time of day (platform/actors/day-time.ts); null: it is that of the machine. */
  clock: SharedArrayBuffer | null
  counters: SharedArrayBuffer
  /** The memory of NasSigns. */
  signs: SharedArrayBuffer
  /** From 0 to 1: how many of the answered requests are traced. */
  tracedShare: number
}

export type ToWorker =
  | PasswordAnswer
  /** Asks the worker to answer what is in work, close its sockets and end. */
  | { kind: 'stop'; withinMs: number }

/** An answered Access-Request that is to be traced. */
export type TracedPacket = {
  nasId: NasId
  result: 'accept' | 'reject'
  /** Why it was rejected; null for an accept. */
  reason: RefusalReason | null
  /** When its batch had been received, milliseconds since 1970, and how long it was until the answers had left. */
  beganAtMs: number
  tookMs: number
}

export type FromWorker =
  | PasswordQuestion
  | { kind: 'ready'; mode: UdpMode }
  | { kind: 'failed'; message: string }
  | { kind: 'rejections'; rejections: Rejection[]; suppressed: number }
  /** What was answered, as AuthEntries keeps it; `left` more answers found no room in it. */
  | { kind: 'answered'; entries: Uint8Array<ArrayBuffer>; left: number }
  /** Offers of pool addresses could not be written down; said once until it works again. */
  | { kind: 'offersUnwritten'; message: string }
  | { kind: 'learned'; learned: NasLearned; edition: number }
  | { kind: 'heard'; heard: NasHeard; edition: number }
  | { kind: 'traced'; packets: TracedPacket[] }
  | { kind: 'fault'; message: string; stack: string | undefined }
