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
  try {
    for await (const piece of from === '-' ? process.stdin : createReadStream(from))
      reader.push(decoder.decode(piece as Uint8Array, { stream: true }))
  } catch (error) {
    if (error instanceof SourceFault) throw error
    throw new SourceFault(`${from} cannot be read: ${(error as Error).message}.`)
  }
  reader.push(decoder.decode())
  return reader.end()
}

/** The address is not named, because it may have a password. */
function unreadable(error: unknown): never {
  throw new SourceFault(`The PostgreSQL to be moved in from cannot be read: ${(error as Error).message}.`)
}
