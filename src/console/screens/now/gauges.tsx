import { Link } from '@tanstack/react-router'
import { useFormat } from '../../format/format.ts'
import { useBlockCounts } from '../../live/use-counts.ts'
import { type Counted, counted, useOnlineCount, useRates, useSystemState } from '../../live/use-gauges.ts'
import { Panel } from '../../patterns/panel.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './now.module.css'
import { nowTexts } from './texts.ts'

/** What is counted: requests a second, sessions and blocked subscribers. */
export function useGauges() {
  const rates = useRates()
  const online = useOnlineCount()
  const system = useSystemState()
  const blocked = useBlockCounts()?.blocked
  return { rates, online, blocked, system }
}

export type Gauged = ReturnType<typeof useGauges>

export function Gauges({ rates, online, blocked }: Gauged) {
  const t = useTexts(nowTexts)
  const format = useFormat()
  return (
    <dl className={styles.gauges}>
      {counted.map((name) => (
        <div key={name}>
          <dt>{t[name]}</dt>
          <dd data-bad={name !== 'accept' && name !== 'accounting' && (rates?.[name] ?? 0) > 0 ? '' : undefined}>
            {format.number(rates?.[name])}
          </dd>
        </div>
      ))}
      <div>
        <dt>{t.online}</dt>
        <dd>
          <Link to="/network/sessions/">{format.number(online)}</Link>
        </dd>
      </div>
      <div>
        <dt>{t.blocked}</dt>
        <dd>
          <Link to="/subscribers/" search={{ show: 'blocked' } as never}>
            {format.number(blocked)}
          </Link>
        </dd>
      </div>
    </dl>
  )
}

/** What is wrong with the program itself; nothing where all is well. */
export function Troubles({ system }: Gauged) {
  const t = useTexts(nowTexts)
  const format = useFormat()
  if (system === null) return null
  const words = [
    !system.database_up && t.noDatabase,
    !system.ready && system.database_up && t.unready,
    system.read_only && t.readOnly,
    system.spool_bytes > 0 && t.waiting(format.bytes(system.spool_bytes)),
    ...system.unanswered_nas.map(({ nas, disconnects }) => t.unanswered(nas, disconnects)),
  ].filter((word) => word !== false)
  return words.length === 0 ? null : (
    <p className={styles.troubles} role="status">
      {words.join(' · ')}
    </p>
  )
}

/** The NAS that asked in the last second, the busiest first. */
export function BusyNas({ rates, ids }: Gauged & { readonly ids: ReadonlyMap<string, number> }) {
  const t = useTexts(nowTexts)
  const format = useFormat()
  return (
    <Panel title={t.busy}>
      <PlainTable
        label={t.busy}
        rows={rates?.nas}
        rowKey={({ name }) => name ?? ''}
        none={t.nobody}
        columns={[
          {
            title: 'NAS',
            cell: ({ name }) => {
              const id = name === null ? undefined : ids.get(name)
              return id === undefined ? (name ?? t.unknownAddress) : <Link to={`/network/nas/${id}/`}>{name}</Link>
            },
          },
          ...counted.map((one) => ({
            title: t[one],
            align: 'right' as const,
            cell: (row: Counted) => format.number(row[one]),
          })),
        ]}
      />
    </Panel>
  )
}
