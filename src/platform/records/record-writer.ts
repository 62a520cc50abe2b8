import type { PoolClient } from 'pg'
import type { Call } from '../http/call.ts'
import type { Log } from '../log.ts'
import { authorOf } from '../staff/author.ts'
import { writeAudit } from '../storage/audit.ts'
import type { WrittenRows } from '../storage/changes.ts'
import type { Sealing } from '../storage/secrets.ts'
import type { Client } from '../storage/sql.ts'
import { reading, type TransactionScope, writing } from '../storage/transactions.ts'
import { diffOf, recordValues } from './diff.ts'
import { type Model, quoted } from './model.ts'
import { readRecord } from './reads.ts'
import { isRefusal, notFound, type Refusal } from './refusals.ts'
import { type Column, checkRelations, columnsOf, databaseRefusal, insertRow, refusedByUse, updateRow } from './rows.ts'
import { type Body, type Current, readValues, type Values, withoutRepeated } from './values.ts'

/** What writes of records stand on. */
export type RecordParts = TransactionScope & {
  readonly secrets: Sealing
  /** Resolves when the next RADIUS request sees the change. */
  readonly changed: (rows: WrittenRows) => Promise<void>
  readonly log: Log
}

/** A write in its transaction. */
export type Step = {
  readonly client: PoolClient
  readonly values: Values
  readonly before: Current
  readonly call: Call
}

/** A write that is committed, before it is answered. */
export type Saved = {
  readonly id: string
  readonly values: Values
  readonly before: Current
  readonly after: Readonly<Record<string, unknown>>
  readonly call: Call
}

/** What a model does beyond writing its columns. */
export type Steps = {
  /** Takes the locks that must come before the record's own; `id` is null for a new one. */
  readonly lock?: (client: Client, id: string | null, values: Values) => Promise<void>
  /** Columns that follow from others, or a last refusal; nothing has been written yet. */
  readonly derive?: (step: Step) => Promise<readonly Column[] | Refusal>
  /** Rows of other tables that belong to the record. */
  readonly also?: (step: Step, id: string) => Promise<void>
  /** What follows the commit and comes before the answer; a refusal is answered although the row is written. */
  readonly committed?: (saved: Saved) => Promise<Refusal | null>
  /** The organization an audit row carries. */
  readonly organizationOf?: (client: Client, record: Readonly<Record<string, unknown>>) => Promise<number | null>
}

/** Creates, changes and deletes records of a model, with their audit, in one transaction each. */
export class RecordWriter {
  readonly #parts: RecordParts
  readonly #model: Model
  readonly #steps: Steps

  constructor(parts: RecordParts, model: Model, steps: Steps = {}) {
    this.#parts = parts
    this.#model = model
    this.#steps = steps
  }

  /** Creates a record (`id` null) or changes one; what the body does not name stays. */
  async save(call: Call, id: string | null, body: Body): Promise<Saved | Refusal> {
    const current = id === null ? null : await this.#current(id)
    if (id !== null && !current) return notFound
    const read = readValues(this.#model, body, current)
    if (isRefusal(read)) return read
    const values = withoutRepeated(this.#model, read.values, body, current)
    const saved = await guarded(this.#model, values, () =>
      writing(this.#parts, (client) => this.#write(client, call, id, values)),
    )
    if (isRefusal(saved)) return saved
    await this.#announce(saved.id)
    return (await this.#steps.committed?.(saved)) ?? saved
  }

  /** Null: it is gone. */
  async remove(call: Call, id: string): Promise<Refusal | null> {
    const { label, table, key } = this.#model
    const refusal = await guarded(this.#model, undefined, () =>
      writing(this.#parts, async (client): Promise<Refusal | null> => {
        await this.#steps.lock?.(client, id, new Map())
        const before = await this.#lockedRecord(client, id)
        if (!before) return notFound
        const used = await refusedByUse(client, this.#model, id)
        if (used) return used
        const organizationId = (await this.#steps.organizationOf?.(client, before)) ?? null
        await client.query(`DELETE FROM ${table} WHERE ${quoted(key)} = $1::int8`, [id])
        const audit = {
          author: authorOf(call),
          table: this.#model.audit,
          id,
          action: 'delete',
          organizationId,
        } as const
        await writeAudit(client, { ...audit, diff: diffOf(this.#model, before, null) })
        return null
      }),
    )
    if (refusal) return refusal
    this.#parts.log.info(`${label} deleted`, { id, staff: call.staff?.username })
    await this.#announce(id)
    return null
  }

  async #write(client: PoolClient, call: Call, known: string | null, values: Values): Promise<Saved | Refusal> {
    await this.#steps.lock?.(client, known, values)
    const before = known === null ? null : await this.#lockedRecord(client, known)
    if (known !== null && !before) return notFound
    const missing = await checkRelations(client, values)
    if (missing) return missing
    const step: Step = { client, values, before, call }
    const derived = (await this.#steps.derive?.(step)) ?? []
    if (isRefusal(derived)) return derived
    // From here the write is accepted.
    const columns = [...columnsOf(values, this.#parts.secrets), ...derived]
    const id = known ?? (await insertRow(client, this.#model, columns))
    if (known !== null) await updateRow(client, this.#model, known, columns)
    await this.#steps.also?.(step, id)
    const after = recordValues((await readRecord(client, this.#model, id))!)
    const diff = diffOf(this.#model, before, after, values)
    if (Object.keys(diff).length > 0) {
      const organizationId = (await this.#steps.organizationOf?.(client, after)) ?? null
      const action = known === null ? 'create' : 'change'
      await writeAudit(client, { author: authorOf(call), table: this.#model.audit, id, action, diff, organizationId })
    }
    return { id, values, before, after, call }
  }

  async #current(id: string): Promise<Current> {
    const text = await reading(this.#parts, (client) => readRecord(client, this.#model, id))
    return text === null ? null : recordValues(text)
  }

  async #lockedRecord(client: Client, id: string): Promise<Current> {
    const { table, key } = this.#model
    await client.query(`SELECT 1 FROM ${table} WHERE ${quoted(key)} = $1::int8 FOR UPDATE`, [id])
    const text = await readRecord(client, this.#model, id)
    return text === null ? null : recordValues(text)
  }

  async #announce(id: string): Promise<void> {
    if (this.#model.access) await this.#parts.changed({ table: this.#model.table, ids: [Number(id)] })
  }
}

/** A refusal of the database itself is returned like one of the checks before it. */
export async function guarded<T>(
  model: Model,
  values: Values | undefined,
  work: () => Promise<T>,
): Promise<T | Refusal> {
  try {
    return await work()
  } catch (error) {
    const refusal = databaseRefusal(error, model, values)
    if (refusal) return refusal
    throw error
  }
}
