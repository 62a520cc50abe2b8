/**
 * What an element of an array may be: a type of PostgreSQL, and its value here. A moment is a Date or milliseconds
 * since 1970.
 */
type Values = {
  int4: number
  int8: number | bigint
  float8: number
  bool: boolean
  text: string
  timestamptz: Date | number
  /** Hex digits, or the octets. */
  bytea: string | Uint8Array
}

export type ColumnType = keyof Values

/** One column: its type and its value for a row. */
export type Column<Row> = {
  [Type in ColumnType]: { readonly type: Type; readonly of: (row: Row) => Values[Type] | null | undefined }
}[ColumnType]

/** Identifiers of the types in pg_type, which an array carries before its elements; they never change. */
const typeOids = {
  int4: 23,
  int8: 20,
  float8: 701,
  bool: 16,
  text: 25,
  timestamptz: 1184,
  bytea: 17,
} as const satisfies Record<ColumnType, number>

/** PostgreSQL counts microseconds from 2000. */
const epochMs = Date.UTC(2000, 0, 1)
/**
 * As many milliseconds before or after that are whole microseconds in a number; a moment beyond the year 2285 is
 * counted as a bigint.
 */
const exactMs = Number.MAX_SAFE_INTEGER / 1000
/** Number of dimensions, whether there are nulls, type of the elements, their count, first index. */
const headerBytes = 20
const high = 2 ** 32
/** Shorter texts are written unit by unit while they are ASCII, which costs less than a call of the encoder. */
const shortText = 64

/**
 * The value does not fit its type. Carries the SQLSTATE with which PostgreSQL would refuse it: nothing has been
 * written.
 */
class OutOfRange extends Error {
  readonly code = '22003'
}

export type BinaryArrays = Pick<Writer, 'column' | 'columns' | 'rows'>

/**
 * The arrays that `write` has written, in PostgreSQL's binary format and in order, as parameters of a query. The server
 * takes them as they are: no text is made of a number here and none is parsed there, and reading the same rows from
 * JSON costs it as much as writing them into the tables. Throws OutOfRange.
 */
export function binaryArrays(write: (arrays: BinaryArrays) => void): Buffer[] {
  try {
    write(shared)
    return shared.take()
  } finally {
    shared.clear()
  }
}

/** The arrays of these columns, which are the first parameters of a statement, as rows. */
export const unnested = (columns: Readonly<Record<string, { readonly type: ColumnType }>>): string =>
  `unnest(${Object.values(columns)
    .map(({ type }, at) => `$${at + 1}::${type}[]`)
    .join(', ')})`

/** Writes arrays one after another into one buffer. */
class Writer {
  #bytes = Buffer.allocUnsafeSlow(1 << 16)
  #view = viewOf(this.#bytes)
  #at = 0
  readonly #ends: number[] = []

  /**
   * An array of what stands in the column for each row. One of nothing but nulls becomes an empty array: `unnest` of
   * several fills up with nulls.
   */
  column<Row>(rows: readonly Row[], { type, of }: Column<Row>): void {
    const start = this.#at
    this.#reserve(headerBytes)
    this.#at += headerBytes
    let nulls = 0
    for (let i = 0; i < rows.length; i++) {
      const value = of(rows[i]!)
      if (value !== null && value !== undefined) this.#put(type, value)
      else {
        nulls++
        this.#putNull()
      }
    }
    this.#end(start, typeOids[type], nulls === rows.length ? 0 : rows.length, nulls > 0)
  }

  columns<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void {
    for (const column of columns) this.column(rows, column)
  }

  /** An array of rows of a composite type, whose columns are these in this order. `oid` is the type in pg_type. */
  rows<Row>(rows: readonly Row[], oid: number, columns: readonly Column<Row>[]): void {
    const start = this.#at
    this.#reserve(headerBytes)
    this.#at += headerBytes
    for (let i = 0; i < rows.length; i++) this.#putRow(rows[i]!, columns)
    this.#end(start, oid, rows.length, false)
  }

  /** All arrays written since the last call, in order. */
  take(): Buffer[] {
    const all = Buffer.from(this.#bytes.subarray(0, this.#at))
    const ends = this.#ends.splice(0)
    this.#at = 0
    return ends.map((end, index) => all.subarray(ends[index - 1] ?? 0, end))
  }

  /** Discards what an exception has left half written. */
  clear(): void {
    this.#ends.length = 0
    this.#at = 0
  }

  #end(start: number, oid: number, length: number, hasNulls: boolean): void {
    const view = this.#view
    view.setInt32(start, length > 0 ? 1 : 0)
    view.setInt32(start + 4, length > 0 && hasNulls ? 1 : 0)
    view.setInt32(start + 8, oid)
    if (length === 0) this.#at = start + 12
    else {
      view.setInt32(start + 12, length)
      view.setInt32(start + 16, 1)
    }
    this.#ends.push(this.#at)
  }

