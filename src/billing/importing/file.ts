import { type FileHandle, open } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'
import { readHeader } from './columns.ts'
import { CsvReader, type CsvRecord, detectDelimiter } from './csv.ts'

const pieceBytes = 256 * 1024
const headerBytesMax = 64 * 1024
const byteOrderMark = '\ufeff'

/** A file with a valid header. Its other lines can be read once, in pieces. */
export type SubscriberFile = Exclude<Awaited<ReturnType<typeof openFile>>, { refusal: string }>

/** Opens a file and reads its header. `refusal`: a sentence about why the file cannot be used. */
export async function openFile(path: string) {
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

async function readTop(handle: FileHandle, bytes: number) {
  const decoder = new StringDecoder('utf8')
  const piece = Buffer.allocUnsafe(headerBytesMax)
  let { bytesRead } = await handle.read(piece, 0, headerBytesMax)
  const decoded = decoder.write(piece.subarray(0, bytesRead))
  const text = decoded.startsWith(byteOrderMark) ? decoded.slice(1) : decoded
  const end = text.indexOf('\n')
  const header = (end < 0 ? text : text.slice(0, end)).replace(/\r$/, '')
  const delimiter = detectDelimiter(header)
  const [record] = new CsvReader(delimiter).push(`${header}\n`)
  if (!record || 'fault' in record) return { refusal: 'The file has no header in its first line.' }
  const read = readHeader(record.fields)
  if ('refusal' in read) return read

  /** The records in the order of the file, one batch for each piece that is read. */
  async function* records(): AsyncGenerator<readonly CsvRecord[]> {
    const reader = new CsvReader(delimiter, 2)
    yield reader.push(end < 0 ? '' : text.slice(end + 1))
    const next = Buffer.allocUnsafe(pieceBytes)
    for (;;) {
      const { bytesRead: length } = await handle.read(next, 0, pieceBytes)
      if (length === 0) break
      bytesRead += length
      yield reader.push(decoder.write(next.subarray(0, length)))
    }
    yield [...reader.push(decoder.end()), ...reader.end()]
  }
  return { columns: read.columns, bytes, bytesRead: () => bytesRead, records, close: () => handle.close() }
}
