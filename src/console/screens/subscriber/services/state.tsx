import { useFormat } from '../../../format/format.ts'
import { Pill } from '../../../patterns/pill.tsx'
import { useTexts } from '../../../texts/texts.ts'
import type { Charge } from './charge-key.ts'
import { notChargedTexts, servicesTexts } from './texts.ts'

type State = {
  readonly reason: keyof typeof notChargedTexts.ru | null
  readonly through: string | null
  /** When it is charged next; null: not until the end of the next month. */
  readonly due: string | null
}

/** How far something has been charged, when it will be where it has not, or why it is not. */
export function ChargeState({ reason, through, due }: State) {
  const t = useTexts(servicesTexts)
  const why = useTexts(notChargedTexts)
  const format = useFormat()
  if (reason !== null)
    return <Pill tone={reason === 'free' || reason === 'promise' ? 'info' : 'warning'}>{why[reason]}</Pill>
  if (through !== null) return <Pill tone="good">{t.chargedThrough(format.plainDay(through))}</Pill>
  return <Pill tone="info">{due === null ? t.notYet : t.dueOn(format.plainDay(due))}</Pill>
}

/** When the tariff, which has no link, or a service is charged next. */
export const dueDay = (charges: readonly Charge[], link: number | null): string | null =>
  charges.find(({ kind, link_id }) => link_id === link && kind === (link === null ? 'tariff' : 'service'))?.day ?? null
