import { Link, Outlet } from '@tanstack/react-router'
import type { Item } from '../../api/client.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { PageHead } from '../../patterns/page-head.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { Pill } from '../../patterns/pill.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './messages.module.css'
import { templateTexts } from './texts.ts'
import { useKindWords } from './words.ts'

export const templatesEndpoint = 'GET /admin/messages/template/'
export type Template = Item<typeof templatesEndpoint>

/** What notices to clients say in either language. */
export default function Templates() {
  const t = useTexts(templateTexts)
  const kindOf = useKindWords()
  const { data, error } = useEndpoint(templatesEndpoint, {})
  if (error && !data) throw error
  const worded = (title: string, language: 'ru' | 'en') => ({
    title,
    isWide: true,
    cell: (row: Template) => (
      <>
        <span className={styles.words}>{row[language].text}</span>{' '}
        {row[language].is_own && <Pill tone="info">{t.own}</Pill>}
      </>
    ),
  })
  return (
    <>
      <PageHead title={t.title} says={t.says} />
      {data && (
        <Panel title={t.says}>
          <PlainTable
            label={t.title}
            rows={data.items}
            rowKey={({ name }) => name}
            none=""
            columns={[
              {
                title: t.notice,
                isWide: true,
                cell: ({ name }) => (
                  <Link to={`/messages/templates/${name}/` as never} aria-label={t.edit(kindOf(name))}>
                    {kindOf(name)}
                  </Link>
                ),
              },
              worded(t.russian, 'ru'),
              worded(t.english, 'en'),
            ]}
          />
        </Panel>
      )}
      <Outlet />
    </>
  )
}
