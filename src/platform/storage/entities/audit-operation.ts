import { createdNow, id, json, looseId, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** Who changed what. Without foreign keys: it outlives everything it names. */
export const AuditOperation = entity('audit_operations', {
  columns: {
    id: id(),
    at: createdNow(),
    user_id: looseId(),
    user_name: text().nullable(),
    address: text().nullable(),
    /** As the specification spells it: FIN_TYPES, USERS_USLUGA. */
    table_name: text(),
    object_id: text(),
    action: text(),
    diff: json<Record<string, unknown>>().nullable(),
    organization_id: looseId(),
  },
  indexes: [
    {
      name: 'audit_operations_object',
      expression: 'CREATE INDEX audit_operations_object ON audit_operations (table_name, object_id, at DESC)',
    },
    {
      name: 'audit_operations_at',
      expression: 'CREATE INDEX audit_operations_at ON audit_operations (at DESC, id DESC)',
    },
    {
      name: 'audit_operations_user',
      expression: 'CREATE INDEX audit_operations_user ON audit_operations (user_id, at DESC) WHERE user_id IS NOT NULL',
    },
  ],
})
