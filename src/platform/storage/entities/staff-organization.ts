import { reference } from '../columns.ts'
import { entity } from '../entity.ts'

/** Which organizations a staff user may see; a superuser sees all of them. */
export const StaffOrganization = entity('staff_organizations', {
  columns: {
    staff_id: reference('staff').onDelete('cascade').primary(),
    organization_id: reference('organizations').primary(),
  },
  indexes: [{ name: 'staff_organizations_organization', columns: ['organization_id'] }],
})
