import { Button } from '@mantine/core'
import { Link, Outlet } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type Formats, useFormat } from '../../format/format.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { useTexts } from '../../texts/texts.ts'
import { type Webhook, webhooksEndpoint, webhooksPath } from './endpoints.ts'
import { EndpointState, useEndpointState } from './states.tsx'
import { webhookTexts } from './texts.ts'

/** Where the program tells of events, and how each of these addresses takes them. */
export default function Webhooks() {
  const t = useTexts(webhookTexts)
  const columns = useColumns()
  const add = (
    <Button component={Link} to={`${webhooksPath}new/`}>
      {t.add}
    </Button>
  )
  return (
    <>
      <PageHead title={t.title} says={t.says} actions={add} />
      <DataList
        name="webhooks"
        endpoint={webhooksEndpoint}
        filters={[]}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ url }) => url}
        rowTo={({ id }) => `${webhooksPath}${id}/`}
        empty={{ title: t.none, says: t.noneSays, action: add }}
      />
      <Outlet />
    </>
  )
}

function useColumns(): readonly Column<Webhook>[] {
  const t = useTexts(webhookTexts)
  const format = useFormat()
  const stateOf = useEndpointState()
  // The function says the same as long as the texts are the same.
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the language alone
  return useMemo(
    () => [
      { id: 'url', title: t.url, width: '32%', cell: ({ url }) => url, text: ({ url }) => url },
      {
        id: 'state',
        title: t.state,
        width: '20%',
        isOnCard: true,
        cell: (endpoint) => <EndpointState endpoint={endpoint} />,
        text: (endpoint) => stateOf(endpoint).text,
      },
      {
        id: 'description',
        title: t.description,
        isOnCard: true,
        cell: ({ description }) => description,
        text: ({ description }) => description,
      },
      {
        id: 'organizations',
        title: t.organizations,
        isExtra: true,
        cell: (row) => row.organization_names.join(', ') || t.everyOrganization,
        text: (row) => row.organization_names.join(', ') || t.everyOrganization,
      },
      ...counts(t, format),
    ],
    [t, format],
  )
}

const counts = (t: (typeof webhookTexts)['ru'], format: Formats): readonly Column<Webhook>[] => [
  {
    id: 'waiting',
    title: t.waiting,
    align: 'right',
    cell: ({ waiting }) => format.number(waiting),
    text: ({ waiting }) => waiting,
  },
  {
    id: 'failed',
    title: t.failed,
    align: 'right',
    isOnCard: 'titled',
    cell: ({ failed }) => format.number(failed),
    text: ({ failed }) => failed,
  },
  {
    id: 'last',
    title: t.lastDelivered,
    cell: (row) => (row.last_delivered_at === null ? t.never : format.moment(row.last_delivered_at)),
    text: (row) => row.last_delivered_at,
  },
]
