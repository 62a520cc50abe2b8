import { Button, Group } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type Answer, ask, type Endpoint } from '../../api/client.ts'
import { useMay } from '../../api/me.tsx'
import { follow } from '../../api/use-endpoint.ts'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { useFormat } from '../../format/format.ts'
import { Facts } from '../../patterns/facts.tsx'
import { Pill, type Tone } from '../../patterns/pill.tsx'
import { told } from '../../patterns/told.ts'
import { useTexts } from '../../texts/texts.ts'
import { refundTexts } from './texts.ts'

export type Refund = NonNullable<Answer<'GET /admin/payments/problems/{id}/'>['problem']['refund']>

const tones: Record<Refund['state'], Tone> = {
  asked: 'info',
  sent: 'info',
  done: 'good',
  failed: 'bad',
  by_hand: 'quiet',
}

/** How far the gateway is with a refund. */
export function RefundState({ refund: { state } }: { readonly refund: Refund }) {
  const t = useTexts(refundTexts)
  return <Pill tone={tones[state]}>{t[state]}</Pill>
}

type RefundProps = {
  readonly refund: Refund
  /** The endpoints that tell of it. */
  readonly outdated: readonly Extract<Endpoint, `GET ${string}`>[]
}

const followMs = 3_000

/** While the gateway is at work on a refund, what is known of it is asked for again. */
function useFollowing({ refund: { state }, outdated }: RefundProps): void {
  const queries = useQueryClient()
  const endpoints = outdated.join()
  const isOnItsWay = state === 'asked' || state === 'sent'
  useEffect(() => {
    if (!isOnItsWay) return
    const timer = setInterval(
      () => void follow(queries, endpoints.split(',') as RefundProps['outdated'][number][]),
      followMs,
    )
    return () => clearInterval(timer)
  }, [queries, endpoints, isOnItsWay])
}

/** A refund by the gateway, and what may be done where it has refused. */
export function RefundPart({ refund, outdated }: RefundProps) {
  useFollowing({ refund, outdated })
  const t = useTexts(refundTexts)
  const may = useMay()
  const format = useFormat()
  return (
    <section>
      <h2>{t.title}</h2>
      <Facts
        facts={[
          [t.state, <RefundState key="state" refund={refund} />],
          [t.amount, format.money(refund.amount)],
          [t.error, refund.error && <span lang="en">{refund.error}</span>],
          [t.number, refund.refund_id],
          [t.by, `${refund.asked_by}, ${format.moment(refund.created_at)}`],
          [t.at, refund.done_at && format.moment(refund.done_at)],
          [t.comment, refund.comment],
        ]}
      />
      {refund.state === 'failed' && may('money') && <Actions refund={refund} outdated={outdated} />}
    </section>
  )
}

function Actions({ refund: { id }, outdated }: RefundProps) {
  const t = useTexts(refundTexts)
  const form = useSideForm({
    initial: { action: 'again' as 'again' | 'by_hand' },
    send: ({ action }) => ask('POST /admin/payments/refunds/{id}/', { path: { id }, body: { deed: action } }),
    outdated,
    onDone: ({ state }) => told.done(state === 'asked' ? t.doneAgain : t.doneByHand),
  })
  return (
    <>
      {form.refusal !== null && <p role="alert">{form.refusal}</p>}
      <Group gap="xs" mt="xs">
        <Button size="xs" loading={form.isBusy} onClick={() => void form.send({ action: 'again' })}>
          {t.again}
        </Button>
        <Button size="xs" variant="default" loading={form.isBusy} onClick={() => void form.send({ action: 'by_hand' })}>
          {t.byHand}
        </Button>
      </Group>
    </>
  )
}
