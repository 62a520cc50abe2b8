import { Button } from '@mantine/core'
import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useMayChangeShared } from '../../api/me.tsx'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { useTexts } from '../../texts/texts.ts'
import { DropWords, type Nas, NasPill, useHealthWords } from './nas-health.tsx'
import { healthTexts } from './texts.ts'

const endpoint = 'GET /admin/radius/nas/'

/** Every NAS and how it is, those that need somebody first. */
export default function NasList() {
  const t = useTexts(healthTexts)
  const mayChange = useMayChangeShared()
  const navigate = useNavigate()
  const columns = useColumns()
  const add = mayChange && <Button onClick={() => void navigate({ to: '/network/nas/new/' })}>{t.add}</Button>
  return (
    <>
      <PageHead title={t.title} actions={add} />
      <DataList
        name="nas"
        endpoint={endpoint}
        filters={[]}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ name }) => name}
        rowTo={({ id }) => `/network/nas/${id}/`}
        empty={{ title: t.none, says: t.noneSays, action: add }}
      />
      <UnknownSources />
      <Outlet />
    </>
  )
}

function useColumns(): readonly Column<Nas>[] {
  const t = useTexts(healthTexts)
  const format = useFormat()
  const words = useHealthWords()
  return useMemo(
    () => [
      { id: 'name', title: t.name, cell: ({ name }) => name, text: ({ name }) => name, width: '18%' },
      {
        id: 'state',
        title: t.state,
        isOnCard: true,
        cell: (row) => <NasPill {...row} />,
        text: ({ enabled, state }) => (enabled ? t[state] : t.off),
      },
      {
        id: 'lastPacket',
        title: t.lastPacket,
        isOnCard: 'titled',
        cell: (row) => format.moment(row.last_packet_at),
        text: (row) => row.last_packet_at,
      },
      { id: 'ip', title: 'IP', cell: ({ ip, network }) => ip ?? network, text: ({ ip, network }) => ip ?? network },
      {
        id: 'sessions',
        title: t.sessions,
        align: 'right',
        isOnCard: 'titled',
        cell: ({ sessions }) => format.number(sessions),
        text: ({ sessions }) => sessions,
      },
      {
        id: 'rates',
        title: t.rates,
        align: 'right',
        isExtra: true,
        cell: (row) => words.rates(row),
        text: (row) => words.rates(row),
      },
      { id: 'drops', title: t.drops, isOnCard: true, cell: ({ drops }) => <DropWords drops={drops} />, width: '18%' },
      { id: 'coa', title: t.coa, isOnCard: 'titled', cell: (row) => words.coa(row), text: (row) => words.coa(row) },
      {
        id: 'wait',
        title: t.wait,
        align: 'right',
        isExtra: true,
        cell: (row) => words.wait(row),
        text: (row) => words.wait(row),
      },
      {
        id: 'learned',
        title: t.learned,
        isExtra: true,
        cell: (row) => words.learned(row),
        text: (row) => words.learned(row),
      },
    ],
    [t, format, words],
  )
}

/** Those that ask without a record; each is perhaps a NAS that nobody has entered yet. */
function UnknownSources() {
  const t = useTexts(healthTexts)
  const format = useFormat()
  const mayChange = useMayChangeShared()
  const { data } = useEndpoint(endpoint, {})
  if (!data || data.unknown.length === 0) return null
  return (
    <Panel title={t.unknown}>
      <p>{t.unknownSays}</p>
      <PlainTable
        label={t.unknown}
        rows={data.unknown}
        rowKey={({ ip }) => ip}
        none=""
        columns={[
          { title: 'IP', cell: ({ ip }) => ip },
          { title: t.packets, align: 'right', cell: ({ packets }) => format.number(packets) },
          { title: t.lastPacket, cell: (row) => format.moment(row.last_packet_at) },
          {
            title: t.record,
            cell: ({ ip, nas_id }) => {
              const nas = data.items.find(({ id }) => id === nas_id)
              if (nas) return <Link to={`/network/nas/${nas.id}/`}>{nas.name}</Link>
              return (
                mayChange &&
                nas_id === null && (
                  <Link to="/network/nas/new/" search={{ ip } as never} aria-label={`${t.add}: ${ip}`}>
                    {t.add}
                  </Link>
                )
              )
            },
          },
        ]}
      />
    </Panel>
  )
}
