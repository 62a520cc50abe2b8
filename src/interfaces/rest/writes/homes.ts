import { followHome } from '../../../billing/accounts/home-record.ts'
import { RecordWriter } from '../../../platform/records/record-writer.ts'
import { homes } from '../models/homes.ts'
import type { RestParts } from '../parts.ts'
import { type Writes, writesThrough } from './writes.ts'

/** Writes of Homes. */
export const homeWrites = (parts: RestParts): Writes =>
  writesThrough(parts, homes, new RecordWriter(parts, homes, { committed: (saved) => followHome(parts, saved) }))
