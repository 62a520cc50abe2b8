import { type FileHandle, open } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'
import { type Columns, readHeader } from './columns.ts'
import { CsvReader, type CsvRecord, detectDelimiter } from './csv.ts'

const pieceBytes = 256 * 1024
const headerBytesMax = 64 * 1024
const byteOrderMark = '\ufeff'

/** A file with a valid header. Its other lines can be read once, in pieces. */
export class SubscriberFile {
  readonly columns: Columns
  readonly bytes: number
  readonly #handle: FileHandle
  readonly #reader: CsvReader
  readonly #decoder: StringDecoder
  /** The text that was read together with the header. */
  readonly #first: string
  #bytesRead: number

  private constructor(parts: {
    handle: FileHandle
    columns: Columns
    reader: CsvReader
    decoder: StringDecoder
    first: string
    bytes: number
    bytesRead: number
  }) {
    this.columns = parts.columns
    this.bytes = parts.bytes
    this.#handle = parts.handle
    this.#reader = parts.reader
    this.#decoder = parts.decoder
    this.#first = parts.first
    this.#bytesRead = parts.bytesRead
  }

  get bytesRead(): number {
    return this.#bytesRead
  }

  /** Opens a file and reads its header. `refusal`: a sentence about why the file cannot be used. */
  static async open(path: string): Promise<SubscriberFile | { refusal: string }> {
    let handle: FileHandle | null = null
    try {
      handle = await open(path)
      const stat = await handle.stat()
      if (!stat.isFile()) throw new Error('it is not a file')
      const opened = await readTop(handle, stat.size)
      if ('refusal' in opened) await handle.close()
      return opened
    } catch (error) {
      await handle?.close()
      return { refusal: `${path} cannot be read: ${(error as Error).message}.` }
    }
  }

  static of(handle: FileHandle, bytes: number, top: { text: string; bytesRead: number; decoder: StringDecoder }) {
    const end = top.text.indexOf('\n')
    const header = (end < 0 ? top.text : top.text.slice(0, end)).replace(/\r$/, '')
    const delimiter = detectDelimiter(header)
    const [record] = new CsvReader(delimiter).push(`${header}\n`)
    if (!record || 'fault' in record) return { refusal: 'The file has no header in its first line.' }
    const read = readHeader(record.fields)
    if ('refusal' in read) return read
    const first = end < 0 ? '' : top.text.slice(end + 1)
    const { decoder, bytesRead } = top
    const reader = new CsvReader(delimiter, 2)
    return new SubscriberFile({ handle, columns: read.columns, reader, decoder, first, bytes, bytesRead })
  }

  /** The records in the order of the file, one batch for each piece that is read. */
  async *records(): AsyncGenerator<readonly CsvRecord[]> {
    yield this.#reader.push(this.#first)
    const piece = Buffer.allocUnsafe(pieceBytes)
    for (;;) {
      const { bytesRead } = await this.#handle.read(piece, 0, pieceBytes)
      if (bytesRead === 0) break
      this.#bytesRead += bytesRead
      yield this.#reader.push(this.#decoder.write(piece.subarray(0, bytesRead)))
    }
    yield [...this.#reader.push(this.#decoder.end()), ...this.#reader.end()]
  }

  close(): Promise<void> {
    return this.#handle.close()
  }
}

async function readTop(handle: FileHandle, bytes: number) {
  const decoder = new StringDecoder('utf8')
  const piece = Buffer.allocUnsafe(headerBytesMax)
  const { bytesRead } = await handle.read(piece, 0, headerBytesMax)
  const decoded = decoder.write(piece.subarray(0, bytesRead))
  const text = decoded.startsWith(byteOrderMark) ? decoded.slice(1) : decoded
  return SubscriberFile.of(handle, bytes, { text, bytesRead, decoder })
}
