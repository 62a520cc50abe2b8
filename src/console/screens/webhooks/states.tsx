import { Pill } from '../../patterns/pill.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { Delivery, Webhook } from './endpoints.ts'
import { eventNames, webhookTexts } from './texts.ts'

/** How an endpoint is, in a word; where it is off, why. */
export function useEndpointState() {
  const t = useTexts(webhookTexts)
  return ({ enabled, off_reason: reason, failing_since: failing }: Webhook) => {
    if (!enabled) return { tone: 'quiet', text: reason === null ? t.isOff : `${t.isOff}: ${t[reason]}` } as const
    return failing === null ? ({ tone: 'good', text: t.isOn } as const) : ({ tone: 'bad', text: t.isFailing } as const)
  }
}

export function EndpointState({ endpoint }: { readonly endpoint: Webhook }) {
  const { tone, text } = useEndpointState()(endpoint)
  return <Pill tone={tone}>{text}</Pill>
}

export function useDeliveryWords() {
  const t = useTexts(webhookTexts)
  const names = useTexts(eventNames) as Readonly<Record<string, string>>
  return {
    event: ({ event }: Pick<Delivery, 'event'>) => names[event] ?? event,
    state: ({ state }: Pick<Delivery, 'state'>) =>
      ({ waiting: t.waitingState, delivered: t.delivered, failed: t.failedState })[state],
    /** What the endpoint said last, or why it said nothing. */
    answer: ({ status, error, is_behind: isBehind }: Pick<Delivery, 'status' | 'error' | 'is_behind'>) =>
      isBehind ? t.behind : (error ?? (status === null ? '' : String(status))),
  }
}

const tones = { waiting: 'warning', delivered: 'good', failed: 'bad' } as const

export function DeliveryState({ delivery }: { readonly delivery: Pick<Delivery, 'state'> }) {
  return <Pill tone={tones[delivery.state]}>{useDeliveryWords().state(delivery)}</Pill>
}
