import { Button } from '@mantine/core'
import { useMemo } from 'react'
import { useFormat } from '../../format/format.ts'
import { Empty } from '../../patterns/empty.tsx'
import { useAddressFilters } from '../../patterns/list/address.ts'
import { Chips } from '../../patterns/list/chips.tsx'
import { SearchField } from '../../patterns/list/search-field.tsx'
import { useTypedFilter } from '../../patterns/list/typed-filter.ts'
import { PageHead } from '../../patterns/page-head.tsx'
import { useTexts } from '../../texts/texts.ts'
import { useNasNames } from '../network/nas-choice.tsx'
import { kinds } from './events.ts'
import { BusyNas, Gauges, Troubles, useGauges } from './gauges.tsx'
import { EventLine } from './line.tsx'
import styles from './now.module.css'
import { nowTexts } from './texts.ts'
import { useFeed } from './use-feed.ts'

const drawnMax = 200

/** What happens in the network this very second. */
export default function Now() {
  const t = useTexts(nowTexts)
  const format = useFormat()
  const gauges = useGauges()
  const names = useNasNames()
  const ids = useMemo(() => new Map([...names].map(([id, name]) => [name, id])), [names])
  const { shown, isPaused, waiting, pause } = useFeed()
  const [{ kind = '' }, change] = useAddressFilters()
  const [typed, setTyped] = useTypedFilter('q')
  const wanted = typed.trim().toLowerCase()
  const found = shown.filter((event) => (kind === '' || event.kind === kind) && event.text.includes(wanted))
  const hidden = gauges.rates?.rejections_hidden ?? 0
  const chips = [{ value: '', label: t.all }, ...kinds.map((value) => ({ value, label: t[value] }))]
  return (
    <>
      <PageHead title={t.title} />
      <Troubles {...gauges} />
      <Gauges {...gauges} />
      <section className={styles.feed} aria-label={t.events}>
        <div className={styles.tools}>
          <Chips label={t.kind} parameter="kind" list={chips} chosen={kind} onChange={change} />
          <SearchField className={styles.find ?? ''} label={t.find} typed={typed} onType={setTyped} />
          <Button variant="default" aria-pressed={isPaused} onClick={() => pause(!isPaused)}>
            {isPaused ? t.resume(waiting) : t.pause}
          </Button>
        </div>
        {hidden > 0 && <p className={styles.hidden}>{t.hidden(format.number(hidden))}</p>}
        {found.length === 0 ? (
          <Empty title={shown.length === 0 ? t.none : t.noneSuch} />
        ) : (
          <ol className={styles.lines}>
            {found.slice(0, drawnMax).map((event) => (
              <EventLine
                key={event.key}
                event={event}
                nasName={event.nasId === null ? null : (names.get(event.nasId) ?? null)}
              />
            ))}
          </ol>
        )}
      </section>
      <BusyNas {...gauges} ids={ids} />
    </>
  )
}
