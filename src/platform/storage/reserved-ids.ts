import type { Sql } from './sql.ts'

const fetchedIds = 500

/** Sequences whose ids are somewhere before their rows are in the tables: in reserve at a program, or at a gateway. */
type ReservedSequence =
  | 'finance_operations_op_id_seq'
  | 'outbox_id_seq'
  | 'users_uslugas_id_seq'
  | 'radius_sessions_id_seq'
  | 'coa_requests_id_seq'
  | 'payment_orders_id_seq'

/**
 * SQL for FROM: rows `id`, as many as the parameter says, in ascending order. A server that has been promoted since the
 * last ones skips those that the server before it may have given out.
 */
export const takenIdsSql = (sequence: ReservedSequence, count: '$1' | '1'): string =>
  `tollgate_take_ids('${sequence}', ${count}) AS id`

/**
 * Hands out ids of a sequence, which it fetches 500 at a time. A row that has its id before it is written can be
 * written again when nobody knows whether it was. The ids left over at the end are never used: gaps are fine.
 */
export class ReservedIds {
  readonly #sql: Sql
  readonly #sequence: ReservedSequence
  #ready: number[] = []
  #fetching: Promise<void> | null = null

  constructor(sql: Sql, sequence: ReservedSequence) {
    this.#sql = sql
    this.#sequence = sequence
  }

  /** In ascending order. */
  async take(count: number): Promise<number[]> {
    while (this.#ready.length < count) {
      this.#fetching ??= this.#fetch().finally(() => {
        this.#fetching = null
      })
      await this.#fetching
    }
    return this.#ready.splice(-count).reverse()
  }

  async #fetch(): Promise<void> {
    const text = `SELECT id FROM ${takenIdsSql(this.#sequence, '$1')} ORDER BY id DESC`
    const { rows } = await this.#sql.query({ name: `ids ${this.#sequence}`, text, values: [fetchedIds] })
    // Ids are taken from the end of the list, so the new and larger ones go to its beginning.
    this.#ready = [...(rows as { id: string }[]).map(({ id }) => Number(id)), ...this.#ready]
  }
}
