import * as field from '../../platform/records/fields.ts'
import type { FieldSpec } from '../../platform/records/model.ts'

/** The fields of a payment card besides its id and who used it, at every door. */
export const cardFields = (nominal: FieldSpec): FieldSpec[] => [
  field.text('serial', 'Serial number; unique.', field.required),
  field.text('pin', 'PIN.', { ...field.required, access: 'writeOnly', verbatim: true }),
  nominal,
  field.choice('status', 'State.', ['new', 'active', 'used', 'blocked']),
]
