import type { AddressChanges } from '../../domain/effects.ts'
import { loginId } from '../../domain/ids.ts'
import type { Call } from '../../platform/http/call.ts'
import type { Saved, Step, Steps } from '../../platform/records/record-writer.ts'
import type { Column } from '../../platform/records/rows.ts'
import { authorOf } from '../../platform/staff/author.ts'
import type { User } from '../../platform/storage/entities/network.ts'
import type { Abonent } from '../../platform/storage/entities/subscribers.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import { reading } from '../../platform/storage/transactions.ts'
import { accountOfSubscriber, lockAccounts, organizationOfSubscriber } from './account-locks.ts'
import { type AccountParts, outcomeRefusal } from './account-writes.ts'

const accountsOfLogin = `SELECT account_id FROM abonents WHERE id IN (SELECT abonent_id FROM users WHERE id = $1::int8) OR id = $2::int8`

const table = 'users'

/**
 * What a write of a login does beyond its columns, for every model that has the fields `abonent` and `enabled`. The row
 * is written by SQL; the access switch is changed by a message to the account of the subscriber.
 */
export const loginSteps = (parts: AccountParts) =>
  ({
    lock: (client, id, values) => lockAccounts(client, accountsOfLogin, [id, values.get('abonent')?.value ?? null]),
    derive: async (step): Promise<readonly Column[]> => (step.before ? [] : switchColumns(step)),
    committed: async (saved) => {
      // Sessions that were opened with the old password or for the former subscriber must end.
      if (isAnotherClient(saved)) await parts.changed({ table, ids: [Number(saved.id)], signsOut: true })
      return (
        outcomeRefusal(await askAccount(parts, saved)) ??
        outcomeRefusal(await tellSessions(parts, saved, hasOtherVlan(saved) && { kind: 'changeVlan' })) ??
        outcomeRefusal(await tellSessions(parts, saved, readdressed(saved)))
      )
    },
    organizationOf: (client, record) => organizationOfSubscriber(client, record.abonent),
  }) satisfies Steps

/** The login is switched off before it is removed, so that the account disconnects its live sessions. */
export async function removeLogin<R extends object | null>(
  parts: AccountParts,
  call: Call,
  id: string,
  remove: () => Promise<R>,
): Promise<R> {
  const account = await reading(parts, async (client) => {
    const text = 'SELECT abonent_id FROM users WHERE id = $1::int8'
    const { rows } = await client.query<RowOf<typeof User, 'abonent_id'>>(text, [id])
    return rows[0] ? accountOfSubscriber(client, rows[0].abonent_id) : null
  })
  if (account !== null) {
    const command = { kind: 'setLogin', loginId: loginId(id), enabled: false } as const
    await parts.accounts.ask(account, command, authorOf(call))
  }
  const removed = await remove()
  if (account !== null) parts.accounts.invalidate(account)
  return removed
}

const isAnotherClient = ({ before, after, values }: Saved): boolean =>
  before !== null && (values.has('password') || before.abonent !== after.abonent)

/** The switch of a new login: a login of a blocked subscriber starts switched off. */
async function switchColumns({ client, values }: Step): Promise<Column[]> {
  const isEnabled = values.get('enabled')?.value !== false
  const text = 'SELECT enabled FROM abonents WHERE id = $1::int8'
  const { rows } = await client.query<RowOf<typeof Abonent, 'enabled'>>(text, [values.get('abonent')!.value])
  return [
    { column: 'enabled', value: isEnabled && rows[0]?.enabled === true },
    { column: 'disabled_by_hand', value: !isEnabled },
  ]
}

async function askAccount(parts: AccountParts, { id, values, before, after, call }: Saved) {
  const author = authorOf(call)
  const { account, former } = await reading(parts, async (client) => ({
    account: await accountOfSubscriber(client, after.abonent),
    former: before && before.abonent !== after.abonent ? await accountOfSubscriber(client, before.abonent) : null,
  }))
  if (former !== null) parts.accounts.invalidate(former)
  if (account === null) return null
  parts.accounts.invalidate(account)
  const enabled = values.get('enabled')?.value
  const setsLogin = before !== null && enabled !== undefined
  const command = setsLogin
    ? ({ kind: 'setLogin', loginId: loginId(id), enabled: enabled === true } as const)
    : ({ kind: 'sweep' } as const)
  return parts.accounts.ask(account, command, author)
}

type Telling = { kind: 'changeVlan' } | { kind: 'changeAddresses'; changes: AddressChanges }

const hasOtherVlan = ({ before, after }: Saved): boolean => before !== null && before.vlan !== after.vlan

/** The fields by which a sign-in is told addresses, or is recognized by one. */
const addressFields = {
  ip: 'ip',
  ipv6Prefix: 'ipv6_prefix',
  delegatedIpv6Prefix: 'delegated_ipv6_prefix',
  mac: 'mac',
} as const satisfies Record<keyof AddressChanges, string>

function readdressed({ before, after }: Saved): Telling | false {
  if (before === null) return false
  const changes = Object.entries(addressFields).flatMap(([name, field]) => {
    const [was, is] = [before[field] ?? null, after[field] ?? null]
    return was === is ? [] : [[name, { was, is }] as const]
  })
  return changes.length > 0 && { kind: 'changeAddresses', changes: Object.fromEntries(changes) as AddressChanges }
}

/** Live sessions follow what was changed of their login, which has been written. */
async function tellSessions(parts: AccountParts, { id, after, call }: Saved, telling: Telling | false) {
  if (!telling) return null
  const account = await reading(parts, (client) => accountOfSubscriber(client, after.abonent))
  if (account === null) return null
  return parts.accounts.ask(account, { ...telling, loginId: loginId(id) }, authorOf(call))
}
