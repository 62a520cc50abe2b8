import { Button } from '@mantine/core'
import type { Item } from '../../api/client.ts'
import { useEndpoint, useSend } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { Browser } from '../../patterns/browser.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { Pill } from '../../patterns/pill.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { told } from '../../patterns/told.ts'
import { useSayRefusal } from '../../texts/refusals.ts'
import { useTexts } from '../../texts/texts.ts'
import { ownSessionsEndpoint } from './endpoints.ts'
import { accountTexts } from './texts.ts'

/** Where one is signed in, and the end of any of it. */
export function OwnSessions() {
  const t = useTexts(accountTexts)
  const say = useSayRefusal()
  const { data } = useEndpoint(ownSessionsEndpoint, {})
  const end = useSend('POST /admin/account/sessions/end/', [ownSessionsEndpoint])
  const run = (id?: string) =>
    end.mutate(
      { body: id === undefined ? {} : { id } },
      {
        onSuccess: ({ sessions_ended: ended }) =>
          told.done(id === undefined ? (ended === 0 ? t.noOthers : t.othersEnded(ended)) : t.ended),
        onError: (error) => told.failed(say(error)),
      },
    )
  return (
    <Panel
      title={t.sessions}
      actions={
        <Button variant="default" loading={end.isPending} onClick={() => run()}>
          {t.endOthers}
        </Button>
      }
    >
      <Sessions items={data?.items} onEnd={run} />
    </Panel>
  )
}

type SessionsProps = {
  readonly items: readonly Item<typeof ownSessionsEndpoint>[] | undefined
  readonly onEnd: (id: string) => void
}

function Sessions({ items, onEnd }: SessionsProps) {
  const t = useTexts(accountTexts)
  const format = useFormat()
  return (
    <PlainTable
      label={t.sessions}
      rows={items}
      rowKey={({ id }) => id}
      none=""
      columns={[
        {
          title: t.seen,
          cell: (one) => (
            <>
              {format.moment(one.seen_at)} {one.is_current && <Pill tone="info">{t.current}</Pill>}
            </>
          ),
        },
        { title: t.began, cell: (one) => format.moment(one.created_at) },
        { title: t.address, cell: ({ address }) => address },
        { title: t.browser, cell: (one) => <Browser agent={one.user_agent} /> },
        {
          title: t.end,
          isAction: true,
          cell: (one) =>
            !one.is_current && (
              <Button
                variant="default"
                size="compact-sm"
                aria-label={t.endOf(format.moment(one.created_at))}
                onClick={() => onEnd(one.id)}
              >
                {t.end}
              </Button>
            ),
        },
      ]}
    />
  )
}
