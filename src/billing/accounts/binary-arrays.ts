/** Types of PostgreSQL that columns of a statement may have. */
export type ColumnType = 'int4' | 'int8' | 'bool' | 'text' | 'timestamptz' | 'bytea'

type Values = {
  int4: number
  int8: number | bigint
  bool: boolean
  text: string
  timestamptz: Date
  /** Hex digits. */
  bytea: string
}

/** One column: its type, and what stands in it for a row. */
export type Column<Row> = {
  [T in ColumnType]: { readonly type: T; readonly of: (row: Row) => Values[T] | null | undefined }
}[ColumnType]

/** Numbers of the types in pg_type, which an array carries before its elements. */
const oids = { int4: 23, int8: 20, bool: 16, text: 25, timestamptz: 1184, bytea: 17 } as const satisfies Record<
  ColumnType,
  number
>

/** PostgreSQL counts microseconds from 2000. */
const epochMs = Date.UTC(2000, 0, 1)

/** The value does not fit its type. Carries the SQLSTATE with which PostgreSQL would refuse it: nothing has been written. */
export class OutOfRange extends Error {
  readonly code = '22003'
}

/**
 * Writes columns as arrays in PostgreSQL's binary format. The server takes them as they are; reading the same rows from JSON costs it
 * as much as writing them into the tables. A column of nothing but nulls becomes an empty array: `unnest` of several fills up with nulls.
 */
export class BinaryArrays {
  #bytes = Buffer.allocUnsafeSlow(1 << 16)
  #length = 0
  readonly #ends: number[] = []

  column<Row>(rows: readonly Row[], { type, of }: Column<Row>): void {
    const start = this.#length
    this.#reserve(20)
    this.#length += 20
    let hasValue = false
    let hasNull = false
    for (const row of rows) {
      const value = of(row)
      if (value === null || value === undefined) {
        this.#reserve(4)
        this.#length = this.#bytes.writeInt32BE(-1, this.#length)
        hasNull = true
      } else {
        this.#write(type, value)
        hasValue = true
      }
    }
    if (!hasValue) this.#length = start + 12
    const bytes = this.#bytes
    bytes.writeInt32BE(hasValue ? 1 : 0, start)
    bytes.writeInt32BE(hasValue && hasNull ? 1 : 0, start + 4)
    bytes.writeInt32BE(oids[type], start + 8)
    if (hasValue) {
      bytes.writeInt32BE(rows.length, start + 12)
      bytes.writeInt32BE(1, start + 16)
    }
    this.#ends.push(this.#length)
  }

  /** All columns written since the last call, in order, as parameters of a query. */
  take(): Buffer[] {
    const all = Buffer.from(this.#bytes.subarray(0, this.#length))
    const ends = this.#ends.splice(0)
    this.#length = 0
    return ends.map((end, index) => all.subarray(ends[index - 1] ?? 0, end))
  }

  /** Forgets what an exception has left half written. */
  clear(): void {
    this.#ends.length = 0
    this.#length = 0
  }

  #write(type: ColumnType, value: Values[ColumnType]): void {
    switch (type) {
      case 'int8':
        this.#int8(value as number | bigint)
        break
      case 'text':
        this.#text(value as string, 'utf8')
        break
      case 'bytea':
        this.#text(value as string, 'hex')
        break
      case 'timestamptz':
        this.#int8(BigInt(momentOf(value as Date) - epochMs) * 1000n)
        break
      case 'int4': {
        if (((value as number) | 0) !== value) throw new OutOfRange(`${value} is no int4.`)
        this.#reserve(8)
        this.#bytes.writeInt32BE(4, this.#length)
        this.#length = this.#bytes.writeInt32BE(value, this.#length + 4)
        break
      }
      case 'bool':
        this.#reserve(5)
        this.#bytes.writeInt32BE(1, this.#length)
        this.#length = this.#bytes.writeUInt8(value ? 1 : 0, this.#length + 4)
    }
  }

  #int8(value: number | bigint): void {
    this.#reserve(12)
    const bytes = this.#bytes
    bytes.writeInt32BE(8, this.#length)
    if (typeof value === 'number') {
      if (!Number.isSafeInteger(value)) throw new OutOfRange(`${value} is no int8.`)
      bytes.writeInt32BE(Math.floor(value / 2 ** 32), this.#length + 4)
      bytes.writeUInt32BE(value >>> 0, this.#length + 8)
    } else {
      if (BigInt.asIntN(64, value) !== value) throw new OutOfRange(`${value} is no int8.`)
      bytes.writeBigInt64BE(value, this.#length + 4)
    }
    this.#length += 12
  }

  #text(value: string, encoding: 'utf8' | 'hex'): void {
    this.#reserve(4 + value.length * 3)
    const written = this.#bytes.write(value, this.#length + 4, encoding)
    this.#bytes.writeInt32BE(written, this.#length)
    this.#length += 4 + written
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#length + more))
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }
}

function momentOf(date: Date): number {
  const ms = date.getTime()
  if (Number.isNaN(ms)) throw new OutOfRange('That is no moment.')
  return ms
}
