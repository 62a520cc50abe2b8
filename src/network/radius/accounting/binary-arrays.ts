/** Object identifiers of PostgreSQL's own types; they never change. */
export const oids = { int8: 20, text: 25, int4: 23, timestamptz: 1184 } as const

/** PostgreSQL counts microseconds from the beginning of 2000. */
const epochMs = 946_684_800_000
const high = 4_294_967_296

/**
 * An array as PostgreSQL sends and takes it in binary: written without a string for every number and read without parsing one.
 * A parameter that is a Buffer goes to the server in this form.
 */
export class BinaryArray {
  #bytes = Buffer.allocUnsafe(4096)
  #view = viewOf(this.#bytes)
  #at = headerBytes
  #count = 0
  #rowAt = 0
  #columns = 0

  constructor(elementOid: number) {
    this.#view.setInt32(0, 1)
    this.#view.setInt32(4, 0)
    this.#view.setInt32(8, elementOid)
    this.#view.setInt32(16, 1)
  }

  /** What stands in the query; the array is not to be written to afterwards. An empty array is one of length zero. */
  finish(): Buffer {
    this.#view.setInt32(12, this.#count)
    return this.#bytes.subarray(0, this.#at)
  }

  addInt8(value: number | bigint): void {
    this.#count++
    this.#putInt8(value)
  }

  addInt4(value: number): void {
    this.#count++
    this.#room(8)
    this.#view.setInt32(this.#at, 4)
    this.#view.setInt32(this.#at + 4, value)
    this.#at += 8
  }

  /** Milliseconds since 1970. */
  addMoment(ms: number): void {
    this.#count++
    this.#putInt8(microsecondsOf(ms))
  }

  addText(value: string): void {
    this.#count++
    this.#putText(value)
  }

  /** An element of a composite type; its columns follow in their order. */
  beginRow(): void {
    this.#count++
    this.#room(8)
    this.#rowAt = this.#at
    this.#columns = 0
    this.#at += 8
  }

  endRow(): void {
    this.#view.setInt32(this.#rowAt, this.#at - this.#rowAt - 4)
    this.#view.setInt32(this.#rowAt + 4, this.#columns)
  }

  columnInt8(value: number | bigint | null): void {
    this.#column(oids.int8)
    if (value === null) this.#putNull()
    else this.#putInt8(value)
  }

  columnMoment(ms: number | null): void {
    this.#column(oids.timestamptz)
    if (ms === null) this.#putNull()
    else this.#putInt8(microsecondsOf(ms))
  }

  columnText(value: string | null): void {
    this.#column(oids.text)
    if (value === null) this.#putNull()
    else this.#putText(value)
  }

  #column(oid: number): void {
    this.#columns++
    this.#room(4)
    this.#view.setInt32(this.#at, oid)
    this.#at += 4
  }

  #putNull(): void {
    this.#room(4)
    this.#view.setInt32(this.#at, -1)
    this.#at += 4
  }

  #putInt8(value: number | bigint): void {
    this.#room(12)
    const view = this.#view
    const at = this.#at
    view.setInt32(at, 8)
    if (typeof value === 'bigint') view.setBigInt64(at + 4, value)
    else {
      const upper = Math.floor(value / high)
      view.setInt32(at + 4, upper)
      view.setUint32(at + 8, value - upper * high)
    }
    this.#at = at + 12
  }

  #putText(value: string): void {
    const { length } = value
    // Three octets for a UTF-16 unit at most.
    this.#room(4 + length * 3)
    const bytes = this.#bytes
    const from = this.#at + 4
    let at = from
    for (let i = 0; i < length; i++) {
      const unit = value.charCodeAt(i)
      if (unit > 127) {
        at = from + bytes.write(value, from, 'utf8')
        break
      }
      bytes[at++] = unit
    }
    this.#view.setInt32(from - 4, at - from)
    this.#at = at
  }

  #room(octets: number): void {
    if (this.#at + octets <= this.#bytes.length) return
    const wider = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + octets))
    wider.set(this.#bytes.subarray(0, this.#at))
    this.#bytes = wider
    this.#view = viewOf(wider)
  }
}

/** Dimensions, whether there are nulls, element type, length, first index. */
const headerBytes = 20

const viewOf = (bytes: Buffer): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const microsecondsOf = (ms: number): number => Math.round((ms - epochMs) * 1000)
