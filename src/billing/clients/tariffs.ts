import type { Author } from '../../domain/author.ts'
import { type Day, dayOf, firstDay, monthOf, nextMonth, startOfDay } from '../../domain/calendar.ts'
import type { SubscriberId } from '../../domain/ids.ts'
import { moneyFromUnits } from '../../domain/money.ts'
import type { Tarif } from '../../platform/storage/entities/services.ts'
import type { RowOf } from '../../platform/storage/entity.ts'
import type { AccountCommand } from '../accounts/messages.ts'
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

/**
 * Changes a client's tariff at once, or with TARIFF_CHANGE=next_period plans the change for the first day of the next
 * month. Choosing the current tariff cancels a planned change. The latest choice replaces any earlier plan. `keys`:
 * idempotency keys of the request.
 */
export async function chooseTariff(
  parts: ClientParts,
  id: SubscriberId,
  tariffId: number,
  author: Author,
  keys: readonly string[],
): Promise<TariffChosen> {
  const { settings, subscribers, clock } = parts
  const { items, next } = await readTariffs(parts, id)
  const wanted = items.find(({ id }) => id === tariffId)
  if (!wanted) return { kind: 'refused', reason: 'notOffered' }
  const ask = async (command: TariffCommand): Promise<{ operationId: number | null } | TariffRefused> => {
    const outcome = await subscribers.ask(command, author)
    if (outcome.kind !== 'refused') return { operationId: outcome.operation?.id ?? null }
    // An earlier request with these keys has made the change.
    if (outcome.reason === 'keyTakenWithOtherAmount') return { operationId: null }
    return { kind: 'refused', reason: outcome.reason === 'tariffMissing' ? 'notOffered' : 'missing' }
  }
  const zone = settings.get('TIME_ZONE')
  const today = dayOf(clock.now(), zone)
  if (wanted.isCurrent) {
    if (!next) return { kind: 'refused', reason: 'current' }
    return done(today, await ask({ kind: 'planTariff', subscriberId: id, plan: null, keys }))
  }
  const { from, isLater } = tariffStart(parts)
  if (!isLater)
    return done(from, await ask({ kind: 'changeTariff', subscriberId: id, tariffId, dropsPlan: true, keys }))
  const plan = { tariffId, from: startOfDay(from, zone) }
  return done(from, await ask({ kind: 'planTariff', subscriberId: id, plan, keys }))
}

/** The first day of a tariff that is chosen now: today, or by TARIFF_CHANGE=next_period that of the next month. */
export function tariffStart({ settings, clock }: Pick<ClientParts, 'settings' | 'clock'>): {
  readonly from: Day
  readonly isLater: boolean
} {
  const today = dayOf(clock.now(), settings.get('TIME_ZONE'))
  const isLater = settings.get('TARIFF_CHANGE') === 'next_period'
  return { from: isLater ? firstDay(nextMonth(monthOf(today))) : today, isLater }
}

type TariffCommand = Extract<AccountCommand, { kind: 'changeTariff' | 'planTariff' }>
type TariffRefused = Extract<TariffChosen, { kind: 'refused' }>

const done = (from: Day, answered: { operationId: number | null } | TariffRefused): TariffChosen =>
  'kind' in answered ? answered : { kind: 'done', from, ...answered }

const numberOf = (text: string | null): number | null => (text === null ? null : Number(text))
