import { told } from '../../patterns/told.ts'
import { useTold } from '../../patterns/use-told.ts'
import { useTexts } from '../../texts/texts.ts'
import { useAnswerWords } from './coa-answer.tsx'
import { sessionTexts } from './texts.ts'

/** Has the NAS of a session told by CoA what the login has now, and says what it answered. */
export function useCoa() {
  const t = useTexts(sessionTexts)
  const words = useAnswerWords()
  const { run, isPending } = useTold('POST /admin/radius/sessions/coa/', ['GET /admin/radius/coa/'])
  const send = ({ id, login }: { readonly id: number; readonly login: string }) =>
    run({ body: { id } }, (answer) => {
      const [first = '', ...rest] = words(answer)
      const said = t.coaAnswer(login, first.toLowerCase() + rest.join(''))
      if (answer.result === 'ack') told.done(said)
      else told.failed(said)
    })
  return { isBusy: isPending, send }
}
