import { BatchedReads } from '../../billing/accounts/batched-reads.ts'
import type { Account } from '../../domain/account.ts'
import type { Events } from '../../domain/events.ts'
import type { Reply } from '../../platform/http/call.ts'
import { type Change, watchChanges } from '../../platform/storage/changes.ts'
import type { Database } from '../../platform/storage/database.ts'
import { reading, type TransactionScope } from '../../platform/storage/transactions.ts'
import type { Model } from './description.ts'
import { LatelyUsed } from './lately-used.ts'
import { models } from './models/index.ts'
import { readRecords } from './reads.ts'
import { notFound, refusalReply } from './refusals.ts'
import { jsonText } from './saving.ts'

/** What must hold for memory to speak for the tables. */
export type Hearing = {
  /** As `hearing` of storage/database.ts: null while writes of others may go unheard, another number after each such time. */
  readonly era: () => number | null
  /** Nothing that this program has written waits for being told. */
  readonly isTold: () => boolean
  readonly nowMs: () => number
}

/** Of each model: some 25,000 subscribers. */
const memoryBytesMax = 32 * 1024 * 1024
/** What a record costs beside its text. */
const entryBytes = 400
/** The longest that a write is overlooked of which nobody tells: rows changed in psql with all triggers switched off. */
export const believedMs = 30_000

type Known = { readonly reply: Reply; readonly era: number; readonly readMs: number }

/**
 * Records asked for lately, as they are answered. Nobody has to remember to invalidate them: a record falls by the notices that the
 * database itself sends for every table it is made of (`Model.madeOf`) and by the commits of accounts; and nothing is answered
 * from here while a write of this program has not been told, or while others may write unheard.
 *
 *     asked ──known, heard, told──► answered at once
 *       └──else──► read together with the others that wait ──not written meanwhile──► known ──notice, commit, age──► forgotten
 */
export class RecordMemory {
  readonly #scope: TransactionScope
  readonly #hearing: Hearing
  readonly #shelves: ReadonlyMap<string, Shelf>
  /** Of the moments in the records that are known. */
  #timeZone = ''

  constructor(scope: TransactionScope, hearing: Hearing, models: readonly Model[]) {
    this.#scope = scope
    this.#hearing = hearing
    const kept = models.filter(({ madeOf }) => madeOf)
    this.#shelves = new Map(kept.map((model) => [model.name, new Shelf(model, scope)]))
  }

  /** The record, or the refusal. Immediate when memory may speak. Null: this model is not kept here. */
  reply(model: Model, id: string): Reply | Promise<Reply> | null {
    const shelf = this.#shelves.get(model.name)
    if (!shelf) return null
    this.#followTimeZone()
    const known = this.#hearing.isTold() ? shelf.records.get(id) : undefined
    const mayBelieve = known && known.era === this.#hearing.era() && this.#hearing.nowMs() - known.readMs < believedMs
    return mayBelieve ? known.reply : this.#read(shelf, id)
  }

  /** Rows that others than the ledger wrote, and those this program wrote without it. */
  noticed({ table, ids }: Change): void {
    for (const shelf of this.#shelves.values()) {
      const source = shelf.model.madeOf?.find((one) => one.table === table)
      if (!source) continue
      if (ids === '*' || source.names === 'nothing') shelf.forgetAll()
      else for (const id of ids) shelf.forget(id)
    }
  }

  /** A commit of the ledger. */
  committed(account: Account): void {
    for (const shelf of this.#shelves.values()) {
      for (const id of shelf.model.committedWith?.(account) ?? []) shelf.forget(id)
    }
  }

  #followTimeZone(): void {
    const timeZone = this.#scope.timeZone()
    if (timeZone === this.#timeZone) return
    this.#timeZone = timeZone
    for (const shelf of this.#shelves.values()) shelf.forgetAll()
  }

  async #read(shelf: Shelf, id: string): Promise<Reply> {
    const era = this.#hearing.era()
    const readMs = this.#hearing.nowMs()
    const { record, isCurrent } = await shelf.read(id)
    if (record === null) return refusalReply(notFound)
    const body = bytesOf(record)
    const reply = { ...jsonText(''), body }
    // What was written meanwhile is not kept, and nothing of a time in which others may have written unheard.
    if (isCurrent && era !== null && era === this.#hearing.era())
      shelf.records.set(id, { reply, era, readMs }, body.length + entryBytes)
    return reply
  }
}

/** Bytes of its own: a slice of Node's pool would keep its neighbours in memory, and a string would be encoded at every answer. */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  bytes.write(text)
  return bytes
}

/** The records of one model, and their reading. */
class Shelf {
  readonly model: Model
  readonly records = new LatelyUsed<string, Known>(memoryBytesMax)
  readonly #gathered: BatchedReads<string, string>
  /** Readings under way of records that nobody has written since they were asked for, the last of each. */
  readonly #asked = new Map<string, symbol>()

  constructor(model: Model, scope: TransactionScope) {
    this.model = model
    this.#gathered = new BatchedReads((ids) => reading(scope, (client) => readRecords(client, model, ids)))
  }

  /** `isCurrent`: nobody was heard to write it meanwhile. */
  async read(id: string): Promise<{ record: string | null; isCurrent: boolean }> {
    const ticket = Symbol()
    this.#asked.set(id, ticket)
    try {
      const record = await this.#gathered.get(id)
      return { record, isCurrent: this.#asked.get(id) === ticket }
    } finally {
      if (this.#asked.get(id) === ticket) this.#asked.delete(id)
    }
  }

  forget(record: number): void {
    const id = String(record)
    this.records.delete(id)
    this.#asked.delete(id)
  }

  forgetAll(): void {
    this.records.clear()
    this.#asked.clear()
  }
}

type Sources = {
  readonly database: Database
  readonly accounts: { /** Commits of which nobody knows whether they happened. */ readonly inDoubt: number }
  readonly events: Pick<Events, 'on'>
  readonly timeZone: () => string
}

/** The memory of all models, and everything that tells it what was written. */
export function keepRecords(sources: Sources, onStop: (end: () => void) => void): RecordMemory {
  const { database, accounts, events } = sources
  const hearing: Hearing = {
    era: () => database.hearing(),
    isTold: () => database.areOwnWritesTold() && accounts.inDoubt === 0,
    nowMs: () => performance.now(),
  }
  const memory = new RecordMemory(sources, hearing, models)
  events.on('accountCommitted', ({ before, after }) => {
    memory.committed(before)
    memory.committed(after)
  })
  onStop(watchChanges(database, (change) => memory.noticed(change)))
  return memory
}
