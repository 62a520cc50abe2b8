import { createReadStream } from 'node:fs'
import type { Encoding } from '../../importing/file.ts'
import { DumpReader } from './dump.ts'
import { readPostgres } from './postgres.ts'
import { SourceFault, type Tables, type Wanted } from './tables.ts'

/**
 * Reads the wanted tables of a live PostgreSQL (`postgres://…`), of a dump in a file, or of one on standard input
 * (`-`). Throws SourceFault.
 */
export async function readTables(from: string, wanted: Wanted, encoding: Encoding): Promise<Tables> {
  if (/^postgres(?:ql)?:\/\//.test(from)) return await readPostgres(from, wanted).catch(unreadable)
  if (/^(?:mysql|mariadb):\/\//.test(from))
    throw new SourceFault(
      'MySQL and MariaDB are read from a dump, which may be piped in: mysqldump --single-transaction --hex-blob <database> | tollgate import_from <source> -',
    )
  const reader = new DumpReader(wanted)
  const decoder = new TextDecoder(encoding)
  let isFirst = true
  try {
    for await (const piece of from === '-' ? process.stdin : createReadStream(from)) {
      if (isFirst && isUtf16(piece as Uint8Array))
        throw new SourceFault(
          `${from} is in UTF-16, as PowerShell redirects it: let mysqldump write the file itself (--result-file), or \`iconv -f UTF-16 -t UTF-8\`.`,
        )
      isFirst = false
      reader.push(decoder.decode(piece as Uint8Array, { stream: true }))
    }
  } catch (error) {
    if (error instanceof SourceFault) throw error
    throw new SourceFault(`${from} cannot be read: ${(error as Error).message}.`)
  }
  reader.push(decoder.decode())
  return reader.end()
}

/** By its byte order mark. */
const isUtf16 = ([first, second]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)

/** The address is not named, because it may have a password. */
function unreadable(error: unknown): never {
  throw new SourceFault(`The PostgreSQL to be moved in from cannot be read: ${(error as Error).message}.`)
}
