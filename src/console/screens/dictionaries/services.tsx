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
import { dictionaryTexts, serviceTexts } from './texts.ts'

export const servicesDoor = 'GET /admin/dictionary/uslugas/'
export const servicesPath = '/dictionaries/services/'
type Service = Item<typeof servicesDoor>

/** The services with what they cost and how many have them. */
export default function Services() {
  const t = useTexts(serviceTexts)
  const common = useTexts(dictionaryTexts)
  const mayChange = useMayChangeShared()
  const columns = useColumns()
  const chips = [
    { value: '', label: common.current },
    { value: 'archived', label: common.archived },
    { value: 'promises', label: t.promises },
    { value: 'all', label: common.all },
  ]
  const add = mayChange && (
    <Button component={Link} to={`${servicesPath}new/`}>
      {t.add}
    </Button>
  )
  return (
    <>
      <PageHead title={t.title} deeds={add} />
      <DataList
        name="services"
        door={servicesDoor}
        filters={['show', 'q']}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ name }) => name}
        rowTo={({ id }) => (mayChange ? `${servicesPath}${id}/` : null)}
        chips={{ parameter: 'show', list: chips }}
        empty={{ title: t.none, says: t.noneSays, deed: add }}
      />
      <Outlet />
    </>
  )
}

function useColumns(): readonly Column<Service>[] {
  const t = useTexts(serviceTexts)
  const format = useFormat()
  const sold = useSoldColumns<Service>()
  return useMemo(() => {
    const money = (row: Service) => format.money(row.month)
    const period = ({ is_promise, end_count_days: days }: Service) =>
      is_promise ? (days === null ? '' : t.days(days)) : t.month
    return [
      { id: 'name', title: t.name, sort: 'name', width: '32%', cell: ({ name }) => name, text: ({ name }) => name },
      {
        id: 'price',
        title: t.price,
        sort: 'price',
        align: 'right',
        isOnCard: true,
        cell: money,
        text: (row) => row.month,
      },
      { id: 'period', title: t.period, isOnCard: true, cell: period, text: period },
      {
        id: 'subscribers',
        title: t.subscribers,
        sort: 'subscribers',
        align: 'right',
        cell: ({ subscribers }) => format.number(subscribers),
        text: ({ subscribers }) => subscribers,
      },
      ...sold,
    ]
  }, [t, format, sold])
}
