import { Button } from '@mantine/core'
import { Link, Outlet } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Item } from '../../api/client.ts'
import { useMayChangeShared } from '../../api/me.tsx'
import { useFormat } from '../../format/format.ts'
import { Copy } from '../../patterns/copy.tsx'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { useTexts } from '../../texts/texts.ts'
import { switchTexts } from './texts.ts'

export const switchesEndpoint = 'GET /admin/dictionary/switches/'
export const switchesPath = '/dictionaries/switches/'
type Device = Item<typeof switchesEndpoint>

/** The switches, where they stand and how many are on them. */
export default function Switches() {
  const t = useTexts(switchTexts)
  const columns = useColumns()
  const add = useMayChangeShared() && (
    <Button component={Link} to={`${switchesPath}new/`}>
      {t.add}
    </Button>
  )
  return (
    <>
      <PageHead title={t.title} actions={add} />
      <DataList
        name="switches"
        endpoint={switchesEndpoint}
        filters={['q', 'home']}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ name }) => name}
        rowTo={({ id }) => `${switchesPath}${id}/`}
        empty={{ title: t.none, says: t.noneSays, action: add }}
      />
      <Outlet />
    </>
  )
}

function useColumns(): readonly Column<Device>[] {
  const t = useTexts(switchTexts)
  const format = useFormat()
  return useMemo(
    () => [
      { id: 'name', title: t.name, sort: 'name', width: '20%', cell: ({ name }) => name, text: ({ name }) => name },
      { id: 'ip', title: t.ip, sort: 'ip', isOnCard: true, cell: ({ ip }) => <Copy text={ip} />, text: ({ ip }) => ip },
      { id: 'model', title: t.model, sort: 'model', cell: ({ model }) => model, text: ({ model }) => model },
      { id: 'mac', title: t.mac, isExtra: true, cell: ({ mac }) => mac, text: ({ mac }) => mac },
      {
        id: 'place',
        title: t.place,
        width: '28%',
        isOnCard: true,
        cell: ({ address }) => address && format.address(address),
        text: ({ address }) => address,
      },
      {
        id: 'ports',
        title: t.ports,
        align: 'right',
        cell: ({ ports_count }) => format.number(ports_count),
        text: ({ ports_count }) => ports_count,
      },
      {
        id: 'logins',
        title: t.logins,
        align: 'right',
        cell: ({ logins }) => format.number(logins),
        text: ({ logins }) => logins,
      },
      {
        id: 'comment',
        title: t.comment,
        isExtra: true,
        cell: ({ comment }) => comment,
        text: ({ comment }) => comment,
      },
    ],
    [t, format],
  )
}
