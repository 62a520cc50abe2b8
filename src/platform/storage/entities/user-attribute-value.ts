import { defineEntity, p } from '@mikro-orm/postgresql'
import { Abonent } from './abonent.ts'
import { id } from './columns.ts'
import { UserAttribute } from './user-attribute.ts'

export const UserAttributeValue = defineEntity({
  name: 'UserAttributeValue',
  tableName: 'user_attribute_values',
  properties: {
    id: id(),
    abonent: () => p.manyToOne(Abonent).deleteRule('restrict').updateRule('no action'),
    attribute: () => p.manyToOne(UserAttribute).deleteRule('restrict').updateRule('no action'),
    value: p.text(),
  },
  uniques: [{ name: 'user_attribute_values_one', properties: ['abonent', 'attribute'] }],
  indexes: [{ name: 'user_attribute_values_attribute', properties: ['attribute'] }],
})
