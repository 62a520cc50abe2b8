import { AccountStore } from '../billing/accounts/account-store.ts'
import { ForeignCommits } from '../billing/accounts/foreign-commits.ts'
import { Rates } from '../live/rates.ts'
import type { NodeState } from '../platform/nodes/membership.ts'
import type { LoggedRow } from '../platform/nodes/log-reading.ts'
import type { NodeLog } from '../platform/nodes/node-log.ts'
import { skipLostIds } from '../platform/storage/lost-ids.ts'
import type { Base } from './base.ts'
import type { Ledger } from './ledger.ts'
import type { Network } from './network.ts'
import type { Nodes } from './nodes.ts'

/** From here on this node follows the others, and they follow it. */
export async function startNodes(parts: Base & Network & Ledger, nodes: Nodes): Promise<void> {
  const { database, accounts, events, clock, followers, outbox } = parts
  const { membership, wakeOthers } = nodes
  const foreign = new ForeignCommits({ store: new AccountStore(database.ledger), accounts, events, clock })
  followers.nodes = {
    accountCommitted: ({ isForeign }) => {
      if (!isForeign) wakeOthers()
    },
  }
  await followLog(parts, nodes, foreign)
  membership.onGone(() => outbox.sweepSoon())
}

/** From here on what the other nodes commit is read, and they are told of this node. */
export async function followLog(parts: Base & Network, nodes: Nodes, foreign: ForeignCommits): Promise<void> {
  const { database, reads, accounting, metrics, log: programLog, onStop } = parts
  const { membership, log } = nodes
  const missed = async () => {
    reads.reread()
    // An edge reads sessions where they are written, and all of them anew when that is back.
    if (reads === database || database.isUp()) await accounting.followAll()
  }
  if (reads !== database)
    onStop(
      database.onUp(() => {
        accounting.followAll().catch((error) => programLog.warn('live sessions could not be read anew', { error }))
      }),
    )
  const play = playersOf(
    {
      accounts: (rows) => foreign.publish(rows),
      sessions: (rows) => accounting.follow(rows),
      // On a primary the notifications of the database have said so already.
      rows: (rows) => {
        if (reads !== database) for (const { note } of rows) reads.heard(JSON.stringify(note))
      },
    },
    missed,
  )
  await log.start({ play, missed })
  onStop(() => log.stop())
  await parts.poolBlocks?.start()
  const forget = () => {
    foreign.forgetVersions()
    log.forget()
    void parts.poolBlocks?.claimAll()
  }
  for (const one of new Set([database, reads])) onStop(one.onReplaced(forget))
  onStop(skipLostIds(database, programLog))
  metrics.node.source = () => ({
    isFenced: membership.fenced !== null,
    others: membership.others,
    lagSeconds: log.lagMs / 1000,
    foreignCommits: foreign.count,
  })
  const drain = () => membership.drain()
  process.on('SIGUSR2', drain)
  onStop(() => process.off('SIGUSR2', drain))
  membership.tell(stateOf(parts, log))
}

type Player = (rows: readonly LoggedRow[]) => Promise<void> | void

/**
 * Each kind of row has its player. What a newer release says by another kind may be about anything that is in memory.
 */
function playersOf(byKind: Readonly<Record<string, Player>>, otherwise: () => Promise<void>) {
  return async (rows: readonly LoggedRow[]): Promise<void> => {
    const kinds = Map.groupBy(rows, (row) => row.kind)
    for (const [kind, some] of kinds) await byKind[kind]?.(some)
    if ([...kinds.keys()].some((kind) => !Object.hasOwn(byKind, kind))) await otherwise()
  }
}

/** What this node tells the others of itself, as `GET /admin/nodes/` shows it. */
function stateOf({ publicUrl, radius, sessions, clock }: Base & Network, log: NodeLog): () => NodeState {
  const rates = new Rates()
  return () => {
    const { host, authPort, acctPort } = radius.addresses
    const { nas: _, ...perSecond } = rates.take(radius.snapshot().counts, clock.now())
    return {
      http: publicUrl(),
      radius: `${host}:${authPort},${acctPort}`,
      sessions: sessions.size - sessions.foreign,
      rates: perSecond,
      lag_ms: Math.round(log.lagMs),
    }
  }
}
