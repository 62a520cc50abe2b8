import { boolean, createdNow, id, sealed, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** Somebody who works here, or a program that works for them. */
export const Staff = entity('staff', {
  columns: {
    id: id(),
    username: text().unique('staff_username'),
    password_hash: text(),
    /** MD5 of the password: the SOAP sign-in hash is made of it. */
    soap_md5: sealed().nullable(),
    is_superuser: boolean().default(false),
    role: text().default('operator'),
    enabled: boolean().default(true),
    create_date: createdNow(),
  },
})
