import { useMemo } from 'react'
import type { Item } from '../../api/client.ts'
import { useFormat } from '../../format/format.ts'
import { Pill, type Tone } from '../../patterns/pill.tsx'
import { useTexts } from '../../texts/texts.ts'
import { faultTexts, healthTexts } from './texts.ts'

export type Nas = Item<'GET /admin/radius/nas/'>

const tones: Readonly<Record<Nas['state'], Tone>> = { ok: 'good', silent: 'bad', never: 'warning', wrong_secret: 'bad' }

export function NasPill({ enabled, state }: Pick<Nas, 'enabled' | 'state'>) {
  const t = useTexts(healthTexts)
  return enabled ? <Pill tone={tones[state]}>{t[state]}</Pill> : <Pill tone="quiet">{t.off}</Pill>
}

/** Why packets were dropped, the most frequent first. */
export function DropWords({ drops }: Pick<Nas, 'drops'>) {
  const words = useTexts(faultTexts) as Readonly<Record<string, string>>
  const format = useFormat()
  const list = Object.entries(drops).sort(([, a], [, b]) => b - a)
  return list.map(([fault, count]) => `${words[fault] ?? fault}: ${format.number(count)}`).join(', ')
}

export function useHealthWords() {
  const t = useTexts(healthTexts)
  const format = useFormat()
  return useMemo(() => {
    const { number } = format
    const ms = (value: number | null) => (value === null ? '–' : t.ms(number(value)))
    return {
      rates: ({ per_second: { accept, reject, accounting } }: Nas) =>
        [accept, reject, accounting].map((rate) => number(rate)).join(' / '),
      coa: ({ coa: { ack, nak, no_answer } }: Nas) =>
        [
          ack > 0 && t.acks(number(ack)),
          nak > 0 && t.naks(number(nak)),
          no_answer > 0 && t.noAnswers(number(no_answer)),
        ]
          .filter(Boolean)
          .join(' · '),
      wait: ({ coa: { p50_ms, p99_ms } }: Nas) => (p50_ms === null ? '' : `${ms(p50_ms)} / ${ms(p99_ms)}`),
      // The stamps have whole seconds, and a second more or less is nobody's fault.
      clock: ({ clock_ahead_seconds: ahead }: Nas) =>
        ahead === null
          ? null
          : Math.abs(ahead) <= 1
            ? t.clockExact
            : ahead > 0
              ? t.clockAhead(number(ahead))
              : t.clockBehind(number(-ahead)),
      learned: ({ learned: { message_authenticator: signs, interims } }: Nas) =>
        [
          signs === null ? null : signs ? t.signs : t.signsNot,
          interims === null ? null : interims ? t.interims : t.interimsNot,
        ]
          .filter(Boolean)
          .join(', '),
    }
  }, [t, format])
}
