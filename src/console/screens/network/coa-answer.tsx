import { useMemo } from 'react'
import type { Item } from '../../api/client.ts'
import { Pill, type Tone } from '../../patterns/pill.tsx'
import { useTexts } from '../../texts/texts.ts'
import { causeTexts, coaTexts } from './texts.ts'

type Asked = Pick<Item<'GET /admin/radius/coa/'>, 'result' | 'error_cause'>

const tones: Readonly<Record<Asked['result'], Tone>> = { ack: 'good', nak: 'warning', no_answer: 'bad' }

/** Why a NAS refused, in words. */
export function useAnswerWords(): (asked: Asked) => string {
  const t = useTexts(coaTexts)
  const causes = useTexts(causeTexts)
  const named = causes as Readonly<Record<string, string>>
  return useMemo(
    () =>
      ({ result, error_cause: cause }) => {
        if (result !== 'nak') return t[result]
        const why = cause === null ? causes.unnamed : `${named[`c${cause}`] ?? causes.other} (${cause})`
        return `${t.nak}: ${why}`
      },
    [t, causes, named],
  )
}

/** What a NAS answered to a Disconnect or a CoA. */
export function CoaAnswer({ asked }: { readonly asked: Asked }) {
  const words = useAnswerWords()
  return <Pill tone={tones[asked.result]}>{words(asked)}</Pill>
}
