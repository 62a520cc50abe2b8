import { Refused } from '../../api/client.ts'
import { useLateConfirm } from '../../patterns/late.ts'
import { useSayRefusal } from '../../texts/refusals.ts'
import { useTexts } from '../../texts/texts.ts'
import { accountMoneyTexts } from './texts.ts'

const unusual: readonly (string | null)[] = ['date_in_future', 'date_before_account']

/** Posts money; where the server finds the date unusual, somebody is asked and it is posted once more, confirmed. */
export function useDateConfirmed(): <A>(post: (confirmed: { readonly confirm: boolean }) => Promise<A>) => Promise<A> {
  const t = useTexts(accountMoneyTexts)
  const say = useSayRefusal()
  const confirm = useLateConfirm()
  return async (post) => {
    try {
      return await post({ confirm: false })
    } catch (error) {
      if (!(error instanceof Refused && unusual.includes(error.code))) throw error
      if (!(await confirm({ title: t.dateAsks, says: say(error), action: t.action }))) throw error
      return post({ confirm: true })
    }
  }
}
