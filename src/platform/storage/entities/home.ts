import { id, reference, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** The address tree: cities, streets in them, houses in those. */
export const Home = entity('homes', {
  columns: {
    id: id(),
    parent_id: reference('homes').nullable(),
    kind: text<'city' | 'street' | 'house'>(),
    name: text(),
  },
  checks: [{ name: 'homes_kind', expression: `kind IN ('city', 'street', 'house')` }],
  indexes: [{ name: 'homes_parent', columns: ['parent_id', 'name'] }],
})
