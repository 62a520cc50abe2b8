import { Outbox } from '../billing/effects/outbox.ts'
import { Events } from '../domain/events.ts'
import { ntPasswordHash } from '../network/radius/wire/ms-chap.ts'
import type { Clock } from '../platform/actors/clock.ts'
import { ReadingTimes } from '../platform/actors/reading-times.ts'
import { InFlight } from '../platform/http/in-flight.ts'
import type { Log } from '../platform/log.ts'
import { createMetrics, type Metrics } from '../platform/metrics/metrics.ts'
import { Destinations } from '../platform/outgoing/destinations.ts'
import { OutgoingHttp } from '../platform/outgoing/outgoing-http.ts'
import { CryptVerifier } from '../platform/passwords/crypt-verifier.ts'
import { type PasswordCheck, passwordCheck } from '../platform/passwords/login-passwords.ts'
import { loadSettings, type Settings } from '../platform/settings/settings.ts'
import type { Database } from '../platform/storage/database.ts'
import type { Tracing } from '../platform/tracing/tracing.ts'
import { openSecrets } from '../platform/storage/secret-keys.ts'
import type { Secrets } from '../platform/secrets/secrets.ts'
import type { Config } from './config.ts'
import { type Followers, followEvents } from './event-followers.ts'
import { countedEvents } from './counted-events.ts'
import { type JoinedNode, type Nodes, openNodes } from './nodes.ts'
import type { OnStop } from './stops.ts'
import { version } from '../platform/release.ts'

/** What every part of the program needs. */
export type Base = {
  readonly config: Config
  readonly log: Log
  readonly clock: Clock
  readonly version: string
  readonly database: Database
  /** Where rows are read that are followed in memory: the same, or beside an edge a standby. */
  readonly reads: Database
  readonly secrets: Secrets
  /** Compares passwords with hashes of crypt(3), for logins that have one. */
  readonly cryptVerifier: CryptVerifier
  /** Tells whether a password is that of a login. */
  readonly isPassword: PasswordCheck
  readonly settings: Settings
  /** The HTTP requests that wait for their answer. */
  readonly inFlight: InFlight
  /** How the program calls other servers. */
  readonly outgoingHttp: OutgoingHttp
  readonly metrics: Metrics
  readonly events: Events
  /** Each part that follows events registers itself here. */
  readonly followers: Followers
  /** The effects outside the program that commits have ordered; they are carried out from `startEffects` on. */
  readonly outbox: Outbox
  /** The address under which the program is reached from outside, without a trailing slash. */
  readonly publicUrl: () => string
  /** Null: nothing is traced. */
  readonly tracing: Tracing | null
  /** This program among others on one database; null: it is the only one. */
  readonly nodes: Nodes | null
  /** Notices that this one stood still while the others went on. */
  readonly readingTimes: ReadingTimes | null
  readonly onStop: OnStop
}

/** The database is open and migrated; its owner closes it. */
export async function openBase(
  given: Pick<Base, 'config' | 'log' | 'clock' | 'database' | 'publicUrl' | 'onStop'> &
    Partial<Pick<Base, 'reads' | 'secrets'>> & { readonly node?: JoinedNode | null },
): Promise<Base> {
  const { config, log, clock, database, reads = database, onStop, node = null } = given
  const tracing = await openTracing(config, log)
  if (tracing) onStop(() => tracing.stop())
  const nodes = node && (await openNodes({ database, reads, log }, node))
  if (nodes) onStop(() => nodes.membership.stop())
  const readingTimes = nodes && new ReadingTimes(givenUpMs)
  onStop(() => readingTimes?.stop())
  const secrets = given.secrets ?? (await openSecrets(database.url, config, (sql) => database.holdLock(sql)))
  const metrics = createMetrics({ version })
  const events = new Events((error, { kind }) => log.error('a follower of an event failed', { kind, error }))
  const followers: Followers = { metrics: countedEvents(metrics) }
  followEvents(events, followers)
  const takesOver = config.role === 'full'
  const outbox = new Outbox({ pool: database.pool, clock, log, node: nodes?.membership ?? null, takesOver, tracing })
  followers.outbox = outbox
  const destinations = new Destinations(config.privateAddresses)
  const outgoingHttp = new OutgoingHttp(destinations)
  const settings = await loadSettings({ database: reads, secrets, log, destinations }, config.settings)
  onStop(() => settings.stop())
  const cryptVerifier = new CryptVerifier()
  onStop(() => cryptVerifier.stop())
  const isPassword = passwordCheck({ cryptVerifier, ntHashOf: ntPasswordHash })
  return {
    ...given,
    reads,
    version,
    secrets,
    cryptVerifier,
    isPassword,
    metrics,
    events,
    followers,
    outbox,
    settings,
    inFlight: new InFlight(),
    outgoingHttp,
    tracing,
    nodes,
    readingTimes,
  }
}

/** After so long a balancer has given up a node that stood still (deploy/haproxy.cfg), and others have its clients. */
const givenUpMs = 3_000

/** Null where nobody wants traces; then no code for them is loaded. */
async function openTracing({ traces, node }: Config, log: Log): Promise<Tracing | null> {
  if (traces === null) return null
  return (await import('../platform/tracing/otlp.ts')).openOtlp({ ...traces, version, node, log })
}
