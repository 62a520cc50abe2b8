import { Link, Outlet } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Item } from '../../api/client.ts'
import { useFormat } from '../../format/format.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { useTexts } from '../../texts/texts.ts'
import { useSoldColumns, useSoldList } from './sold.tsx'
import { dictionaryTexts, tariffTexts } from './texts.ts'

export const tariffsEndpoint = 'GET /admin/dictionary/tarifs/'
export const tariffsPath = '/dictionaries/tariffs/'
type Tariff = Item<typeof tariffsEndpoint>

/** The tariffs with what they cost and who has them. */
export default function Tariffs() {
  const t = useTexts(tariffTexts)
  const columns = useColumns()
  const { add, list } = useSoldList(tariffsPath, t)
  return (
    <>
      <PageHead title={t.title} actions={add} />
      <DataList name="tariffs" endpoint={tariffsEndpoint} columns={columns} {...list} />
      <Outlet />
    </>
  )
}

function useColumns(): readonly Column<Tariff>[] {
  const t = useTexts(tariffTexts)
  const { month } = useTexts(dictionaryTexts)
  const format = useFormat()
  const speed = useSpeed()
  const sold = useSoldColumns<Tariff>()
  return useMemo(
    () =>
      sold({
        price: (row) => row.price,
        period: () => month,
        more: [
          { id: 'speed', title: t.speed, sort: 'speed', align: 'right', isOnCard: true, cell: speed, text: speed },
        ],
        subscribers: ({ id, subscribers }) => (
          <Link to="/subscribers/" search={{ tarif: String(id) } as never}>
            {format.number(subscribers)}
          </Link>
        ),
      }),
    [t, month, format, speed, sold],
  )
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
