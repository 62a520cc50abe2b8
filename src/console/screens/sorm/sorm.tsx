import { Button, Group } from '@mantine/core'
import { useMay } from '../../api/me.tsx'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { Icon } from '../../patterns/icon.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { Pill } from '../../patterns/pill.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { useTexts } from '../../texts/texts.ts'
import { sormTexts } from './texts.ts'

const endpoint = 'GET /admin/equipment/sorm_list/validate/'

/** The regulatory export: what is missing for it, and its files. */
export default function Sorm() {
  const t = useTexts(sormTexts)
  const format = useFormat()
  const { data, error } = useEndpoint(endpoint, {})
  if (error && !data) throw error
  const verdict = data && (
    <Pill tone={data.has_problems ? 'warning' : 'good'}>{data.has_problems ? t.bad : t.good}</Pill>
  )
  return (
    <>
      <PageHead title={t.title} says={t.says} />
      <Panel title={t.exports}>
        <Exports />
      </Panel>
      <Panel title={t.check} actions={verdict}>
        <div role="status">{!data && t.checking}</div>
        {data && data.meta_issues.length > 0 && (
          <PlainTable
            label={t.fields}
            rows={data.meta_issues}
            rowKey={(issue) => `${issue.kind} ${issue.message}`}
            none={t.none}
            columns={[
              { title: t.field, cell: (issue) => issue.attribute_name ?? issue.attribute_names?.join(', ') },
              { title: t.fault, cell: ({ kind, message }) => <span title={message}>{t[kind]}</span> },
              { title: t.report, cell: (issue) => issue.report_type },
              { title: t.code, cell: (issue) => issue.sorm_field_code },
            ]}
          />
        )}
        {data && data.data_issues.length > 0 && (
          <PlainTable
            label={t.missing}
            rows={data.data_issues}
            rowKey={(issue) => `${issue.report_type} ${issue.attribute_id}`}
            none={t.none}
            columns={[
              { title: t.field, cell: (issue) => issue.attribute_name },
              { title: t.report, cell: (issue) => issue.report_type },
              { title: t.code, cell: (issue) => issue.field_code },
              { title: t.count, align: 'right', cell: ({ missing }) => format.number(missing) },
            ]}
          />
        )}
      </Panel>
    </>
  )
}

function Exports() {
  const t = useTexts(sormTexts)
  const may = useMay()
  if (!may('personal_data')) return <p>{t.noRight}</p>
  const reports = [
    ['ABONENT', t.people],
    ['ABONENT_LEGAL', t.companies],
    ['ABONENT_IDENT', t.ident],
  ] as const
  return (
    <Group>
      {reports.map(([report, name]) => (
        <Button
          key={report}
          component="a"
          href={`/admin/equipment/sorm_list/export/?report=${report}`}
          download
          variant="default"
          leftSection={<Icon name="download" size={16} />}
          aria-label={t.download(name)}
        >
          {name}
        </Button>
      ))}
    </Group>
  )
}
