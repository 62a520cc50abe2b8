import { Button } from '@mantine/core'
import { Link, Outlet } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Item } from '../../api/client.ts'
import { useMayHave } from '../../api/me.tsx'
import { useEndpoint } from '../../api/use-endpoint.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { useTexts } from '../../texts/texts.ts'
import { builtInEndpoint, templatesEndpoint, templatesPath } from './endpoints.ts'
import { textOfLines } from './lines.ts'
import styles from './templates.module.css'
import { replyTemplateTexts } from './texts.ts'

type Template = Item<typeof templatesEndpoint>

/** The templates of answers: one's own, and what the types of NAS have built in. */
export default function ReplyTemplates() {
  const t = useTexts(replyTemplateTexts)
  const mayChange = useMayHave()({ right: 'settings', isShared: true })
  const columns = useColumns()
  const add = mayChange && (
    <Button component={Link} to={`${templatesPath}new/`}>
      {t.add}
    </Button>
  )
  return (
    <>
      <PageHead title={t.title} says={t.says} actions={add} />
      <DataList
        name="reply-templates"
        endpoint={templatesEndpoint}
        filters={['q']}
        columns={columns}
        rowKey={({ id }) => Number(id)}
        rowName={({ name }) => String(name)}
        rowTo={({ id }) => `${templatesPath}${id}/`}
        empty={{ title: t.none, says: t.noneSays, action: add }}
      />
      <BuiltIn />
      <Outlet />
    </>
  )
}

function useColumns(): readonly Column<Template>[] {
  const t = useTexts(replyTemplateTexts)
  const { data } = useEndpoint(builtInEndpoint, {})
  return useMemo(() => {
    const users = ({ id }: Template) =>
      (data?.nas ?? [])
        .filter(({ template }) => template === Number(id))
        .map(({ name }) => name)
        .join(', ') || t.nobody
    return [
      { id: 'name', title: t.name, width: '26%', cell: ({ name }) => String(name), text: ({ name }) => String(name) },
      {
        id: 'type',
        title: t.type,
        isOnCard: true,
        cell: (row) => String(row.nas_type),
        text: (row) => String(row.nas_type),
      },
      { id: 'users', title: t.usedBy, width: '26%', isOnCard: true, cell: users, text: users },
      {
        id: 'comment',
        title: t.comment,
        width: '28%',
        cell: ({ comment }) => comment as string | null,
        text: ({ comment }) => comment as string | null,
      },
    ]
  }, [t, data])
}

function BuiltIn() {
  const t = useTexts(replyTemplateTexts)
  const { data } = useEndpoint(builtInEndpoint, {})
  return (
    <Panel title={t.builtIn}>
      <PlainTable
        label={t.builtIn}
        rows={data?.built_in}
        rowKey={(row) => row.nas_type}
        none=""
        columns={[
          {
            title: t.type,
            cell: (row) => <Link to={`${templatesPath}built-in/${row.nas_type}/` as never}>{row.nas_type}</Link>,
          },
          {
            title: t.accept,
            isWide: true,
            cell: ({ accept }) => <code className={styles.lines}>{textOfLines(accept)}</code>,
          },
        ]}
      />
    </Panel>
  )
}
