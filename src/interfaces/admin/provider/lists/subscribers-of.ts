import Type from 'typebox'
import type { Clock } from '../../../../platform/actors/clock.ts'
import { schemas } from '../../../../platform/http/schemas.ts'
import { isVisible, type VisibleOrganizations } from '../../../../platform/staff/visible-organizations.ts'
import type { Parameters } from '../../../../platform/storage/parameters.ts'
import { reading, type TransactionScope } from '../../../../platform/storage/transactions.ts'
import { Remembered } from '../../remembered.ts'

export type UsesScope = TransactionScope & { readonly clock: Clock }

/** How many subscribers of an organization have a tariff or a service. */
type Use = { readonly record: number; readonly organization: number; readonly subscribers: number }

/** The uses that a caller may see. */
export type SeenUses = {
  /** A join of the rows of `row` by their ids with `used.subscribers`, null where nobody has the record. */
  readonly joinTo: (row: string, parameters: Parameters) => string
  /** The items, each with its members `subscribers` and `organizations`. */
  readonly addedTo: <Item extends { readonly id: number }>(items: readonly Item[]) => readonly (Item & UsesOfRecord)[]
}

type UsesOfRecord = {
  readonly subscribers: number
  readonly organizations: readonly { readonly id: number; readonly subscribers: number }[]
}

/**
 * How many subscribers have each record of a dictionary, by organization. With a million subscribers all of them are
 * read, which is why it is remembered. `text` selects `record`, `organization` and `subscribers`, most first.
 */
export class SubscribersOf {
  readonly #uses: Remembered<readonly Use[]>

  constructor(scope: UsesScope, text: string) {
    this.#uses = new Remembered<readonly Use[]>(scope.clock, () =>
      reading(scope, async (client) => (await client.query<Use>(text)).rows),
    )
  }

  async seenBy(visible: VisibleOrganizations): Promise<SeenUses> {
    const uses = await this.#uses.get('')
    const seen = Map.groupBy(
      uses.filter(({ organization }) => isVisible(visible, organization)),
      ({ record }) => record,
    )
    const of = (id: number): UsesOfRecord => {
      const organizations = (seen.get(id) ?? []).map(({ organization, subscribers }) => ({
        id: organization,
        subscribers,
      }))
      return { subscribers: organizations.reduce((sum, { subscribers }) => sum + subscribers, 0), organizations }
    }
    const ids = [...seen.keys()]
    return {
      joinTo: (row, parameters) => {
        const counts = ids.map((id) => of(id).subscribers)
        const used = `unnest(${parameters.add(ids, 'int8[]')}, ${parameters.add(counts, 'int4[]')})`
        return `LEFT JOIN ${used} AS used(id, subscribers) ON used.id = ${row}.id`
      },
      addedTo: (items) => items.map((item) => ({ ...item, ...of(item.id) })),
    }
  }
}

/** What `SeenUses.addedTo` adds to an item. */
export const usesSchema = {
  subscribers: Type.Integer({ description: 'Not deleted; on a large base as of some seconds ago' }),
  organizations: Type.Array(Type.Object({ id: schemas.integer, subscribers: schemas.integer }), {
    description: 'Whose subscribers have it',
  }),
}
