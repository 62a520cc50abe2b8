import { AccountStore } from '../billing/accounts/account-store.ts'
import { ForeignCommits } from '../billing/accounts/foreign-commits.ts'
import { Rates } from '../live/rates.ts'
import type { NodeState } from '../platform/nodes/membership.ts'
import type { LoggedRow, NodeLog } from '../platform/nodes/node-log.ts'
import type { Base } from './base.ts'
import type { Ledger } from './ledger.ts'
import type { Network } from './network.ts'
import type { Nodes } from './nodes.ts'

/** From here on this node follows the others, and they follow it. */
export async function startNodes(parts: Base & Network & Ledger, nodes: Nodes): Promise<void> {
  const { database, accounts, accounting, events, clock, followers, outbox, metrics, onStop } = parts
  const { membership, log, wakeOthers } = nodes
  const foreign = new ForeignCommits({ store: new AccountStore(database.ledger), accounts, events, clock })
  followers.nodes = {
    accountCommitted: ({ isForeign }) => {
      if (!isForeign) wakeOthers()
    },
  }
  const play = playersOf({
    accounts: (rows) => foreign.publish(rows),
    sessions: (rows) => accounting.follow(rows),
  })
  const missed = async () => {
    database.reread()
    await accounting.followAll()
  }
  await log.start({ play, missed })
  onStop(() => log.stop())
  await parts.poolBlocks?.start()
  const forget = () => {
    foreign.forgetVersions()
    log.forget()
    void parts.poolBlocks?.claimAll()
  }
  onStop(database.onReplaced(forget))
  metrics.node.source = () => ({
    isFenced: membership.fenced !== null,
    others: membership.others,
    lagSeconds: log.lagMs / 1000,
    foreignCommits: foreign.count,
  })
  membership.onGone(() => outbox.sweepSoon())
  const drain = () => membership.drain()
  process.on('SIGUSR2', drain)
  onStop(() => process.off('SIGUSR2', drain))
  membership.tell(stateOf(parts, log))
}

type Player = (rows: readonly LoggedRow[]) => Promise<void> | void

/** Each kind of row has its player. */
function playersOf(byKind: Readonly<Record<string, Player>>): (rows: readonly LoggedRow[]) => Promise<void> {
  return async (rows) => {
    for (const [kind, some] of Map.groupBy(rows, (row) => row.kind)) await byKind[kind]?.(some)
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
