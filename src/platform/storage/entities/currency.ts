import { defineEntity, p } from '@mikro-orm/postgresql'
import { id } from './columns.ts'

export const Currency = defineEntity({
  name: 'Currency',
  tableName: 'currencies',
  properties: {
    id: id(),
    code: p.string().length(3).unique('currencies_code'),
    name: p.text(),
    is_default: p.boolean().default(false),
  },
})
