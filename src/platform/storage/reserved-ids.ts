import type { Sql } from './sql.ts'

/**
 * Hands out ids of a sequence, which it fetches 500 at a time. A row that has its id before it is written can be written
 * again when nobody knows whether it was. The ids left over at the end are never used: gaps are fine.
 */
export class ReservedIds {
  readonly #sql: Sql
  readonly #sequence: string
  #ready: number[] = []
  #fetching: Promise<void> | null = null

  constructor(sql: Sql, sequence: string) {
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
