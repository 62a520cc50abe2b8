import { Button } from '@mantine/core'
import { Link, Outlet } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Item } from '../../api/client.ts'
import { useMayChangeShared } from '../../api/me.tsx'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { useTexts } from '../../texts/texts.ts'
import { ticketTemplateTexts } from './texts.ts'
import styles from './tickets.module.css'

export const templatesEndpoint = 'GET /admin/dictionary/ticket_templates_crud/'
export const templatesPath = '/tickets/templates/'
type Template = Item<typeof templatesEndpoint>

/** The answers that are often given. */
export default function TicketTemplates() {
  const t = useTexts(ticketTemplateTexts)
  const mayChange = useMayChangeShared()
  const columns = useMemo(
    (): readonly Column<Template>[] => [
      { id: 'name', title: t.name, width: '24%', cell: ({ name }) => String(name), text: ({ name }) => String(name) },
      ...(['text_ru', 'text_en'] as const).map((id) => ({
        id,
        title: id === 'text_ru' ? t.russian : t.english,
        width: '38%',
        isOnCard: true,
        cell: (row: Template) => <span className={styles.begin}>{row[id]}</span>,
        text: (row: Template) => row[id],
      })),
    ],
    [t],
  )
  const add = mayChange && (
    <Button component={Link} to={`${templatesPath}new/`}>
      {t.add}
    </Button>
  )
  return (
    <>
      <PageHead title={t.title} actions={add} />
      <DataList
        name="ticket-templates"
        endpoint={templatesEndpoint}
        filters={['q']}
        columns={columns}
        rowKey={({ id }) => Number(id)}
        rowName={({ name }) => String(name)}
        rowTo={({ id }) => (mayChange ? `${templatesPath}${id}/` : null)}
        empty={{ title: t.none, says: t.noneSays, action: add }}
      />
      <Outlet />
    </>
  )
}
