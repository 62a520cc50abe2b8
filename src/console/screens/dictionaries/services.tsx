import { Outlet } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Item } from '../../api/client.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { useTexts } from '../../texts/texts.ts'
import { useSoldColumns, useSoldList } from './sold.tsx'
import { dictionaryTexts, serviceTexts } from './texts.ts'

export const servicesEndpoint = 'GET /admin/dictionary/uslugas/'
export const servicesPath = '/dictionaries/services/'
type Service = Item<typeof servicesEndpoint>

/** The services with what they cost and how many have them. */
export default function Services() {
  const t = useTexts(serviceTexts)
  const columns = useColumns()
  const { add, list } = useSoldList(servicesPath, t, [{ value: 'promises', label: t.promises }])
  return (
    <>
      <PageHead title={t.title} actions={add} />
      <DataList name="services" endpoint={servicesEndpoint} columns={columns} {...list} />
      <Outlet />
    </>
  )
}

function useColumns(): readonly Column<Service>[] {
  const t = useTexts(serviceTexts)
  const { month } = useTexts(dictionaryTexts)
  const sold = useSoldColumns<Service>()
  return useMemo(() => {
    const period = ({ is_promise, end_count_days: days }: Service) =>
      is_promise ? (days === null ? '' : t.days(days)) : month
    return sold({ price: (row) => row.month, period })
  }, [t, month, sold])
}
