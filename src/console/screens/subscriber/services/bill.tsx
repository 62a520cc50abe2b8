import type { Answer } from '../../../api/client.ts'
import { useFormat } from '../../../format/format.ts'
import { PlainTable } from '../../../patterns/plain-table.tsx'
import { useTexts } from '../../../texts/texts.ts'
import { type Charge, chargeKey } from './charge-key.ts'
import styles from './services.module.css'
import { servicesTexts } from './texts.ts'

type Bill = Pick<Answer<'GET /admin/Abonents/services/{id}/'>, 'charges' | 'lasts_through'>

/** What a charge is for. */
function useChargeName(): (charge: Pick<Charge, 'kind' | 'name'>) => string {
  const t = useTexts(servicesTexts)
  return ({ kind, name }) => (kind === 'promiseFee' || kind === 'promiseEnd' ? t[kind] : name)
}

/** What will be charged and when, and how long the money lasts. */
export function ComingCharges({ bill: { charges, lasts_through } }: { readonly bill: Bill }) {
  const t = useTexts(servicesTexts)
  const format = useFormat()
  const nameOf = useChargeName()
  return (
    <>
      <PlainTable
        label={t.coming}
        rows={charges}
        rowKey={chargeKey}
        none={t.noComing}
        columns={[
          {
            title: t.day,
            cell: ({ day, times }) => (times > 1 ? t.daily(format.plainDay(day)) : format.plainDay(day)),
          },
          { title: t.what, cell: nameOf },
          {
            title: t.period,
            cell: ({ from, to }) => from && to && t.period2(format.plainDay(from), format.plainDay(to)),
          },
          { title: t.amount, align: 'right', cell: ({ amount }) => format.money(amount) },
        ]}
      />
      {lasts_through && <p className={styles.lasts}>{t.lasts(format.plainDay(lasts_through))}</p>}
    </>
  )
}

/** The same in a few lines, for a form. */
export function ChargeLines({
  charges,
  lasts,
}: {
  readonly charges: readonly Charge[]
  readonly lasts: string | null
}) {
  const t = useTexts(servicesTexts)
  const format = useFormat()
  const nameOf = useChargeName()
  return (
    <ul className={styles.lines}>
      {charges.map((charge) => (
        <li key={chargeKey(charge)}>
          <span>
            {charge.times > 1 ? t.daily(format.plainDay(charge.day)) : format.plainDay(charge.day)}, {nameOf(charge)}
            {charge.from && charge.to && (
              <small>{t.period2(format.plainDay(charge.from), format.plainDay(charge.to))}</small>
            )}
          </span>
          <strong>{format.money(charge.amount)}</strong>
        </li>
      ))}
      {lasts && <li>{t.lasts(format.plainDay(lasts))}</li>}
    </ul>
  )
}
