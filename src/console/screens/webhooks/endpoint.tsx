import { Button, NativeSelect } from '@mantine/core'
import { Link, Outlet, useParams } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { ask } from '../../api/client.ts'
import { useEndpoint, useSend } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { useConfirm } from '../../patterns/confirm.tsx'
import { Facts } from '../../patterns/facts.tsx'
import { GivenOnce } from '../../patterns/given-once.tsx'
import { useGo } from '../../patterns/late.ts'
import { useAddressFilters } from '../../patterns/list/address.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { told } from '../../patterns/told.ts'
import { useSayRefusal } from '../../texts/refusals.ts'
import { useTexts } from '../../texts/texts.ts'
import { RemoveRecord } from '../dictionaries/remove-record.tsx'
import {
  deliveriesEndpoint,
  type Delivery,
  type Webhook,
  webhookEndpoint,
  outdatedByWebhook,
  webhooksPath,
} from './endpoints.ts'
import { DeliveryState, EndpointState, useDeliveryWords } from './states.tsx'
import { eventNames, webhookTexts } from './texts.ts'

const rowsAtOnce = 50

/** One endpoint: how it is, what is done with it, and what was delivered to it. */
export default function EndpointScreen() {
  const { id } = useParams({ strict: false }) as { readonly id: string }
  const t = useTexts(webhookTexts)
  const states = useDeliveryWords()
  const columns = useColumns(id)
  const { data, error } = useEndpoint(webhookEndpoint, { path: { id: Number(id) } })
  if (error && !data) throw error
  if (!data) return null
  const chips = [
    { value: '', label: t.all },
    ...(['failed', 'waiting', 'delivered'] as const).map((value) => ({ value, label: states.state({ state: value }) })),
  ]
  return (
    <>
      <PageHead
        title={data.endpoint.url}
        back={{ to: webhooksPath, label: t.back }}
        actions={<Actions endpoint={data.endpoint} />}
      />
      <About endpoint={data.endpoint} />
      <DataList
        name="webhook-deliveries"
        endpoint={deliveriesEndpoint}
        fixed={{ endpoint: Number(id), limit: rowsAtOnce }}
        filters={['state', 'event', 'date_from', 'date_to']}
        columns={columns}
        rowKey={(row) => row.id}
        rowName={(row) => t.delivery(row.id)}
        rowTo={(row) => `${webhooksPath}${id}/${row.id}/`}
        chips={{ parameter: 'state', list: chips }}
        more={<EventChoice />}
        empty={{ title: t.noDeliveries, says: t.noDeliveriesSays }}
      />
      <Outlet />
    </>
  )
}

function About({ endpoint }: { readonly endpoint: Webhook }) {
  const t = useTexts(webhookTexts)
  const names = useTexts(eventNames) as Readonly<Record<string, string>>
  const format = useFormat()
  const moment = (at: string | null) => (at === null ? null : format.moment(at))
  return (
    <Panel title={endpoint.description || t.url}>
      <Facts
        facts={[
          [t.state, <EndpointState key="state" endpoint={endpoint} />],
          [t.failingSince, moment(endpoint.failing_since)],
          [t.lastError, endpoint.last_error],
          [t.lastDelivered, moment(endpoint.last_delivered_at) ?? t.never],
          [t.waiting, format.number(endpoint.waiting)],
          [t.oldest, moment(endpoint.oldest_waiting_at)],
          [t.failed, format.number(endpoint.failed)],
          [t.twoSecrets, moment(endpoint.previous_secret_until)],
          [t.organizations, endpoint.organization_names.join(', ') || t.everyOrganization],
          [t.events, endpoint.events.map((name) => names[name] ?? name).join(', ')],
          [t.made, moment(endpoint.created_at)],
        ]}
      />
    </Panel>
  )
}

function Actions({ endpoint }: { readonly endpoint: Webhook }) {
  const t = useTexts(webhookTexts)
  const navigate = useGo()
  const say = useSayRefusal()
  const { id } = endpoint
  const test = useSend('POST /admin/webhooks/endpoints/{id}/test/', outdatedByWebhook)
  const onError = (error: unknown) => told.failed(say(error))
  return (
    <>
      <RemoveRecord
        name={endpoint.url}
        says={t.removeSays}
        remove={() => ask('DELETE /admin/webhooks/endpoints/{id}/', { path: { id } })}
        onDone={() => void navigate({ to: webhooksPath })}
      />
      <Rotate endpoint={endpoint} />
      {endpoint.failed > 0 && <ReplayFailed endpoint={endpoint} />}
      <Button component={Link} to={`${webhooksPath}${id}/edit/` as never} variant="default">
        {t.edit}
      </Button>
      <Button
        loading={test.isPending}
        onClick={() =>
          test.mutate(
            { path: { id } },
            { onSuccess: ({ delivery }) => void navigate({ to: `${webhooksPath}${id}/${delivery.id}/` }), onError },
          )
        }
      >
        {t.test}
      </Button>
    </>
  )
}

