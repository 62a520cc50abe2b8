import type { Reply } from '../../platform/http/call.ts'
import { jsonText } from '../../platform/http/reply.ts'
import { BatchedReads } from '../../platform/storage/batched-reads.ts'
import type { TransactionScope } from '../../platform/storage/transactions.ts'
import { type Model, quoted } from '../../platform/records/model.ts'
import { recordSql } from '../../platform/records/record-sql.ts'
import { notFound } from '../../platform/records/refusals.ts'
import { refusalReply } from './replies.ts'

/**
 * Several small statements, so that PostgreSQL reads the records of some while the answers to others are written. In
 * one statement all callers would wait for PostgreSQL, and then PostgreSQL for all of them.
 */
const batches = { batchMax: 24, inFlightMax: 3 }

/** Reads whole records of a model. GETs that arrive at the same moment share statements. */
export class RecordReads {
  readonly #batched: BatchedReads<string, string>

  constructor(scope: TransactionScope, model: Model) {
    const name = `records:${model.name}`
    let text = ''
    this.#batched = new BatchedReads(async (ids) => {
      text ||= recordsText(model)
      const values = [ids, scope.timeZone()]
      const { rows } = await scope.database.pool.query<[id: string, record: string]>({
        ...{ name, text, values, rowMode: 'array' },
      })
      // Taken out of pg's result, which V8 takes for alive until a full collection, as --trace-gc-nvp shows: it would
      // promote every row to the old generation, and a GET would cost a tenth more.
      return new Map(rows.splice(0))
    }, batches)
  }

  async reply(id: string): Promise<Reply> {
    const record = await this.#batched.get(id)
    return record === null ? refusalReply(notFound) : jsonText(record)
  }
}

/**
 * The statement that reads records; $1 are the ids and $2 is the time zone of datetimes. The time zone is set for this
 * statement only, by a row that is joined with every record, so that it applies before the first record is formatted. A
 * transaction with SET LOCAL would take two more round trips.
 */
function recordsText(model: Model): string {
  const key = `this.${quoted(model.key)}`
  return `SELECT ${key}::text, ${recordSql(model, 'this', null)}
    FROM set_config('TimeZone', $2, true) AS zone, ${model.table} AS this WHERE ${key} = ANY ($1::int8[])`
}
