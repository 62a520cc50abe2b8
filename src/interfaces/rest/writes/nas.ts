import { deriveNas } from '../../../network/radius/nas-record.ts'
import { RecordWriter } from '../../../platform/records/record-writer.ts'
import { nas } from '../models/nas.ts'
import type { RestParts } from '../parts.ts'
import { type Writes, writesThrough } from './writes.ts'

/** Writes of Nas. */
export const nasWrites = (parts: RestParts): Writes =>
  writesThrough(parts, nas, new RecordWriter(parts, nas, { derive: async (step) => deriveNas(step) }))
