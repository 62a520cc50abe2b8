import { Alert, Button, Progress } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { useMay } from '../../api/me.tsx'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { useFollowing } from '../../live/use-following.ts'
import { useConfirm } from '../../patterns/confirm.tsx'
import { Facts } from '../../patterns/facts.tsx'
import { usePages } from '../../patterns/list/pages.ts'
import { PageHead } from '../../patterns/page-head.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { useTold } from '../../patterns/use-told.ts'
import { More } from '../../patterns/more.tsx'
import { useTexts } from '../../texts/texts.ts'
import { MailingMessages } from './mailing-messages.tsx'
import { type Mailing, MailingState, mailingEndpoint, mailingsEndpoint } from './mailing-state.tsx'
import styles from './messages.module.css'
import { mailingTexts } from './texts.ts'

const followMs = 1_000
const messagesEndpoint = 'GET /admin/messages/'

/** How far a mailing is, and what became of each of its recipients. */
export default function MailingScreen() {
  const t = useTexts(mailingTexts)
  const id = Number((useParams({ strict: false }) as { readonly id: string }).id)
  useFollowing(
    ['system'],
    [mailingEndpoint, messagesEndpoint, leftOutEndpoint],
    followMs,
    (frame) => frame.type === 'mailing.progress' && frame.id === id,
  )
  const { data, error } = useEndpoint(mailingEndpoint, { path: { id } })
  if (error && !data) throw error
  const mailing = data?.mailing
  return (
    <>
      <PageHead
        title={t.one(id)}
        back={{ to: '/messages/mailings/', label: t.back }}
        actions={mailing && <Stop mailing={mailing} />}
      />
      {mailing && (
        <>
          <Panel title={t.progressTitle} actions={<MailingState mailing={mailing} />}>
            <Waits mailing={mailing} />
            <Numbers mailing={mailing} />
          </Panel>
          <Panel title={t.text}>
            <strong>{mailing.title}</strong>
            <p className={styles.words}>{mailing.text}</p>
            <p className={styles.quiet}>
              <Meant mailing={mailing} />
            </p>
          </Panel>
          <MailingMessages id={id} />
          <LeftOut id={id} />
        </>
      )}
    </>
  )
}

function Stop({ mailing: { id, state } }: { readonly mailing: Mailing }) {
  const t = useTexts(mailingTexts)
  const may = useMay()
  const confirm = useConfirm()
  const stop = useTold('POST /admin/messages/mailing/{id}/stop/', [mailingEndpoint, mailingsEndpoint, messagesEndpoint])
  if (!may('change') || (state !== 'sending' && state !== 'gathering')) return null
  const run = async () => {
    if (!(await confirm({ title: t.stopTitle, says: t.stopSays, action: t.stop, isDangerous: true }))) return
    stop.run({ path: { id } }, t.hasStopped)
  }
  return (
    <Button color="red" loading={stop.isPending} onClick={() => void run()}>
      {t.stop}
    </Button>
  )
}

/** What it waits for, or how far it is. */
function Waits({ mailing }: { readonly mailing: Mailing }) {
  const t = useTexts(mailingTexts)
  const format = useFormat()
  const { state, total, sent, waiting, done, messages, starts_at, quiet_until } = mailing
  // Those with a message count when it is no longer waiting.
  const over = done - waiting
  const isPlanned = Date.parse(starts_at) > Date.now()
  return (
    <div role="status">
      {state === 'cut_off' && <Alert color="red">{t.cutSays}</Alert>}
      {state === 'sending' && isPlanned && <p>{t.startsAt(format.moment(starts_at))}</p>}
      {state === 'sending' && quiet_until !== null && <p>{t.quietUntil(format.moment(quiet_until))}</p>}
      {state === 'sending' && total !== null && (
        <div className={styles.progress}>
          <Progress
            value={total === 0 ? 100 : (over / total) * 100}
            animated={messages > sent}
            aria-label={t.progressTitle}
          />
          <p className={styles.quiet}>{t.progress(format.number(over), format.number(total))}</p>
        </div>
      )}
    </div>
  )
}

function Numbers({ mailing }: { readonly mailing: Mailing }) {
  const t = useTexts(mailingTexts)
  const format = useFormat()
  const { total, done, sent, waiting, failed, state } = mailing
  const some = (value: number) => (value === 0 ? null : format.number(value))
  const left = (total ?? 0) - done
  return (
    <Facts
      facts={[
        [t.total, format.number(total)],
        [t.sent, format.number(sent)],
        [t.waiting, some(waiting)],
        [t.failed, some(failed)],
        [t.notReached, state === 'stopped' ? some(left) : null],
        [t.opted_out, some(mailing.opted_out)],
        [t.no_address, some(mailing.no_address)],
        [t.no_provider, some(mailing.no_provider)],
        [t.deleted, some(mailing.deleted)],
        [t.user, mailing.user],
        [t.starts, format.moment(mailing.starts_at)],
        [t.ended, mailing.ended_at && format.moment(mailing.ended_at)],
      ]}
    />
  )
}

/** Whom it was meant for; a filter leads to whom it finds now. */
function Meant({ mailing: { asked } }: { readonly mailing: Mailing }) {
  const t = useTexts(mailingTexts)
  if (asked.filter === undefined) return t.marked(asked.ids ?? 0)
  return (
    <Link to="/subscribers/" search={asked.filter as never}>
      {t.byFilter}
    </Link>
  )
}

const leftOutEndpoint = 'GET /admin/messages/mailing/{id}/left_out/'

function LeftOut({ id }: { readonly id: number }) {
  const t = useTexts(mailingTexts)
  const { query, rows } = usePages(leftOutEndpoint, { path: { id }, query: {} })
  if (rows.length === 0) return null
  return (
    <Panel title={t.leftOut}>
      <PlainTable
        label={t.leftOut}
        rows={rows}
        rowKey={(row) => row.id}
        none=""
        columns={[
          {
            title: t.subscriber,
            cell: (row) => <Link to={`/subscribers/${row.id}/messages/` as never}>{row.name ?? row.id}</Link>,
          },
          { title: t.reason, cell: ({ reason }) => t[reason] },
        ]}
      />
      <More of={query} />
    </Panel>
  )
}
