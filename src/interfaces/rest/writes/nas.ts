import { RecordWriter, type Step } from '../../../platform/records/record-writer.ts'
import { drf, type Refusal, wrongFields } from '../../../platform/records/refusals.ts'
import type { Column } from '../../../platform/records/rows.ts'
import { nas } from '../models/nas.ts'
import type { RestParts } from '../parts.ts'
import { type Writes, writesThrough } from './writes.ts'

/** Writes of Nas. */
export const nasWrites = (parts: RestParts): Writes =>
  writesThrough(parts, nas, new RecordWriter(parts, nas, { derive: async (step) => derive(step) }))

/**
 * A record is of an address or of a network. What has been learned about the NAS is reset, because it must be learned
 * again after every save (contract section 6).
 */
function derive({ values, before }: Step): readonly Column[] | Refusal {
  const after = (name: string) => (values.has(name) ? values.get(name)!.value : (before?.[name] ?? null))
  const hasIp = after('ip') !== null
  if (hasIp === (after('network') !== null))
    return wrongFields(hasIp ? { network: ['Either ip or network is set, not both.'] } : { ip: [drf.required] })
  const resets = [
    'learned_message_authenticator',
    'learned_proxy_state',
    'learned_interims',
    'secret_seen_at',
    'secret_next_seen_at',
  ]
  return resets.map((column) => ({ column, value: null }))
}
