import { defineEntity, p } from '@mikro-orm/postgresql'
import { Organization } from './organization.ts'
import { Staff } from './staff.ts'

/** Which organizations a staff user may see; a superuser sees all of them. */
export const StaffOrganization = defineEntity({
  name: 'StaffOrganization',
  tableName: 'staff_organizations',
  properties: {
    staff: () => p.manyToOne(Staff).primary().deleteRule('cascade').updateRule('no action'),
    organization: () => p.manyToOne(Organization).primary().deleteRule('restrict').updateRule('no action'),
  },
  indexes: [{ name: 'staff_organizations_organization', properties: ['organization'] }],
})
