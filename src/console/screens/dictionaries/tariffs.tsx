import { Button } from '@mantine/core'
import { Link, Outlet } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Item } from '../../api/client.ts'
import { useMayChangeShared } from '../../api/me.tsx'
import { useFormat } from '../../format/format.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { useTexts } from '../../texts/texts.ts'
import { useSoldColumns } from './sold.tsx'
import { dictionaryTexts, tariffTexts } from './texts.ts'

export const tariffsDoor = 'GET /admin/dictionary/tarifs/'
export const tariffsPath = '/dictionaries/tariffs/'
type Tariff = Item<typeof tariffsDoor>

/** The tariffs with what they cost and who has them. */
export default function Tariffs() {
  const t = useTexts(tariffTexts)
  const common = useTexts(dictionaryTexts)
  const mayChange = useMayChangeShared()
  const columns = useColumns()
  const chips = (['', 'archived', 'all'] as const).map((value) => ({
    value,
    label: common[value === '' ? 'current' : value],
  }))
  const add = mayChange && (
    <Button component={Link} to={`${tariffsPath}new/`}>
      {t.add}
    </Button>
  )
  return (
    <>
      <PageHead title={t.title} deeds={add} />
      <DataList
        name="tariffs"
        door={tariffsDoor}
        filters={['show', 'q']}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ name }) => name}
        rowTo={({ id }) => (mayChange ? `${tariffsPath}${id}/` : null)}
        chips={{ parameter: 'show', list: chips }}
        empty={{ title: t.none, says: t.noneSays, deed: add }}
      />
      <Outlet />
    </>
  )
}

function useColumns(): readonly Column<Tariff>[] {
  const t = useTexts(tariffTexts)
  const format = useFormat()
  const speed = useSpeed()
  const sold = useSoldColumns<Tariff>()
  return useMemo(() => {
    const money = (row: Tariff) => format.money(row.price)
    return [
      { id: 'name', title: t.name, sort: 'name', width: '26%', cell: ({ name }) => name, text: ({ name }) => name },
      {
        id: 'price',
        title: t.price,
        sort: 'price',
        align: 'right',
        isOnCard: true,
        cell: money,
        text: (row) => row.price,
      },
      { id: 'period', title: t.period, cell: () => t.month, text: () => t.month },
      { id: 'speed', title: t.speed, sort: 'speed', align: 'right', isOnCard: true, cell: speed, text: speed },
      {
        id: 'subscribers',
        title: t.subscribers,
        sort: 'subscribers',
        align: 'right',
        cell: ({ id, subscribers }) => (
          <Link to="/subscribers/" search={{ tarif: String(id) } as never}>
            {format.number(subscribers)}
          </Link>
        ),
        text: ({ subscribers }) => subscribers,
      },
      ...sold,
    ]
  }, [t, format, speed, sold])
}

/** `100 / 50 Мбит/с`: to the client and from the client, where these differ. */
function useSpeed(): (row: Tariff) => string {
  const t = useTexts(tariffTexts)
  const format = useFormat()
  return useMemo(() => {
    const said = (mbit: number) => format.speed(mbit * 1_000_000)
    return ({ speed_mbit: down, upload_mbit: up }) => {
      if (down === null) return up === null ? t.unlimited : `∞ / ${said(up)}`
      return up === null || up === down ? said(down) : `${said(down)} / ${said(up)}`
    }
  }, [t, format])
}
