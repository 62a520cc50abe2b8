import { boolean, id, text, varchar } from '../columns.ts'
import { entity } from '../entity.ts'

export const Currency = entity('currencies', {
  columns: {
    id: id(),
    code: varchar(3).unique('currencies_code'),
    name: text(),
    is_default: boolean().default(false),
  },
})
