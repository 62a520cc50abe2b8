import { defineEntity, p } from '@mikro-orm/postgresql'
import { createdNow, id } from './columns.ts'

/** Somebody who works here, or a program that works for them. */
export const Staff = defineEntity({
  name: 'Staff',
  tableName: 'staff',
  properties: {
    id: id(),
    username: p.text().unique('staff_username'),
    password_hash: p.text(),
    /** MD5 of the password, sealed by storage/secrets: the SOAP sign-in hash is made of it. */
    soap_md5: p.text().nullable(),
    is_superuser: p.boolean().default(false),
    role: p.text().default('operator'),
    enabled: p.boolean().default(true),
    create_date: createdNow(),
  },
})
