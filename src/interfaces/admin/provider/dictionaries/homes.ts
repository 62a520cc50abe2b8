import {
  type HomeKind,
  homeFields,
  homeKinds,
  homeUsedBy,
  followHome,
  lockHomes,
} from '../../../../billing/accounts/home-record.ts'
import type { Model } from '../../../../platform/records/model.ts'
import type { Step } from '../../../../platform/records/record-writer.ts'
import { type Refusal, refusedWrite, wrongField } from '../../../../platform/records/refusals.ts'
import { plainValues } from '../../../../platform/records/values.ts'
import { visibleSql } from '../../../../platform/staff/visible-organizations.ts'
import { homesWithin } from '../../../../platform/storage/addresses.ts'
import { Home } from '../../../../platform/storage/entities/subscribers.ts'
import type { TransactionScope } from '../../../../platform/storage/transactions.ts'
import type { Dictionary } from './description.ts'
import { dictionaryModel } from './fields.ts'

/** The address tree belongs to everybody, and whoever enters subscribers may add what it lacks. */
export const homeModel: Model = dictionaryModel({
  name: 'homes',
  doc: 'Addresses: cities, streets in them, houses in those',
  entity: Home,
  audit: 'HOMES',
  fields: homeFields(() => homeModel),
  usedBy: homeUsedBy,
})

export const homeDictionary = (scope: TransactionScope): Dictionary => ({
  model: homeModel,
  order: 'this.name',
  searched: 'this.name',
  steps: {
    lock: lockHomes,
    derive: async (step) => (await misplaced(step)) ?? (await taken(step)) ?? (await ofOthers(step)) ?? [],
    committed: (saved) => followHome(scope, saved),
  },
})

type Node = { readonly id?: string; readonly kind: HomeKind; readonly name: string; readonly parent: unknown }

/** The node as it is to be. */
const nodeOf = ({ before, values }: Step) => ({ ...before, ...plainValues(values) }) as unknown as Node

/** Streets lie in cities, and houses in streets, or in a place without any. So no node can lie in itself. */
async function misplaced(step: Step): Promise<Refusal | null> {
  const { kind, parent } = nodeOf(step)
  if (step.before !== null && step.before.kind !== kind) return wrongField('kind', 'It cannot be changed.', 'fixed')
  const { rows } = await step.client.query<{ kind: HomeKind }>('SELECT kind FROM homes WHERE id = $1::int8', [parent])
  const above = rows[0] ? homeKinds.indexOf(rows[0].kind) : -1
  if (kind === 'city') return rows[0] ? wrongField('parent', 'A city lies in nothing.') : null
  if (!rows[0]) return wrongField('parent', 'It must name what it lies in.', 'required')
  return above < homeKinds.indexOf(kind) ? null : wrongField('parent', `A ${kind} cannot lie in a ${rows[0].kind}.`)
}

/** Two operators would otherwise enter the same street twice. */
async function taken(step: Step): Promise<Refusal | null> {
  const { kind, name, parent } = nodeOf(step)
  const { rowCount } = await step.client.query(
    `SELECT FROM homes WHERE parent_id IS NOT DISTINCT FROM $1::int8 AND kind = $2 AND lower(name) = lower($3)
      AND id IS DISTINCT FROM $4::int8 LIMIT 1`,
    [parent, kind, name, step.before?.id ?? null],
  )
  return rowCount === 0 ? null : wrongField('name', 'There is one with this name already.', 'taken')
}

/** A new name is written into the addresses of all who live there. */
async function ofOthers({ client, before, visible }: Step): Promise<Refusal | null> {
  if (before === null || visible === null) return null
  const { rowCount } = await client.query(
    `SELECT FROM abonents WHERE home_id = ANY(${homesWithin('$1::int8')})
      AND NOT coalesce(${visibleSql('organization_id', '$2')}, false) LIMIT 1`,
    [before.id, visible],
  )
  return rowCount === 0
    ? null
    : refusedWrite('Subscribers of other organizations live there.', 403, 'foreign_subscribers')
}