  #putRow<Row>(row: Row, columns: readonly Column<Row>[]): void {
    this.#reserve(8)
    const start = this.#at
    this.#at += 8
    for (let i = 0; i < columns.length; i++) {
      const { type, of } = columns[i]!
      this.#reserve(4)
      this.#view.setInt32(this.#at, typeOids[type])
      this.#at += 4
      const value = of(row)
      if (value === null || value === undefined) this.#putNull()
      else this.#put(type, value)
    }
    this.#view.setInt32(start, this.#at - start - 4)
    this.#view.setInt32(start + 4, columns.length)
  }

  #put(type: ColumnType, value: Values[ColumnType]): void {
    switch (type) {
      case 'int8':
        this.#putInt8(value as number | bigint)
        break
      case 'text':
        this.#putText(value as string)
        break
      case 'timestamptz':
        this.#putInt8(microsecondsOf(typeof value === 'number' ? value : (value as Date).getTime()))
        break
      case 'int4':
        this.#putInt4(value as number)
        break
      case 'bool':
        this.#reserve(5)
        this.#view.setInt32(this.#at, 1)
        this.#view.setUint8(this.#at + 4, value ? 1 : 0)
        this.#at += 5
        break
      case 'bytea':
        if (typeof value === 'string') this.#putEncoded(value, 'hex')
        else this.#putBytes(value as Uint8Array)
        break
      case 'float8':
        this.#reserve(12)
        this.#view.setInt32(this.#at, 8)
        this.#view.setFloat64(this.#at + 4, value as number)
        this.#at += 12
    }
  }

  #putNull(): void {
    this.#reserve(4)
    this.#view.setInt32(this.#at, -1)
    this.#at += 4
  }

  #putInt4(value: number): void {
    if ((value | 0) !== value) throw new OutOfRange(`${value} is no int4.`)
    this.#reserve(8)
    this.#view.setInt32(this.#at, 4)
    this.#view.setInt32(this.#at + 4, value)
    this.#at += 8
  }

  #putInt8(value: number | bigint): void {
    this.#reserve(12)
    const view = this.#view
    const at = this.#at
    view.setInt32(at, 8)
    if (typeof value === 'number') {
      if (!Number.isSafeInteger(value)) throw new OutOfRange(`${value} is no int8.`)
      const upper = Math.floor(value / high)
      view.setInt32(at + 4, upper)
      view.setUint32(at + 8, value - upper * high)
    } else {
      if (BigInt.asIntN(64, value) !== value) throw new OutOfRange(`${value} is no int8.`)
      view.setBigInt64(at + 4, value)
    }
    this.#at = at + 12
  }

  #putText(value: string): void {
    if (value.length > shortText || !this.#putAscii(value)) this.#putEncoded(value, 'utf8')
  }

  /** False for a text that is not ASCII, of which nothing is written. */
  #putAscii(value: string): boolean {
    const { length } = value
    this.#reserve(4 + length)
    const bytes = this.#bytes
    const from = this.#at + 4
    for (let i = 0; i < length; i++) {
      const unit = value.charCodeAt(i)
      if (unit > 127) return false
      bytes[from + i] = unit
    }
    this.#view.setInt32(this.#at, length)
    this.#at = from + length
    return true
  }

  #putEncoded(value: string, encoding: 'utf8' | 'hex'): void {
    // A unit of UTF-16 takes three octets at most.
    this.#reserve(4 + value.length * 3)
    const written = this.#bytes.write(value, this.#at + 4, encoding)
    this.#view.setInt32(this.#at, written)
    this.#at += 4 + written
  }

  #putBytes(value: Uint8Array): void {
    this.#reserve(4 + value.length)
    this.#view.setInt32(this.#at, value.length)
    this.#bytes.set(value, this.#at + 4)
    this.#at += 4 + value.length
  }

  #reserve(more: number): void {
    if (this.#at + more <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#at + more))
    this.#bytes.copy(larger, 0, 0, this.#at)
    this.#bytes = larger
    this.#view = viewOf(larger)
  }
}

const viewOf = (bytes: Buffer): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** One buffer serves all: arrays are written within one turn of the event loop. */
const shared = new Writer()

function microsecondsOf(ms: number): number | bigint {
  const sinceEpoch = ms - epochMs
  if (Math.abs(sinceEpoch) < exactMs) return Math.round(sinceEpoch * 1000)
  if (Number.isNaN(ms)) throw new OutOfRange('That is no moment.')
  return BigInt(sinceEpoch) * 1000n
}
