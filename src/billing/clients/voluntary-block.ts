import type { Author } from '../../domain/author.ts'
import { type BlockReason, type Blocks, blockReasons } from '../../domain/block.ts'
import type { SubscriberId } from '../../domain/ids.ts'
import type { AccountRefusal } from '../accounts/messages.ts'
import type { ClientParts } from './parts.ts'

/** The block that a client sets (b_own). It stops the charges as well. */
export type VoluntaryBlock = {
  readonly enabled: boolean
  /** When it was set. Null: it is not set, or the time is not known. */
  readonly since: Date | null
  readonly canEnable: boolean
  /** A block of another kind that prevents it. Null: there is none. */
  readonly obstacle: BlockReason | null
}

export type BlockSwitched =
  /**
   * `closedBy`: the first of the blocks that are set now, the voluntary one included. Null: access is open. `wasOn`: it
   * was set before.
   */
  | { kind: 'done'; closedBy: BlockReason | null; wasOn: boolean }
  | { kind: 'refused'; reason: 'blockedOtherwise'; obstacle: BlockReason }
  | { kind: 'refused'; reason: AccountRefusal }

/** The dates of the block record change with every flag, so the audit is asked when this one was set. */
const sinceText = `SELECT coalesce((SELECT at FROM audit_operations WHERE table_name = 'ABONENTS_BLOCK' AND object_id = ($1::int8)::text
    AND diff->'b_own'->>1 = 'true' ORDER BY at DESC LIMIT 1),
  (SELECT create_date FROM abonents_block WHERE abonent_id = $1::int8)) AS since`

/** Null: there is no such subscriber, or it is deleted. */
export async function readVoluntaryBlock(
  { pool, subscribers }: Pick<ClientParts, 'pool' | 'subscribers'>,
  id: SubscriberId,
): Promise<VoluntaryBlock | null> {
  const status = await subscribers.status(id)
  if (!status || status.subscriber.deleted) return null
  const { blocks } = status.subscriber
  const obstacle = obstacleTo(blocks)
  if (!blocks.client) return { enabled: false, since: null, canEnable: obstacle === null, obstacle }
  const { rows } = await pool.query<{ since: Date | null }>(sinceText, [id])
  return { enabled: true, since: rows[0]?.since ?? null, canEnable: false, obstacle: null }
}

/** Sets or removes the voluntary block, for every interface. `done` also when it was in that state already. */
export async function switchVoluntaryBlock(
  { subscribers }: Pick<ClientParts, 'subscribers'>,
  id: SubscriberId,
  on: boolean,
  author: Author,
): Promise<BlockSwitched> {
  const status = await subscribers.status(id)
  if (!status || status.subscriber.deleted) return { kind: 'refused', reason: 'subscriberMissing' }
  const obstacle = on ? obstacleTo(status.subscriber.blocks) : null
  if (obstacle) return { kind: 'refused', reason: 'blockedOtherwise', obstacle }
  const outcome = await subscribers.ask({ kind: 'setBlock', subscriberId: id, reason: 'client', on }, author)
  if (outcome.kind === 'refused') return outcome
  const left = outcome.account.subscribers.find((subscriber) => subscriber.id === id)
  const wasOn = status.subscriber.blocks.client
  return { kind: 'done', closedBy: blockReasons.find((name) => left?.blocks[name]) ?? null, wasOn }
}

/**
 * A client who is blocked for another reason cannot set the voluntary block: it would stop the charges, and a debtor
 * has to go on being charged.
 */
const obstacleTo = (blocks: Blocks): BlockReason | null =>
  blocks.client ? null : (blockReasons.find((reason) => blocks[reason]) ?? null)
