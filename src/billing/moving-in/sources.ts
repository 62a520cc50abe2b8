import { dirname, resolve } from 'node:path'
import type { Encoding } from '../importing/file.ts'
import { abillsTables, readAbills } from './abills.ts'
import { mappedRecords } from './csv/mapped.ts'
import { readMapping } from './csv/mapping.ts'
import { readFreeradiusFiles } from './freeradius/files.ts'
import { freeradiusTables, readFreeradiusTables } from './freeradius/sql.ts'
import type { Present } from './moments.ts'
import type { MovedRecord } from './records.ts'
import { readCsv } from './tables/csv.ts'
import { readTables } from './tables/read.ts'
import { readUserManager } from './user-manager.ts'
import { SourceFault } from './tables/tables.ts'

type SourceOrder = {
  /** A file, a folder, an address or `-`, as the source has it. */
  readonly from: string
  readonly encoding: Encoding
  /** A file that says what the columns of a CSV file are; null: there is none. */
  readonly mapping: string | null
  readonly present: Present
}

/** What can be moved in from. `from`: what is read. A source that is not what it should be throws SourceFault. */
export type Source = {
  readonly about: string
  read(order: SourceOrder): Promise<Iterable<MovedRecord>>
}

export const sources: Readonly<Record<string, Source>> = {
  freeradius_sql: {
    about:
      'tables of FreeRADIUS, with those of daloRADIUS: postgres://…, a file of mysqldump or pg_dump, or - for one that is piped in',
    read: async ({ from, encoding, present }) =>
      readFreeradiusTables(await readTables(from, freeradiusTables, encoding), present),
  },
  freeradius_files: {
    about:
      'files of FreeRADIUS: a folder with users (or mods-config/files/authorize) and clients.conf, such as /etc/freeradius/3.0',
    read: async ({ from, present }) => readFreeradiusFiles(from, present),
  },
  abills: {
    about:
      'a dump of ABillS: a file of mysqldump, or - for one that is piped in; see docs/moving-in.md for its passwords',
    read: async ({ from, encoding, present }) => readAbills(await readTables(from, abillsTables, encoding), present),
  },
  user_manager: {
    about: 'an export of the User Manager of RouterOS: /user-manager export show-sensitive',
    read: async ({ from, encoding }) => readUserManager(from, encoding),
  },
  csv: {
    about: 'any CSV file with a header, by a mapping in JSON (--mapping)',
    read: async ({ from, encoding, mapping, present }) => {
      if (mapping === null) throw new SourceFault('A CSV file needs --mapping, a file that says what its columns are.')
      const open = (file: string) => readCsv(resolve(dirname(from), file), encoding)
      return mappedRecords(readCsv(from, encoding), readMapping(mapping), open, present.zone)
    },
  },
}