function Rotate({ endpoint: { id } }: { readonly endpoint: Webhook }) {
  const t = useTexts(webhookTexts)
  const say = useSayRefusal()
  const confirm = useConfirm()
  const [secret, setSecret] = useState('')
  const send = useSend('POST /admin/webhooks/endpoints/{id}/rotate_secret/', outdatedByWebhook)
  const run = async () => {
    if (!(await confirm({ title: t.rotateAsks, says: t.rotateSays, action: t.rotate }))) return
    send.mutate(
      { path: { id }, body: {} },
      { onSuccess: (made) => setSecret(made.secret), onError: (error) => told.failed(say(error)) },
    )
  }
  return (
    <>
      <Button variant="default" loading={send.isPending} onClick={() => void run()}>
        {t.rotate}
      </Button>
      {secret !== '' && (
        <GivenOnce title={t.rotated} says={t.givenSays} values={[[t.secret, secret]]} onClose={() => setSecret('')} />
      )}
    </>
  )
}

function ReplayFailed({ endpoint: { id, failed } }: { readonly endpoint: Webhook }) {
  const t = useTexts(webhookTexts)
  const say = useSayRefusal()
  const confirm = useConfirm()
  const send = useSend('POST /admin/webhooks/endpoints/{id}/replay/', outdatedByWebhook)
  const run = async () => {
    if (!(await confirm({ title: t.replayAsks, says: t.replaySays(failed), action: t.replayFailed }))) return
    send.mutate(
      { path: { id }, body: { state: 'failed' } },
      { onSuccess: ({ replayed }) => told.done(t.replayed(replayed)), onError: (error) => told.failed(say(error)) },
    )
  }
  return (
    <Button variant="default" loading={send.isPending} onClick={() => void run()}>
      {t.replayFailed}
    </Button>
  )
}

function EventChoice() {
  const t = useTexts(webhookTexts)
  const names = useTexts(eventNames)
  const [{ event = '' }, change] = useAddressFilters()
  return (
    <NativeSelect
      aria-label={t.event}
      data={[
        { value: '', label: t.everyEvent },
        ...Object.entries(names).map(([value, label]) => ({ value, label: String(label) })),
      ]}
      value={event}
      onChange={({ currentTarget }) => change({ event: currentTarget.value || undefined })}
    />
  )
}

function useColumns(endpoint: string): readonly Column<Delivery>[] {
  const t = useTexts(webhookTexts)
  const format = useFormat()
  const words = useDeliveryWords()
  // The functions say the same as long as the texts are the same.
  // biome-ignore lint/correctness/useExhaustiveDependencies: of the language alone
  return useMemo(
    () => [
      {
        id: 'at',
        title: t.at,
        width: '10rem',
        cell: (row) => format.moment(row.created_at),
        text: (row) => row.created_at,
      },
      { id: 'event', title: t.event, width: '20%', isOnCard: true, cell: words.event, text: words.event },
      {
        id: 'subscriber',
        title: t.subscriber,
        isOnCard: true,
        cell: (row) =>
          row.abonent_id !== null && (
            <Link to={`/subscribers/${row.abonent_id}/` as never}>{row.abonent_name ?? row.abonent_id}</Link>
          ),
        text: (row) => row.abonent_name,
      },
      {
        id: 'state',
        title: t.state,
        isOnCard: true,
        cell: (row) => <DeliveryState delivery={row} />,
        text: (row) => words.state(row),
      },
      { id: 'answer', title: t.answer, width: '24%', isOnCard: true, cell: words.answer, text: words.answer },
      { id: 'attempts', title: t.attempts, align: 'right', cell: (row) => row.attempts, text: (row) => row.attempts },
      {
        id: 'next',
        title: t.nextTry,
        isExtra: true,
        cell: (row) => row.next_try_at && format.moment(row.next_try_at),
        text: (row) => row.next_try_at,
      },
    ],
    [t, format, endpoint],
  )
}
