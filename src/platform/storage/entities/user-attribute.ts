import { defineEntity, p } from '@mikro-orm/postgresql'
import { id } from './columns.ts'

/** A field an operator added to subscribers (specification 2.7). A bad or repeated code is stored and reported, so it is not unique. */
export const UserAttribute = defineEntity({
  name: 'UserAttribute',
  tableName: 'user_attributes',
  properties: {
    id: id(),
    name: p.text(),
    /** 1 string, 2 integer, 3 date, 4 boolean. */
    type_id: p.integer().default(1),
    is_sorm: p.boolean().default(false),
    sorm_field_code: p.text().nullable(),
    /** Comma-separated: ABONENT, ABONENT_LEGAL, ABONENT_IDENT. */
    sorm_report_types: p.text().nullable(),
    sorm_required: p.boolean().default(false),
    sorm_alt_names: p.text().nullable(),
  },
  checks: [{ name: 'user_attributes_type', expression: 'type_id BETWEEN 1 AND 4' }],
})
