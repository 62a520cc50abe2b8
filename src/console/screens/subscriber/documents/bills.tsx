import { Button } from '@mantine/core'
import { useState } from 'react'
import { useFormat } from '../../../format/format.ts'
import { Panel } from '../../../patterns/panel.tsx'
import { useTexts } from '../../../texts/texts.ts'
import { useSubscriber } from '../use-subscriber.ts'
import styles from './documents.module.css'
import { documentTexts } from './texts.ts'

const shownFirst = 12

/** A bill is made when it is asked for, so there is one of every month since the contract began. */
export function Bills() {
  const t = useTexts(documentTexts)
  const format = useFormat()
  const { id, contract_number, create_date } = useSubscriber().subscriber
  const [shown, setShown] = useState(shownFirst)
  const months = monthsBetween(
    format.isoDay(create_date).slice(0, 7),
    format.isoDay(new Date().toISOString()).slice(0, 7),
  )
  return (
    <Panel title={t.bills}>
      <ul className={styles.bills}>
        {months.slice(0, shown).map((month, at) => (
          <li key={month}>
            <a href={billAddress(contract_number, id, month)} target="_blank" rel="noopener">
              {t.billOf(format.month(month))}
            </a>
            {at === 0 && <small>{t.unfinished}</small>}
          </li>
        ))}
      </ul>
      {months.length > shown && (
        <Button variant="default" onClick={() => setShown(shown + shownFirst)}>
          {t.earlier}
        </Button>
      )}
    </Panel>
  )
}

/**
 * Contract numbers that may stand in the name of a file; others are named by the number of the subscriber. Whoever else
 * has such a number, the bill is that of this subscriber.
 */
const nameable = /^[\p{L}\p{N}][\p{L}\p{N}._ -]{0,99}$/u

const billAddress = (contract: string, id: number, month: string): string =>
  `/admin/Abonents/get_bills/${encodeURIComponent(`bill-${nameable.test(contract) ? contract : id}-${month}.pdf`)}/?abonent=${id}`

/** The newest first, both included; at most ten years. */
function monthsBetween(first: string, last: string): readonly string[] {
  const [year = 0, month = 1] = last.split('-').map(Number)
  const all = Array.from({ length: 120 }, (_, back) =>
    new Date(Date.UTC(year, month - 1 - back, 1)).toISOString().slice(0, 7),
  )
  return all.filter((one, at) => at === 0 || one >= first)
}
