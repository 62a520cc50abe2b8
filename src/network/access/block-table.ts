import type { Pool } from 'pg'
import { goneAfterMs } from '../../platform/nodes/nodes-table.ts'
import { advisoryLocks } from '../../platform/storage/advisory-locks.ts'
import type { Client } from '../../platform/storage/sql.ts'
import { writing } from '../../platform/storage/transactions.ts'
import { offerGraceSeconds } from './offer-log.ts'
import type { Block } from './pools.ts'

/** A program that holds blocks: the number of its node, and the id of its data folder. */
export type BlockHolder = { readonly node: number; readonly folder: string }

const blocksOfPool = 8
const blockMin = 64
const blocksMax = 1024

/** How many addresses a block of a pool has. Even a small pool has several blocks, and a large one not too many. */
export const blockSizeOf = (poolSize: number): number =>
  poolSize <= blocksOfPool * blockMin ? Math.max(1, poolSize / blocksOfPool) : Math.max(blockMin, poolSize / blocksMax)

/** The size of the largest block there is, that of a pool with the most addresses. */
const sizeMax = 1024

/**
 * The table of who gives out which addresses. One program writes it at a time, so a program that has read its own rows
 * knows that none of its earlier writes is still to come, even where the answer to one was lost.
 */
export class BlockTable {
  readonly #pool: Pool
  readonly #own: BlockHolder

  constructor(pool: Pool, own: BlockHolder) {
    this.#pool = pool
    this.#own = own
  }

  get own(): BlockHolder {
    return this.#own
  }

  /**
   * Takes up the blocks of an earlier program of this data folder. The blocks of a program that had the name of this
   * node elsewhere are left for a while, because nobody here knows its last offers, and it may still be running.
   */
  async inherit(): Promise<void> {
    const { node, folder } = this.#own
    await this.#locked(async (client) => {
      await client.query('UPDATE pool_blocks SET node = $1, until = NULL WHERE folder = $2', [node, folder])
      await client.query(
        `UPDATE pool_blocks SET until = clock_timestamp() + interval '${goneAfterMs} milliseconds'
          WHERE node = $1 AND folder <> $2 AND until IS NULL`,
        [node, folder],
      )
    })
  }

  /**
   * Takes every block of these pools that nobody holds, and returns all blocks that this program holds then, in their
   * order.
   */
  async claim(pools: readonly Block[]): Promise<Block[]> {
    return this.#locked(async (client) => {
      await client.query('DELETE FROM pool_blocks WHERE until < clock_timestamp()')
      return this.#takeUnheld(client, pools)
    })
  }

  /** As `claim`, and takes the blocks of nodes that were not heard of for 15 minutes, too. */
  async claimOfGone(pools: readonly Block[]): Promise<Block[]> {
    return this.#locked(async (client) => {
      await client.query(`DELETE FROM pool_blocks WHERE until < clock_timestamp() OR ${isGoneSql}`, [this.#own.node])
      return this.#takeUnheld(client, pools)
    })
  }

  async #takeUnheld(client: Client, pools: readonly Block[]): Promise<Block[]> {
    const { node, folder } = this.#own
    const sizes = pools.map(({ size }) => size)
    await client.query(
      `INSERT INTO pool_blocks (first, size, node, folder)
        SELECT at.first, pool.block, $4, $5 FROM unnest($1::int8[], $2::int8[], $3::int4[]) AS pool(first, size, block),
          generate_series(pool.first, pool.first + pool.size - 1, pool.block) AS at(first)
        WHERE NOT ${isTakenSql('at.first', 'pool.block')} ON CONFLICT DO NOTHING`,
      [pools.map(({ first }) => first), sizes, sizes.map(blockSizeOf), node, folder],
    )
    return this.#held(client)
  }

  /** Takes again what this program believes to hold, as far as nobody else holds it; answers all that it holds then. */
  async claimAgain(blocks: readonly Block[]): Promise<Block[]> {
    const { node, folder } = this.#own
    return this.#locked(async (client) => {
      await client.query(
        `INSERT INTO pool_blocks (first, size, node, folder)
          SELECT first, size, $3, $4 FROM unnest($1::int8[], $2::int4[]) AS block(first, size)
          WHERE NOT ${isTakenSql('block.first', 'block.size')} ON CONFLICT DO NOTHING`,
        [blocks.map(({ first }) => first), blocks.map(({ size }) => size), node, folder],
      )
      return this.#held(client)
    })
  }

  async give(blocks: readonly Block[], to: BlockHolder): Promise<void> {
    await this.#write(blocks, 'UPDATE pool_blocks SET node = $3, folder = $4', [to.node, to.folder])
  }

  async giveBack(blocks: readonly Block[]): Promise<void> {
    await this.#write(blocks, 'DELETE FROM pool_blocks', [])
  }

  /** Gives blocks back that become free when the last offers of this program have lapsed. */
  async giveBackLater(blocks: readonly Block[]): Promise<void> {
    const text = `UPDATE pool_blocks SET until = clock_timestamp() + interval '${offerGraceSeconds} s'`
    await this.#write(blocks, text, [])
  }

  async #write(blocks: readonly Block[], change: string, values: readonly unknown[]): Promise<void> {
    if (blocks.length === 0) return
    const firsts = blocks.map(({ first }) => first)
    const text = `${change} WHERE first = ANY($1::int8[]) AND folder = $2`
    await this.#locked((client) => client.query(text, [firsts, this.#own.folder, ...values]))
  }

  async #held(client: Client): Promise<Block[]> {
    const { rows } = await client.query<{ first: string; size: number }>(
      'SELECT first, size FROM pool_blocks WHERE folder = $1 AND until IS NULL ORDER BY first',
      [this.#own.folder],
    )
    return rows.map(({ first, size }) => ({ first: Number(first), size }))
  }

  #locked<T>(work: (client: Client) => Promise<T>): Promise<T> {
    return writing({ database: { pool: this.#pool }, timeZone: () => 'UTC' }, async (client) => {
      await client.query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.poolBlocks])
      return await work(client)
    })
  }
}

/**
 * SQL: the node of the block was not heard of for so long that its offers have lapsed and the sessions that followed
 * them are known. The node `$1` is never gone.
 */
const isGoneSql = `node <> $1 AND NOT EXISTS (SELECT FROM nodes WHERE number = pool_blocks.node
  AND heartbeat_at > clock_timestamp() - interval '${goneAfterMs} milliseconds')`

/**
 * SQL: whether somebody holds a block that overlaps this one, which may have other limits because the pool has changed.
 */
const isTakenSql = (first: string, size: string): string =>
  `EXISTS (SELECT FROM pool_blocks held WHERE held.first > ${first} - ${sizeMax} AND held.first < ${first} + ${size}
    AND held.first + held.size > ${first})`
