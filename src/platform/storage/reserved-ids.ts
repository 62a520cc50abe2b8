import type { Sql } from './sql.ts'

/** Sequences whose ids are somewhere before their rows are in the tables: in reserve at a program, or at a gateway. */
export const reservedSequences = [
  'finance_operations_op_id_seq',
  'outbox_id_seq',
  'users_uslugas_id_seq',
  'radius_sessions_id_seq',
  'coa_requests_id_seq',
  'payment_orders_id_seq',
] as const

/**
 * Hands out ids of a sequence, which it fetches 500 at a time. A row that has its id before it is written can be
 * written again when nobody knows whether it was. The ids left over at the end are never used: gaps are fine.
 */
export class ReservedIds {
  readonly #sql: Sql
  readonly #sequence: (typeof reservedSequences)[number]
  #ready: number[] = []
  #fetching: Promise<void> | null = null

  constructor(sql: Sql, sequence: (typeof reservedSequences)[number]) {
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
    const text = 'SELECT nextval($1::regclass) AS id FROM generate_series(1, 500) ORDER BY id DESC'
    const { rows } = await this.#sql.query({ name: 'ids', text, values: [this.#sequence] })
    // Ids are taken from the end of the list, so the new and larger ones go to its beginning.
    this.#ready = [...(rows as { id: string }[]).map(({ id }) => Number(id)), ...this.#ready]
  }
}
