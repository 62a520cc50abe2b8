import { setTimeout as pause } from 'node:timers/promises'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BlockTable } from '../network/access/block-table.ts'
import { type Offer, offerGraceSeconds, readOffers } from '../network/access/offer-log.ts'
import { PoolBlocks } from '../network/access/pool-blocks.ts'
import type { Holder } from '../network/access/pool-layout.ts'
import { stationHashOf } from '../network/access/station.ts'
import type { AccessWriter } from '../network/access/writer.ts'
import type { Accounting } from '../network/radius/accounting/accounting.ts'
import type { AccountingStore } from '../network/radius/accounting/accounting-store.ts'
import { formatIpv4, parseIpv4 } from '../network/radius/wire/address.ts'
import type { Log } from '../platform/log.ts'
import type { Database } from '../platform/storage/database.ts'
import type { Base } from './base.ts'
import type { Nodes } from './nodes.ts'

/** On this channel programs on one database tell each other of pool addresses. */
const channelName = 'tollgate_pools'

/** Opens the share of this program in the pools, and takes the addresses that nobody holds. */
export async function openPoolBlocks(
  {
    config,
    database,
    reads,
    clock,
    log,
    onStop,
  }: Pick<Base, 'config' | 'database' | 'reads' | 'clock' | 'log' | 'onStop'>,
  { membership, log: nodeLog }: Nodes,
  {
    access: { pools },
    accounting,
  }: { readonly access: Pick<AccessWriter, 'pools'>; readonly accounting: Pick<Accounting, 'followed'> },
): Promise<PoolBlocks> {
  await database.holdLock(`LISTEN ${channelName}`)
  const stopped = Promise.withResolvers<never>()
  stopped.promise.catch(() => {})
  const own = { node: membership.place.number, folder: folderId(config.dataDir) }
  const blocks = new PoolBlocks({
    table: new BlockTable(database.pool, own),
    pools,
    membership,
    channel: {
      tell: (payload) => database.tell(channelName, payload),
      on: (listener) => database.onNotice(listener, channelName),
    },
    caughtUp: async () => {
      if (reads !== database) await untilReplayed(database, reads)
      await nodeLog.caughtUp()
      await Promise.race([accounting.followed(), stopped.promise])
    },
    clock,
    log,
  })
  await blocks.open()
  onStop(() => {
    stopped.reject(new Error('The program is being stopped.'))
    return blocks.stop()
  })
  return blocks
}

const lookMs = 100

/** Resolves when the standby has all that the primary has written by now. Rejects while one of them is away. */
async function untilReplayed({ pool }: Pick<Database, 'pool'>, { pool: reads }: Pick<Database, 'pool'>): Promise<void> {
  const { rows } = await pool.query<{ written: string }>('SELECT pg_current_wal_insert_lsn()::text AS written')
  const text = 'SELECT NOT pg_is_in_recovery() OR pg_last_wal_replay_lsn() >= $1::pg_lsn AS "isThere"'
  for (;;) {
    const there = await reads.query<{ isThere: boolean }>(text, [rows[0]!.written])
    if (there.rows[0]!.isThere) return
    await pause(lookMs)
  }
}

/** Names the data folder, whose files know what was offered out of the blocks that it holds. */
function folderId(dataDir: string): string {
  const file = join(dataDir, 'pool-blocks.id')
  const known = existsSync(file) ? readFileSync(file, 'utf8') : ''
  // After a power cut the file may be empty.
  if (uuidPattern.test(known)) return known
  const id = randomUUID()
  writeFileSync(file, id, { mode: 0o600 })
  return id
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Has the pools take up the addresses that an earlier program had offered, except those whose session has begun since:
 * such a session lives, or has ended. `ownOnly`: only addresses in the blocks of this program are taken up.
 */
export async function restoreOffers(
  folder: string,
  store: AccountingStore,
  access: AccessWriter,
  { now, ownOnly }: { readonly now: Date; readonly ownOnly: boolean },
): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const nowSeconds = Math.floor(now.getTime() / 1000)
  const offers = readOffers(folder, nowSeconds - offerGraceSeconds)
  if (offers.length === 0) return
  const began = await store.beganSince(nowSeconds - offerGraceSeconds - startsEarlierSecondsMax)
  const isOpen = ({ address, loginId, offeredAt }: Offer) =>
    (began.get(`${loginId} ${formatIpv4(address)}`) ?? 0) < offeredAt - startsEarlierSecondsMax
  access.pools.restoreOffers(
    offers.filter(isOpen).map((offer) => ({ ...offer, offeredAt: Math.min(offer.offeredAt, nowSeconds) })),
    { ownOnly },
  )
}

/** A NAS may date its Start a little before our answer, since clocks differ. */
const startsEarlierSecondsMax = 5

/** A login that takes its address from a pool and has no live session. */
type PoolLogin = { loginId: number; subscriberId: number; poolId: number; severalSessions: boolean }

const loginsPerQuery = 2000
const readMsMax = 5000

type LastSessions = Pick<AccountingStore, 'lastSessionsOf'>
type PoolsAndLogins = Pick<AccessWriter, 'pools' | 'table'>

/**
 * The pools learn which address each login had last, from its last session. The start waits for this, so what a slow
 * database has not yielded within `limitMs` is left out: these logins get any free address.
 */
export async function rememberAddresses(
  store: LastSessions,
  access: PoolsAndLogins,
  log: Log,
  limitMs = readMsMax,
): Promise<void> {
  if (access.pools.isEmpty) return
  const logins = poolLoginsOf(access)
  const until = performance.now() + limitMs
  const found: LastHolder[] = []
  let read = 0
  try {
    for (; read < logins.length && performance.now() < until; read += loginsPerQuery)
      found.push(...(await lastHolders(store, logins.slice(read, read + loginsPerQuery))))
  } catch (error) {
    log.warn('The last pool addresses of logins cannot be read.', { error })
  }
  if (read < logins.length)
    log.warn('Some logins may get another pool address than they had last.', { logins: logins.length, read })
  // The holder who left last is remembered last: they keep an address that several had, and it is given out last.
  found.sort((a, b) => a.endedAt - b.endedAt)
  for (const holder of found) access.pools.remember(holder.poolId, holder)
}

function poolLoginsOf({ table }: PoolsAndLogins): PoolLogin[] {
  const logins: PoolLogin[] = []
  table.forEach(({ poolId, ip, liveSessions, loginId, subscriberId, simultaneousUse }) => {
    if (poolId !== 0 && ip < 0 && liveSessions === 0)
      logins.push({ loginId, subscriberId, poolId, severalSessions: simultaneousUse > 1 })
  })
  return logins
}

type LastHolder = Holder & { poolId: number; endedAt: number }

async function lastHolders(store: LastSessions, logins: readonly PoolLogin[]): Promise<LastHolder[]> {
  const byId = new Map(logins.map((login) => [login.loginId, login]))
  return (await store.lastSessionsOf(logins)).flatMap(({ loginId, ip, callingStationId, endedAt }) => {
    const address = parseIpv4(ip)
    if (address === null) return []
    const { poolId, severalSessions } = byId.get(loginId)!
    return [{ address, loginId, station: severalSessions ? stationHashOf(callingStationId) : 0, poolId, endedAt }]
  })
}
