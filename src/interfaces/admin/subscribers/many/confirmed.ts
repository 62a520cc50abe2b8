import Type from 'typebox'
import { field } from '../../../../platform/http/fields.ts'
import { nullable, schemas } from '../../../../platform/http/schemas.ts'

/** More are not told apart one by one. */
export const confirmedIdsMax = 1_000
/** So many names of those who came say enough, and a run is read with all of them. */
const cameMax = 100

/** What a preview by a filter told: how many it meant, and whom where they are few. */
type Confirmed = { readonly total: number; readonly ids?: readonly number[] }

const isCount = (sent: unknown): sent is number => Number.isSafeInteger(sent) && (sent as number) >= 0

const confirmedField = field<Confirmed>(
  Type.Object({
    total: schemas.integer,
    ids: Type.Optional(Type.Array(schemas.integer, { maxItems: confirmedIdsMax })),
  }),
  `have total and, where the preview told them, ids, at most ${confirmedIdsMax}`,
  (sent) => {
    const { total, ids } = (sent ?? {}) as { readonly total?: unknown; readonly ids?: unknown }
    if (!isCount(total)) return null
    if (ids === undefined || ids === null) return { total }
    return Array.isArray(ids) && ids.length <= confirmedIdsMax && ids.every(isCount) ? { total, ids } : null
  },
)

/** Of the body of an order that is begun. */
export const confirmedFields = {
  confirmed: Type.Optional(
    Type.With(confirmedField, {
      description:
        '`total` and `ids` of the preview that somebody has seen of this filter. The run is for those whom it finds now, and tells how they differ.',
    }),
  ),
}

/** Of a preview. */
export const idsMember = Type.With(nullable(Type.Array(schemas.integer)), {
  description: `Those who were meant, for \`confirmed\` of the order, where a filter finds at most ${confirmedIdsMax}`,
})

/** Of what a run was asked for: those whom its filter finds now, beside what was confirmed. */
export function sinceConfirmed(
  { total, ids }: Confirmed,
  found: readonly { readonly id: number; readonly name: string }[],
) {
  if (!ids) return { confirmed: total }
  const before = new Set(ids)
  const came = found.filter(({ id }) => !before.has(id))
  const gone = before.size - (found.length - came.length)
  return { confirmed: total, came: came.slice(0, cameMax), gone }
}

/** What only a run by a filter was asked for. */
export const askedOfFilter: readonly string[] = ['filter', 'confirmed', 'came', 'gone']
