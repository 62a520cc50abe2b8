import { boolean, id, smallint, text, varchar } from '../columns.ts'
import { entity } from '../entity.ts'

/** A kind of finance operation (specification 2.5); the fixed numbers are in domain/operation. */
export const FinType = entity('fin_types', {
  columns: {
    type_id: id(),
    op_name: varchar(256),
    op_sign: smallint<1 | -1 | 0>(),
    op_descr: text().nullable(),
    is_common: boolean().default(false),
    enabled: boolean().default(true),
  },
  checks: [{ name: 'fin_types_op_sign', expression: 'op_sign IN (1, -1, 0)' }],
})
