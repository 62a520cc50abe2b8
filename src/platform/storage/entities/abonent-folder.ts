import { id, reference, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** The tree operators sort subscribers into; it gives a new subscriber its organization. */
export const AbonentFolder = entity('abonent_folders', {
  columns: {
    id: id(),
    parent_id: reference('abonent_folders').nullable(),
    organization_id: reference('organizations'),
    name: text(),
  },
  indexes: [
    { name: 'abonent_folders_parent', columns: ['parent_id'] },
    { name: 'abonent_folders_organization', columns: ['organization_id'] },
  ],
})
