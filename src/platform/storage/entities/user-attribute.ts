import { boolean, id, integer, text } from '../columns.ts'
import { entity } from '../entity.ts'

/**
 * A field an operator added to subscribers (specification 2.7). A bad or repeated code is stored and reported, so it is
 * not unique.
 */
export const UserAttribute = entity('user_attributes', {
  columns: {
    id: id(),
    name: text(),
    /** 1 string, 2 integer, 3 date, 4 boolean. */
    type_id: integer().default(1),
    is_sorm: boolean().default(false),
    sorm_field_code: text().nullable(),
    /** Comma-separated: ABONENT, ABONENT_LEGAL, ABONENT_IDENT. */
    sorm_report_types: text().nullable(),
    sorm_required: boolean().default(false),
    sorm_alt_names: text().nullable(),
  },
  checks: [{ name: 'user_attributes_type', expression: 'type_id BETWEEN 1 AND 4' }],
})
