import type { Pool } from 'pg'
import { to as copyTo } from 'pg-copy-streams'

/** Before the rows: a signature, flags, and an extension that PostgreSQL does not use. */
const headerBytes = 19
const noMoreRows = -1
const isNull = -1

/**
 * The rows of a SELECT without parameters, read by COPY in its binary format, which costs a quarter of reading them as
 * text. It is meant for pages of a few thousand rows. `read` takes the columns of a row one by one. Rejects when the
 * rows have not arrived in time.
 */
export async function copiedRows<Row>(
  pool: Pool,
  select: string,
  read: (fields: CopiedFields) => Row,
  timeoutMs: number,
): Promise<CopiedRows<Row>> {
  return new CopiedRows(await copied(pool, select, timeoutMs), read)
}

/**
 * Rows as PostgreSQL sent them. Each becomes an object when it is its turn, because thousands of objects that wait for
 * theirs are costly to the garbage collector.
 */
export class CopiedRows<Row> implements Iterable<Row> {
  readonly length: number
  readonly #bytes: Buffer
  readonly #read: (fields: CopiedFields) => Row
  readonly #lastAt: number

  constructor(bytes: Buffer, read: (fields: CopiedFields) => Row) {
    this.#bytes = bytes
    this.#read = read
    const fields = new CopiedFields(bytes, headerBytes)
    let length = 0
    let lastAt = headerBytes
    for (let at = headerBytes; fields.skipRow(); at = fields.at) {
      length++
      lastAt = at
    }
    this.length = length
    this.#lastAt = lastAt
  }

  /** Null when there are no rows. */
  last(): Row | null {
    const [last = null] = this.#rowsFrom(this.#lastAt)
    return last
  }

  [Symbol.iterator](): Iterator<Row> {
    return this.#rowsFrom(headerBytes)
  }

  *#rowsFrom(at: number): Generator<Row> {
    const fields = new CopiedFields(this.#bytes, at)
    while (fields.beginRow()) yield this.#read(fields)
  }
}

async function copied(pool: Pool, select: string, timeoutMs: number): Promise<Buffer> {
  const copy = copyTo(`COPY (${select}) TO STDOUT (FORMAT binary)`)
  // pg fails a query whose callback has not been called in time, and a copy does not call it by itself.
  const query = Object.assign(copy, { query_timeout: timeoutMs, callback: () => {} })
  const client = await pool.connect()
  try {
    // A page is read sooner than PostgreSQL has started workers for it.
    await client.query('SET max_parallel_workers_per_gather = 0')
    const chunks: Buffer[] = []
    for await (const chunk of client.query(query)) chunks.push(chunk as Buffer)
    await client.query('RESET max_parallel_workers_per_gather')
    client.release()
    return Buffer.concat(chunks)
  } catch (error) {
    // The connection may be in the middle of the rows, and nobody reads from it until its end.
    client.connection.stream.destroy()
    client.release(true)
    throw error
  } finally {
    query.callback()
  }
}

/** The columns of a row, in their order. Each is read by its type; null for NULL. */
export class CopiedFields {
  readonly #bytes: Buffer
  readonly #view: DataView
  #at: number

  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#at = start
  }

  /** The offset of what is read next. */
  get at(): number {
    return this.#at
  }

  /** False when there is no further row. */
  beginRow(): boolean {
    return this.#columns() !== noMoreRows
  }

  /** As beginRow, and then over all its columns. */
  skipRow(): boolean {
    const columns = this.#columns()
    for (let column = 0; column < columns; column++) {
      const length = this.#length()
      if (length !== isNull) this.#at += length
    }
    return columns !== noMoreRows
  }

  /** An int4, or an int8 below 2^53 in amount. */
  int(): number | null {
    const length = this.#length()
    if (length === isNull) return null
    const at = this.#at
    this.#at += length
    if (length === 4) return this.#view.getInt32(at)
    return this.#view.getInt32(at) * 2 ** 32 + this.#view.getUint32(at + 4)
  }

  /** An int8 of any amount. */
  bigint(): bigint | null {
    const length = this.#length()
    if (length === isNull) return null
    this.#at += length
    return this.#view.getBigInt64(this.#at - length)
  }

  /** A float8. */
  float(): number | null {
    const length = this.#length()
    if (length === isNull) return null
    this.#at += length
    return this.#view.getFloat64(this.#at - length)
  }

  bool(): boolean | null {
    const length = this.#length()
    if (length === isNull) return null
    this.#at += length
    return this.#view.getUint8(this.#at - length) !== 0
  }

  text(): string | null {
    const length = this.#length()
    if (length === isNull) return null
    this.#at += length
    return this.#bytes.toString('utf8', this.#at - length, this.#at)
  }

  #columns(): number {
    const columns = this.#view.getInt16(this.#at)
    this.#at += 2
    return columns
  }

  #length(): number {
    const length = this.#view.getInt32(this.#at)
    this.#at += 4
    return length
  }
}
