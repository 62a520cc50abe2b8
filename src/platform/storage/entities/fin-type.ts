import { defineEntity, p } from '@mikro-orm/postgresql'
import { id } from './columns.ts'

/** A kind of finance operation (specification 2.5); the fixed numbers are in domain/operation. */
export const FinType = defineEntity({
  name: 'FinType',
  tableName: 'fin_types',
  properties: {
    type_id: id(),
    op_name: p.string().length(256),
    op_sign: p.smallint().$type<1 | -1 | 0>(),
    op_descr: p.text().nullable(),
    is_common: p.boolean().default(false),
    enabled: p.boolean().default(true),
  },
  checks: [{ name: 'fin_types_op_sign', expression: 'op_sign IN (1, -1, 0)' }],
})
