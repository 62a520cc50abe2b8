import type { PoolClient } from 'pg'
import type { AccountOutcome } from '../../billing/accounts/messages.ts'
import { accountRefusalText } from '../../billing/accounts/messages.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { noContent } from '../../platform/http/reply.ts'
import { authorOf } from '../../platform/staff/author.ts'
import { writeAudit } from '../../platform/storage/audit.ts'
import type { Client } from '../../platform/storage/sql.ts'
import { reading, writing } from '../../platform/storage/transactions.ts'
import { diffOf, recordValues } from './audit.ts'
import { type Body, type Current, readBody, readValues, type Values, withoutRepeated } from './body.ts'
import { type Model, quoted } from './description.ts'
import type { RestParts } from './parts.ts'
import { readRecord } from './reads.ts'
import { conflict, isRefusal, notFound, type Refusal, refusalReply, wrongRequest } from './refusals.ts'
import { type Column, checkRelations, columnsOf, databaseRefusal, insertRow, refusedByUse, updateRow } from './rows.ts'

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
  /** What the account is asked once the row is there; the last outcome is looked at. */
  readonly ask?: (saved: Saved) => Promise<AccountOutcome | null>
  /** The organization an audit row carries. */
  readonly organizationOf?: (client: Client, record: Readonly<Record<string, unknown>>) => Promise<number | null>
}

/** POST, PUT and DELETE of a model whose rows are written by SQL. */
export class Saving {
  readonly #parts: RestParts
  readonly #model: Model
  readonly #steps: Steps

  constructor(parts: RestParts, model: Model, steps: Steps = {}) {
    this.#parts = parts
    this.#model = model
    this.#steps = steps
  }

  create = (call: Call): Promise<Reply> => this.#save(call, null)

  change = (call: Call, id: string): Promise<Reply> => this.#save(call, id)

  remove = async (call: Call, id: string): Promise<Reply> => {
    const { label, table, key } = this.#model
    const refusal = await this.#guarded(undefined, () =>
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
    if (refusal) return refusalReply(refusal)
    this.#parts.log.info(`${label} deleted`, { id, staff: call.staff?.username })
    await this.#tell(id)
    return noContent()
  }

  async #save(call: Call, id: string | null): Promise<Reply> {
    const body = readBody(call)
    if (isRefusal(body)) return refusalReply(body)
    const saved = await this.save(call, id, body.body)
    if (isRefusal(saved)) return refusalReply(saved)
    return recordReply(this.#parts, this.#model, saved.id, id === null ? 201 : 200, call)
  }

  /** Creates (`id` null) or changes; for faces whose bodies and answers look different. */
  save = async (call: Call, id: string | null, body: Body): Promise<Saved | Refusal> => {
    const current = id === null ? null : await this.#current(id)
    if (id !== null && !current) return notFound
    const read = readValues(this.#model, body, current)
    if (isRefusal(read)) return read
    const values = withoutRepeated(this.#model, read.values, body, current)
    const saved = await this.#guarded(values, () =>
      writing(this.#parts, (client) => this.#write(client, call, id, values)),
    )
    if (isRefusal(saved)) return saved
    await this.#tell(saved.id)
    return outcomeRefusal((await this.#steps.ask?.(saved)) ?? null) ?? saved
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

  async #tell(id: string): Promise<void> {
    if (this.#model.access) await this.#parts.changed({ table: this.#model.table, ids: [Number(id)] })
  }

  #guarded<T>(values: Values | undefined, work: () => Promise<T>): Promise<T | Refusal> {
    return guarded(this.#model, values, work)
  }
}

/** What the database refuses in the end is told like what was refused before. */
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

/** A key that was used for something else is a conflict; every other refusal of the account is a bad request. */
export function outcomeRefusal(outcome: AccountOutcome | null): Refusal | null {
  if (outcome?.kind !== 'refused') return null
  const text = accountRefusalText[outcome.reason]
  return outcome.reason === 'keyTakenWithOtherAmount' ? conflict(text) : wrongRequest(text)
}

export async function recordReply(
  parts: RestParts,
  model: Model,
  id: string,
  status: number,
  call: Call,
): Promise<Reply> {
  const record = await reading(parts, (client) => readRecord(client, model, id, call.query))
  return record === null ? refusalReply(notFound) : jsonText(record, status)
}

/** JSON that is written already. */
export const jsonText = (body: string, status = 200): Reply => ({
  status,
  contentType: 'application/json; charset=utf-8',
  body,
})
