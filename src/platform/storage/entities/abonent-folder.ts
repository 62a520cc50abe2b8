import { defineEntity, p } from '@mikro-orm/postgresql'
import { id } from './columns.ts'
import { Organization } from './organization.ts'

/** The tree operators sort subscribers into; it gives a new subscriber its organization. */
export const AbonentFolder = defineEntity({
  name: 'AbonentFolder',
  tableName: 'abonent_folders',
  properties: {
    id: id(),
    parent: () => p.manyToOne(AbonentFolder).deleteRule('restrict').updateRule('no action').nullable(),
    organization: () => p.manyToOne(Organization).deleteRule('restrict').updateRule('no action'),
    name: p.text(),
  },
  indexes: [
    { name: 'abonent_folders_parent', properties: ['parent'] },
    { name: 'abonent_folders_organization', properties: ['organization'] },
  ],
})
