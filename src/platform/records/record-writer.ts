import type { PoolClient } from 'pg'
import type { Call } from '../http/call.ts'
import type { Log } from '../log.ts'
import { authorOf } from '../staff/author.ts'
import type { VisibleOrganizations } from '../staff/visible-organizations.ts'
import { writeAudit } from '../storage/audit.ts'
import type { WrittenRows } from '../storage/changes.ts'
import type { EntityManager } from '../storage/orm.ts'
import type { Sealing } from '../secrets/secrets.ts'
import type { Client } from '../storage/sql.ts'
import { type PersistenceScope, persisting, reading } from '../storage/transactions.ts'
import { diffOf } from './diff.ts'
import type { Model } from './model.ts'
import { findRecord, type StoredRecord } from './reads.ts'
import { isRefusal, notFound, type Refusal } from './refusals.ts'
import {
  type Column,
  checkRelations,
  columnsOf,
  databaseRefusal,
  deleteRow,
  insertRow,
  refusedByUse,
  updateRow,
} from './rows.ts'
import { type Body, type Current, readValues, type Values, withoutRepeated } from './values.ts'

/** What writes of records need. */
export type RecordParts = PersistenceScope & {
  readonly secrets: Sealing
  /** Resolves when the next RADIUS request sees the change. */
  readonly changed: (rows: WrittenRows) => Promise<void>
  readonly log: Log
}

/** A write in its transaction. */
export type Step = {
  readonly client: PoolClient
  /** Of the same transaction. */
  readonly manager: EntityManager
  readonly values: Values
  /** Null before the record exists. */
  readonly before: Current
  readonly call: Call
  readonly visible: VisibleOrganizations
}

/** A write that is committed, before it is answered. */
export type Saved = {
  readonly id: string
  readonly values: Values
  readonly before: Current
  readonly after: StoredRecord
  readonly call: Call
  /** What `also` adds to the answer. */
  readonly remarks: StoredRecord
}

/** What a model does beyond writing its columns. */
export type Steps = {
  /** Takes the locks that must come before the record's own; `id` is null for a new one. */
  readonly lock?: (client: Client, id: string | null, values: Values) => Promise<void>
  /** Columns whose making takes long, before the transaction begins. */
  readonly prepare?: (values: Values) => Promise<readonly Column[]>
  /** Columns that follow from others, or a last refusal; nothing has been written yet. */
  readonly derive?: (step: Step) => Promise<readonly Column[] | Refusal>
  /** Rows of other tables that belong to the record. May return further members of the answer. */
  readonly also?: (step: Step, id: string) => Promise<void> | Promise<StoredRecord | undefined>
  /** Why a record must not be deleted although nothing uses it. */
  readonly mayRemove?: (step: Step, id: string) => Promise<Refusal | null>
  /** Rows of other tables that change when the record goes, just before it does. */
  readonly alsoRemoved?: (step: Step, id: string) => Promise<void>
  /** What follows the commit and comes before the answer; a refusal is answered although the row is written. */
  readonly committed?: (saved: Saved) => Promise<Refusal | null>
  /** What follows the commit of a deletion. */
  readonly removed?: (id: string) => void
  /**
   * The organization an audit row carries, of a record that may be deleted by now; left out: none, so only staff who
   * see all organizations see the row.
   */
  readonly organizationOf?: (client: Client, record: StoredRecord) => Promise<number | null> | number | null
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

  /** Creates a record (`id` null) or changes one that the caller may see; what the body does not name stays. */
  async save(
    call: Call,
    id: string | null,
    body: Body,
    visible: VisibleOrganizations = null,
  ): Promise<Saved | Refusal> {
    const current =
      id === null ? null : await reading(this.#parts, (client) => findRecord(client, this.#model, id, visible))
    if (id !== null && !current) return notFound
    const read = readValues(this.#model, body, current)
    if (isRefusal(read)) return read
    const values = withoutRepeated(this.#model, read.values, body, current)
    const prepared = (await this.#steps.prepare?.(values)) ?? []
    const saved = await guarded(this.#model, values, () =>
      persisting(this.#parts, (client, manager) =>
        this.#write({ client, manager, call, values, visible }, id, prepared),
      ),
    )
    if (isRefusal(saved)) return saved
    await this.#notify(saved.id)
    return (await this.#steps.committed?.(saved)) ?? saved
  }

  /** Null: it is gone. */
  async remove(call: Call, id: string, visible: VisibleOrganizations = null): Promise<Refusal | null> {
    const model = this.#model
    const refusal = await guarded(model, undefined, () =>
      persisting(this.#parts, async (client, manager): Promise<Refusal | null> => {
        await this.#steps.lock?.(client, id, new Map())
        const before = await findRecord(client, model, id, visible, { isLocked: true })
        if (!before) return notFound
        const step: Step = { client, manager, call, values: new Map(), visible, before }
        const kept = (await this.#steps.mayRemove?.(step, id)) ?? (await refusedByUse(client, model, id))
        if (kept) return kept
        await this.#steps.alsoRemoved?.(step, id)
        await deleteRow(manager, model, id)
        await this.#audit(step, id, null)
        return null
      }),
    )
    if (refusal) return refusal
    this.#parts.log.info(`${model.label} deleted`, { id, staff: call.staff?.username })
    await this.#notify(id)
    this.#steps.removed?.(id)
    return null
  }

  async #write(
    { client, manager, call, values, visible }: Omit<Step, 'before'>,
    known: string | null,
    prepared: readonly Column[],
  ): Promise<Saved | Refusal> {
    const model = this.#model
    await this.#steps.lock?.(client, known, values)
    const before = known === null ? null : await findRecord(client, model, known, visible, { isLocked: true })
    if (known !== null && !before) return notFound
    const missing = await checkRelations(client, values, { model, visible, before })
    if (missing) return missing
    const step: Step = { client, manager, call, values, visible, before }
    const derived = (await this.#steps.derive?.(step)) ?? []
    if (isRefusal(derived)) return derived
    // From here the write is accepted. Of a column named twice the last value counts, so a derived one goes before a
    // sent one.
    const columns = [...columnsOf(values, this.#parts.secrets), ...prepared, ...derived]
    const id = known ?? (await insertRow(manager, model, columns))
    if (known !== null) await updateRow(manager, model, known, columns)
    const remarks = (await this.#steps.also?.(step, id)) ?? {}
    const after = (await findRecord(client, model, id, null))!
    await this.#audit(step, id, after)
    return { id, values, before, after, call, remarks }
  }

  /** A change that changes nothing leaves no trace. */
  async #audit(step: Step, id: string, after: Current): Promise<void> {
    const { client, call, before, values } = step
    const diff = diffOf(this.#model, before, after, values)
    if (before && after && Object.keys(diff).length === 0) return
    const organizationId = (await this.#steps.organizationOf?.(client, (after ?? before)!)) ?? null
    const action = before ? (after ? 'change' : 'delete') : 'create'
    await writeAudit(client, { author: authorOf(call), table: this.#model.audit, id, action, diff, organizationId })
  }

  async #notify(id: string): Promise<void> {
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
