import { useFormat } from '../../../format/format.ts'
import { Pill } from '../../../patterns/pill.tsx'
import { useTexts } from '../../../texts/texts.ts'
import { notChargedTexts, servicesTexts } from './texts.ts'

type State = { readonly reason: keyof typeof notChargedTexts.ru | null; readonly through: string | null }

/** Whether something is charged, how far it has been, or why it is not. */
export function ChargeState({ reason, through }: State) {
  const t = useTexts(servicesTexts)
  const why = useTexts(notChargedTexts)
  const format = useFormat()
  if (reason !== null)
    return <Pill tone={reason === 'free' || reason === 'promise' ? 'info' : 'warning'}>{why[reason]}</Pill>
  return <Pill tone="good">{through === null ? t.isCharged : t.chargedThrough(format.plainDay(through))}</Pill>
}
