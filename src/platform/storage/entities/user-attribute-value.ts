import { id, reference, text } from '../columns.ts'
import { entity } from '../entity.ts'

export const UserAttributeValue = entity('user_attribute_values', {
  columns: {
    id: id(),
    abonent_id: reference('abonents'),
    attribute_id: reference('user_attributes'),
    value: text(),
  },
  uniques: [{ name: 'user_attribute_values_one', columns: ['abonent_id', 'attribute_id'] }],
  indexes: [{ name: 'user_attribute_values_attribute', columns: ['attribute_id'] }],
})
