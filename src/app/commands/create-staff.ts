import { systemAuthor } from '../../domain/author.ts'
import { organizationId, readId, type StaffId } from '../../domain/ids.ts'
import { roleNames } from '../../platform/staff/roles.ts'
import { createStaff, defaultRole, type NewStaff, staffRefusalText } from '../../platform/staff/staff-table.ts'
import { writeAudit } from '../../platform/storage/audit.ts'
import { CommandRefusal, defineCommand } from './command.ts'
import { readNewPassword } from './new-password.ts'
import { withSecrets } from './database.ts'

export default defineCommand({
  about: 'Creates a staff user, who can sign in at once, also while Tollgate runs.',
  options: {
    username: { type: 'string', required: true, value: '<name>', about: 'How the user signs in' },
    'password-stdin': { type: 'boolean', about: 'Reads the password from standard input; a terminal asks for it' },
    password: { type: 'string', value: '<password>', about: 'The password; everybody on the machine can read it here' },
    organization: {
      type: 'string',
      multiple: true,
      value: '<id>',
      about: 'An organization whose subscribers the user may see; the default one where none is given',
    },
    role: { type: 'string', value: '<name>', about: `What the user may do: ${roleNames.join(', ')}` },
    'all-organizations': {
      type: 'boolean',
      about: 'Sees every organization, and may change what concerns all of them',
    },
    superuser: { type: 'boolean', about: 'May see and do everything' },
    soap: { type: 'boolean', about: 'May sign in by SOAP, as cashier and integration may anyhow' },
  },
  async run(
    { username, password: argument, 'password-stdin': fromInput, soap, organization, role, superuser, ...options },
    context,
  ) {
    const organizations = organization.map(readOrganization)
    const password = argument ?? (await readNewPassword(fromInput))
    const created = await withSecrets(context, async (client, secrets) => {
      const staff = {
        username,
        password,
        organizations,
        seesAllOrganizations: options['all-organizations'],
        isSuperuser: superuser,
        ...(soap && { soap }),
        role: role ?? defaultRole,
        seal: (plain: string) => secrets.seal(plain),
      }
      await client.query('BEGIN')
      const made = await createStaff(client, staff)
      if (made.kind === 'created') await audit(client, made.id, staff)
      await client.query('COMMIT')
      return made
    })
    if (argument !== undefined)
      context.log.warn('--password shows the password to everybody on this machine; use --password-stdin')
    if (created.kind === 'refused') throw new CommandRefusal(staffRefusalText[created.reason])
    context.print(`The staff user ${username} is created (id ${created.id}).`)
    return 0
  },
})

/** Whoever runs commands on this machine needs no sign-in, but the change is recorded all the same. */
const audit = (client: Parameters<typeof writeAudit>[0], id: StaffId, staff: NewStaff) =>
  writeAudit(client, {
    author: systemAuthor('create_staff'),
    table: 'STAFF',
    id: String(id),
    action: 'create',
    diff: {
      username: [null, staff.username],
      password: [null, '***'],
      role: [null, staff.role],
      is_superuser: [null, staff.isSuperuser],
      ...(staff.seesAllOrganizations && { all_organizations: [null, true] }),
      ...(staff.organizations?.length && { organizations: [null, staff.organizations] }),
    },
    organizationId: null,
  })

function readOrganization(text: string) {
  const id = readId(text)
  if (id === null) throw new CommandRefusal(`--organization must be the number of one, and "${text}" is not.`)
  return organizationId(id)
}
