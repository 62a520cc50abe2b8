import type { Answer } from '../../../api/client.ts'
import { useFormat } from '../../../format/format.ts'
import { Pill } from '../../../patterns/pill.tsx'
import { PlainTable } from '../../../patterns/plain-table.tsx'
import { useTexts } from '../../../texts/texts.ts'
import type { Card } from '../use-subscriber.ts'
import { DropPlan } from './drop-plan.tsx'
import styles from './services.module.css'
import { ChargeState, dueDay } from './state.tsx'
import { servicesTexts } from './texts.ts'

type Tab = Answer<'GET /admin/Abonents/services/{id}/'>
type Row = {
  readonly name: string
  readonly price: string | null
  readonly since: string | null
  readonly until: string | null
  readonly by: string | null
  readonly state: 'planned' | 'current' | 'past'
}

/** The planned tariff, the one of today, and those before it. */
export function TariffTable({ tab, subscriber }: { readonly tab: Tab; readonly subscriber: Card['subscriber'] }) {
  const t = useTexts(servicesTexts)
  const format = useFormat()
  return (
    <PlainTable
      label={t.tariff}
      rows={rowsOf(tab, subscriber.create_date)}
      rowKey={({ state, until }) => `${state} ${until}`}
      none={t.noTariff}
      columns={[
        { title: t.tariff, cell: ({ name }) => name },
        { title: t.month, align: 'right', cell: ({ price }) => format.money(price) },
        { title: t.since, cell: ({ since }) => format.day(since) },
        { title: t.until, cell: ({ until }) => format.day(until) },
        { title: t.by, cell: ({ by }) => by },
        { title: t.state, cell: ({ state }) => <TariffState tab={tab} id={subscriber.id} state={state} /> },
      ]}
    />
  )
}

function TariffState({ tab, id, state }: { readonly tab: Tab; readonly id: number; readonly state: Row['state'] }) {
  const t = useTexts(servicesTexts)
  if (state === 'current') {
    const { not_charged: reason, charged_through: through, charges } = tab
    return <ChargeState reason={reason} through={through} due={dueDay(charges, null)} />
  }
  if (state === 'past') return <Pill tone="quiet">{t.isPast}</Pill>
  return (
    <span className={styles.state}>
      <Pill tone="info">{t.isPlanned}</Pill>
      <DropPlan id={id} />
    </span>
  )
}

function rowsOf({ tarif, planned, history }: Tab, created: string): Row[] {
  const [last] = history
  const past = history.flatMap(({ at, from }, place): Row[] => {
    const before = history[place + 1]
    return from === null
      ? []
      : [{ name: from, price: null, since: before?.at ?? null, until: at, by: before?.by ?? null, state: 'past' }]
  })
  return [
    ...(planned ? [{ ...planned, since: planned.from, until: null, by: null, state: 'planned' as const }] : []),
    ...(tarif
      ? [
          {
            ...tarif,
            since: last?.at ?? created,
            until: planned?.from ?? null,
            by: last?.by ?? null,
            state: 'current' as const,
          },
        ]
      : []),
    ...past,
  ]
}
