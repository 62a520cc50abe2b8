import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { ask } from '../../api/client.ts'
import { useSend } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { Beside } from '../../patterns/beside.tsx'
import { useConfirm } from '../../patterns/confirm.tsx'
import { Copy } from '../../patterns/copy.tsx'
import { Facts } from '../../patterns/facts.tsx'
import { Listing } from '../../patterns/listing.tsx'
import { told } from '../../patterns/told.ts'
import { useSayRefusal } from '../../texts/refusals.ts'
import { useTexts } from '../../texts/texts.ts'
import { type DeliveryDetail, deliveryEndpoint, outdatedByWebhook, webhooksPath } from './endpoints.ts'
import { DeliveryState, useDeliveryWords } from './states.tsx'
import { webhookTexts } from './texts.ts'
import styles from './webhooks.module.css'

const askAgainMs = 1_000

/** One delivery beside the list: what is sent and what was answered, followed while it waits. It can be sent again. */
export default function DeliveryCard() {
  const { id, delivery } = useParams({ strict: false }) as { readonly id: string; readonly delivery: string }
  const t = useTexts(webhookTexts)
  const navigate = useNavigate()
  const sent = { path: { id: Number(delivery) } }
  const { data, error } = useQuery({
    queryKey: [deliveryEndpoint, sent],
    queryFn: ({ signal }) => ask(deliveryEndpoint, { ...sent, signal }),
    refetchInterval: ({ state }) => (state.data?.delivery.state === 'waiting' ? askAgainMs : false),
  })
  const title = t.delivery(Number(delivery))
  if (error && !data) throw error
  return (
    <Beside
      title={title}
      onClose={() => void navigate({ to: `${webhooksPath}${id}/`, search: true as never })}
      width={560}
    >
      {data && <Content delivery={data.delivery} />}
    </Beside>
  )
}

function Content({ delivery }: { readonly delivery: DeliveryDetail }) {
  const t = useTexts(webhookTexts)
  const words = useDeliveryWords()
  const format = useFormat()
  const moment = (at: string | null) => (at === null ? null : format.moment(at))
  return (
    <div className={styles.delivery}>
      <Facts
        facts={[
          [t.state, <DeliveryState key="state" delivery={delivery} />],
          [t.event, words.event(delivery)],
          [
            t.subscriber,
            delivery.abonent_id === null ? null : (
              <Link key="subscriber" to={`/subscribers/${delivery.abonent_id}/` as never}>
                {delivery.abonent_name ?? delivery.abonent_id}
              </Link>
            ),
          ],
          [t.answer, words.answer(delivery)],
          [t.took, delivery.took_ms === null ? null : t.ms(format.number(delivery.took_ms))],
          [t.attempts, format.number(delivery.attempts)],
          [t.lastTry, moment(delivery.last_try_at)],
          [t.nextTry, moment(delivery.next_try_at)],
          [t.at, moment(delivery.created_at)],
          [t.messageId, <Copy key="id" text={delivery.message_id} />],
        ]}
      />
      <Actions delivery={delivery} />
      <h3>{t.body}</h3>
      <Listing text={readable(delivery.body)} wraps />
      {delivery.answer !== null && delivery.answer !== '' && (
        <>
          <h3>{t.answerBody}</h3>
          <Listing text={delivery.answer} wraps />
        </>
      )}
    </div>
  )
}

function Actions({ delivery: { id, state } }: { readonly delivery: DeliveryDetail }) {
  const t = useTexts(webhookTexts)
  const say = useSayRefusal()
  const confirm = useConfirm()
  const again = useSend('POST /admin/webhooks/deliveries/{id}/replay/', outdatedByWebhook)
  const giveUp = useSend('POST /admin/webhooks/deliveries/{id}/give_up/', outdatedByWebhook)
  const onError = (error: unknown) => told.failed(say(error))
  const leaveIt = async () => {
    if (!(await confirm({ title: t.giveUpAsks, says: t.giveUpSays, action: t.giveUp, isDangerous: true }))) return
    giveUp.mutate({ path: { id } }, { onSuccess: () => told.done(t.gaveUp), onError })
  }
  return (
    <Group>
      <Button
        loading={again.isPending}
        onClick={() => again.mutate({ path: { id } }, { onSuccess: () => told.done(t.sentAgain), onError })}
      >
        {t.again}
      </Button>
      {state === 'waiting' && (
        <Button variant="default" loading={giveUp.isPending} onClick={() => void leaveIt()}>
          {t.giveUp}
        </Button>
      )}
    </Group>
  )
}

/** JSON with its members in lines; anything else as it is. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
