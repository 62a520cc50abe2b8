import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useFormat } from '../../format/format.ts'
import type { Frame } from '../../live/socket.ts'
import { useBlockCounts } from '../../live/use-counts.ts'
import { useLive } from '../../live/use-live.ts'
import { Panel } from '../../patterns/panel.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './now.module.css'
import { nowTexts } from './texts.ts'

const measured = ['accept', 'reject', 'accounting', 'dropped'] as const
type Counted = Readonly<Record<(typeof measured)[number], number>>
type Rates = Counted & {
  readonly rejections_hidden?: number
  readonly nas: readonly (Counted & { readonly name: string | null })[]
}

type System = {
  readonly ready: boolean
  readonly database_up: boolean
  readonly read_only: boolean
  readonly spool_bytes: number
  readonly unanswered_nas: readonly { readonly nas: string; readonly disconnects: number }[]
}

const isSnapshot = (frame: Frame, topic: string): boolean => frame.type === 'snapshot' && frame.topic === topic

/** What is counted: requests a second, sessions and blocked subscribers. */
export function useGauges() {
  const [rates, setRates] = useState<Rates | null>(null)
  const [online, setOnline] = useState<number | null>(null)
  const [system, setSystem] = useState<System | null>(null)
  const blocked = useBlockCounts()?.blocked
  useLive(['radius', 'sessions', 'system'], (frame) => {
    if (frame.type === 'radius.rates') setRates(frame as unknown as Rates)
    if (isSnapshot(frame, 'radius')) setRates(frame.rates as Rates)
    if (isSnapshot(frame, 'sessions')) setOnline(Number(frame.total))
    if (frame.type === 'session.started') setOnline((before) => (before === null ? null : before + 1))
    if (frame.type === 'session.stopped') setOnline((before) => (before === null ? null : Math.max(0, before - 1)))
    if (frame.type === 'system' || isSnapshot(frame, 'system')) setSystem(frame as unknown as System)
  })
  return { rates, online, blocked, system }
}

export type Gauged = ReturnType<typeof useGauges>

export function Gauges({ rates, online, blocked }: Gauged) {
  const t = useTexts(nowTexts)
  const format = useFormat()
  return (
    <dl className={styles.gauges}>
      {measured.map((name) => (
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
          ...measured.map((one) => ({
            title: t[one],
            align: 'right' as const,
            cell: (row: Counted) => format.number(row[one]),
          })),
        ]}
      />
    </Panel>
  )
}
