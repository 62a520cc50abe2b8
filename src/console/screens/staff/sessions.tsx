import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Item } from '../../api/client.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { Browser } from '../../patterns/browser.tsx'
import { useConfirm } from '../../patterns/confirm.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { Pill } from '../../patterns/pill.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { useTold } from '../../patterns/use-told.ts'
import { useTexts } from '../../texts/texts.ts'
import { sessionsEndpoint, staffEndpoint, staffPath } from './endpoints.ts'
import { sessionTexts } from './texts.ts'

type Session = Item<typeof sessionsEndpoint>

/** Where staff are signed in now; each session can be ended. */
export default function Sessions() {
  const t = useTexts(sessionTexts)
  const format = useFormat()
  const { data, error } = useEndpoint(sessionsEndpoint, { query: {} })
  if (error && !data) throw error
  return (
    <>
      <PageHead title={t.title} back={{ to: staffPath, label: t.back }} says={t.says} />
      <Panel title={t.title}>
        <PlainTable
          label={t.title}
          rows={data?.items}
          rowKey={({ id }) => id}
          none={t.none}
          columns={[
            {
              title: t.user,
              cell: ({ username, staff, is_own }) => (
                <>
                  <Link to={`${staffPath}${staff}/` as never}>{username}</Link>{' '}
                  {is_own && <Pill tone="info">{t.own}</Pill>}
                </>
              ),
            },
            { title: t.address, cell: ({ address }) => address },
            { title: t.seen, cell: (one) => format.moment(one.seen_at) },
            { title: t.began, cell: (one) => format.moment(one.created_at) },
            { title: t.expires, cell: (one) => format.moment(one.expires_at) },
            { title: t.browser, cell: (one) => <Browser agent={one.user_agent} /> },
            { title: t.end, isAction: true, cell: (one) => <End session={one} /> },
          ]}
        />
      </Panel>
    </>
  )
}

function End({ session: { id, username, seen_at } }: { readonly session: Session }) {
  const t = useTexts(sessionTexts)
  const format = useFormat()
  const confirm = useConfirm()
  const send = useTold('POST /admin/staff/sessions/end/', [sessionsEndpoint, staffEndpoint])
  const run = async () => {
    if (!(await confirm({ title: t.asks(username), action: t.end, isDangerous: true }))) return
    send.run({ body: { id } }, t.ended)
  }
  return (
    <Button
      variant="default"
      size="compact-sm"
      loading={send.isPending}
      aria-label={t.endOf(username, format.moment(seen_at))}
      onClick={() => void run()}
    >
      {t.end}
    </Button>
  )
}
