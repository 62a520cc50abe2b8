import type { Reply } from '../../platform/http/call.ts'
import { BatchedReads } from '../../platform/storage/batched-reads.ts'
import { reading, type TransactionScope } from '../../platform/storage/transactions.ts'
import type { Model } from '../../platform/records/model.ts'
import { readRecords } from '../../platform/records/reads.ts'
import { notFound } from '../../platform/records/refusals.ts'
import { jsonText, refusalReply } from './replies.ts'

/** Whole records of one model, as they are answered. GETs that wait at the same moment are read by one statement. */
export class RecordReads {
  readonly #batched: BatchedReads<string, string>

  constructor(scope: TransactionScope, model: Model) {
    this.#batched = new BatchedReads((ids) => reading(scope, (client) => readRecords(client, model, ids)))
  }

  async reply(id: string): Promise<Reply> {
    const record = await this.#batched.get(id)
    return record === null ? refusalReply(notFound) : jsonText(record)
  }
}
