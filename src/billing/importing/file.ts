import { type FileHandle, open } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { type ColumnName, readHeader } from './columns.ts'
import { CsvReader, type CsvRecord, detectDelimiter } from './csv.ts'

const headerBytesMax = 64 * 1024
const pieceBytes = 256 * 1024
/** Smaller in the program that serves, where RADIUS and other requests are answered between two pieces. */
const servedPieceBytes = 16 * 1024

export const encodings = ['utf-8', 'windows-1251'] as const
export type Encoding = (typeof encodings)[number]

/** How a file is to be read. Without `columns` its header says what they are. */
export type Reading = {
  readonly encoding?: Encoding
  readonly columns?: readonly (ColumnName | '')[] | null
}

/** A file with a valid header. Its other lines can be read once, in pieces. */
export type SubscriberFile = Exclude<Awaited<ReturnType<typeof openFile>>, { refusal: string }>

/** The next piece of a file, at most so long; an empty one at its end. */
type Source = {
  readonly bytes: number
  next(bytesMax: number): Promise<Uint8Array>
  close(): Promise<void>
}

/** Opens a file and reads its header. `refusal`: a sentence about why the file cannot be used. */
export async function openFile(path: string) {
  let handle: FileHandle | null = null
  try {
    handle = await open(path)
    const stat = await handle.stat()
    if (!stat.isFile()) throw new Error('it is not a file')
    const opened = await readTop(sourceOf(handle, stat.size), pieceBytes, {})
    if ('refusal' in opened) await handle.close()
    return opened
  } catch (error) {
    await handle?.close()
    return { refusal: `${path} cannot be read: ${(error as Error).message}.` }
  }
}

/** The same for a file that was sent. */
export async function openSent(sent: Uint8Array, reading: Reading) {
  let at = 0
  const source: Source = {
    bytes: sent.length,
    async next(bytesMax) {
      await setImmediate()
      const piece = sent.subarray(at, at + bytesMax)
      at += piece.length
      return piece
    },
    close: async () => {},
  }
  return await readTop(source, servedPieceBytes, reading)
}

function sourceOf(handle: FileHandle, bytes: number): Source {
  const buffer = Buffer.allocUnsafe(pieceBytes)
  return {
    bytes,
    async next(bytesMax) {
      const { bytesRead } = await handle.read(buffer, 0, Math.min(bytesMax, buffer.length))
      return buffer.subarray(0, bytesRead)
    },
    close: () => handle.close(),
  }
}

async function readTop(source: Source, pieceMax: number, { encoding = 'utf-8', columns: chosen = null }: Reading) {
  // It leaves a byte order mark out, and replaces bytes that are not of the encoding.
  const decoder = new TextDecoder(encoding)
  const decode = (piece: Uint8Array): string => decoder.decode(piece, { stream: true })
  const top = await source.next(headerBytesMax)
  let bytesRead = top.length
  const text = decode(top)
  const end = text.indexOf('\n')
  const header = (end < 0 ? text : text.slice(0, end)).replace(/\r$/, '')
  const delimiter = detectDelimiter(header)
  const [record] = new CsvReader(delimiter).push(`${header}\n`)
  if (!record || 'fault' in record) return { refusal: 'The file has no header in its first line.' }
  const read = readHeader(record.fields, chosen)
  if ('refusal' in read) return read

  /** The records in the order of the file, one batch for each piece that is read. */
  async function* records(): AsyncGenerator<readonly CsvRecord[]> {
    const reader = new CsvReader(delimiter, 2)
    const rest = end < 0 ? '' : text.slice(end + 1)
    // The top is longer than a piece.
    for (let at = 0; at < rest.length; at += pieceMax) {
      await setImmediate()
      yield reader.push(rest.slice(at, at + pieceMax))
    }
    for (;;) {
      const piece = await source.next(pieceMax)
      if (piece.length === 0) break
      bytesRead += piece.length
      yield reader.push(decode(piece))
    }
    yield [...reader.push(decoder.decode()), ...reader.end()]
  }
  return { columns: read.columns, bytes: source.bytes, bytesRead: () => bytesRead, records, close: source.close }
}
