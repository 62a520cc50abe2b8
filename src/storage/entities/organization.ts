import { defineEntity, p } from '@mikro-orm/postgresql'
import { id } from './columns.ts'

/** A company of the group. Every subscriber and every operation belongs to one. */
export const Organization = defineEntity({
  name: 'Organization',
  tableName: 'organizations',
  properties: {
    id: id(),
    name: p.text(),
  },
})
