import { circleRefusal, followHome, lockHomes } from '../../../billing/accounts/home-record.ts'
import { RecordWriter } from '../../../platform/records/record-writer.ts'
import { homes } from '../models/homes.ts'
import type { RestParts } from '../parts.ts'
import { type Writes, writesThrough } from './writes.ts'

/** Writes of Homes. A program may place a node as it likes, as long as the nodes remain a tree. */
export const homeWrites = (parts: RestParts): Writes =>
  writesThrough(
    parts,
    homes,
    new RecordWriter(parts, homes, {
      lock: lockHomes,
      derive: async (step) => (await circleRefusal(step)) ?? [],
      committed: (saved) => followHome(parts, saved),
    }),
  )
