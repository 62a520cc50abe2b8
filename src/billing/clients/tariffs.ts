import type { Author } from '../../domain/author.ts'
import { type Day, dayOf, firstDay, monthOf, nextMonth, startOfDay } from '../../domain/calendar.ts'
import type { SubscriberId } from '../../domain/ids.ts'
import { moneyFromUnits } from '../../domain/money.ts'
import type { Tarif } from '../../platform/storage/entities/services.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import type { ClientParts } from './parts.ts'

type Row = RowOf<typeof Tarif, 'id' | 'name' | 'price' | 'speed_mbit' | 'upload_mbit' | 'description'> & {
  is_current: boolean
}
type NextRow = { id: string; name: string; next_tarif_date: Date }

const offered = `SELECT tarif.id, tarif.name, price, speed_mbit, upload_mbit, description, tarif.id = abonents.tarif_id IS TRUE AS is_current
  FROM abonents JOIN tarifs AS tarif ON tarif.id = abonents.tarif_id OR (tarif.enabled AND tarif.is_public)
  WHERE abonents.id = $1 ORDER BY price, tarif.id`

const planned = `SELECT tarif.id, tarif.name, next_tarif_date FROM abonents JOIN tarifs AS tarif ON tarif.id = next_tarif_id
  WHERE abonents.id = $1 AND next_tarif_date IS NOT NULL`

/** The public tariffs and the client's own, cheapest first. */
export async function readTariffs({ pool, settings }: Pick<ClientParts, 'pool' | 'settings'>, id: SubscriberId) {
  const [tariffs, next] = await Promise.all([pool.query<Row>(offered, [id]), pool.query<NextRow>(planned, [id])])
  const [plan] = next.rows
  const zone = settings.get('TIME_ZONE')
  return {
    items: tariffs.rows.map(tariffOf),
    /** The planned change of tariff. Null: there is none. */
    next: plan ? { id: Number(plan.id), name: plan.name, from: dayOf(plan.next_tarif_date, zone) } : null,
  }
}

/** A tariff that a client has or may choose. */
export type OfferedTariff = Readonly<ReturnType<typeof tariffOf>>

const tariffOf = (row: Row) => ({
  id: Number(row.id),
  name: row.name,
  price: moneyFromUnits(row.price),
  speedMbit: numberOf(row.speed_mbit),
  uploadMbit: numberOf(row.upload_mbit),
  description: row.description ?? '',
  isCurrent: row.is_current,
})

export type TariffChosen =
  /**
   * `from`: the first day of the tariff. `operationId`: null when no operation was written, because the tariff begins
   * later, the current one is kept, or the change was made before.
   */
  | { kind: 'done'; from: Day; operationId: number | null }
  | { kind: 'refused'; reason: 'current' | 'notOffered' | 'missing' }

/** Plans tariff $2 from $3 for the subscriber $1 (null: no plan) and writes the audit in one statement. */
const planStatement = `WITH before AS (SELECT id, next_tarif_id, organization_id FROM abonents WHERE id = $1 FOR UPDATE),
  changed AS (UPDATE abonents SET next_tarif_id = $2, next_tarif_date = $3 FROM before WHERE abonents.id = before.id
    RETURNING abonents.id, before.next_tarif_id AS was, before.organization_id)
  INSERT INTO audit_operations (at, user_name, address, table_name, object_id, action, diff, organization_id)
  SELECT now(), $4, $5, 'ABONENTS', id::text, 'change', jsonb_build_object('next_tarif', jsonb_build_array(was, $2::int8)), organization_id
  FROM changed`

/**
 * Changes a client's tariff at once, or with TARIFF_CHANGE=next_period plans the change for the first day of the next
 * month. Choosing the current tariff cancels a planned change. The latest choice replaces any earlier plan.
 */
export async function chooseTariff(
  parts: ClientParts,
  id: SubscriberId,
  tariffId: number,
  author: Author,
): Promise<TariffChosen> {
  const { settings, subscribers, clock, pool } = parts
  const { items, next } = await readTariffs(parts, id)
  const wanted = items.find(({ id }) => id === tariffId)
  if (!wanted) return { kind: 'refused', reason: 'notOffered' }
  const setPlan = (planned: number | null, from: Date | null) =>
    pool.query(planStatement, [id, planned, from, author.name, author.address])
  const zone = settings.get('TIME_ZONE')
  const today = dayOf(clock.now(), zone)
  if (wanted.isCurrent) {
    if (!next) return { kind: 'refused', reason: 'current' }
    await setPlan(null, null)
    return { kind: 'done', from: today, operationId: null }
  }
  if (settings.get('TARIFF_CHANGE') === 'next_period') {
    const from = firstDay(nextMonth(monthOf(today)))
    await setPlan(tariffId, startOfDay(from, zone))
    return { kind: 'done', from, operationId: null }
  }
  const outcome = await subscribers.ask({ kind: 'changeTariff', subscriberId: id, tariffId }, author)
  if (outcome.kind === 'refused')
    return { kind: 'refused', reason: outcome.reason === 'tariffMissing' ? 'notOffered' : 'missing' }
  if (next) await setPlan(null, null)
  return { kind: 'done', from: today, operationId: outcome.operation?.id ?? null }
}

const numberOf = (text: string | null): number | null => (text === null ? null : Number(text))
