import { defineEntity, p } from '@mikro-orm/postgresql'
import { id } from './columns.ts'

/** The address tree: cities, streets in them, houses in those. */
export const Home = defineEntity({
  name: 'Home',
  tableName: 'homes',
  properties: {
    id: id(),
    parent: () => p.manyToOne(Home).deleteRule('restrict').updateRule('no action').nullable(),
    kind: p.text().$type<'city' | 'street' | 'house'>(),
    name: p.text(),
  },
  checks: [{ name: 'homes_kind', expression: `kind IN ('city', 'street', 'house')` }],
  indexes: [{ name: 'homes_parent', properties: ['parent', 'name'] }],
})
