import { useQueryClient } from '@tanstack/react-query'
import { forget } from '../../api/use-endpoint.ts'
import { GivenOnce } from '../../patterns/given-once.tsx'
import { useGo } from '../../patterns/late.ts'
import { useTexts } from '../../texts/texts.ts'
import { accountPath } from './endpoints.ts'
import { accountTexts } from './texts.ts'

/** The codes that were just made, until somebody says that they are kept. */
export function RecoveryCodes({ codes }: { readonly codes: readonly string[] }) {
  const t = useTexts(accountTexts)
  const leave = useLeave()
  return (
    <GivenOnce
      title={t.codes}
      says={t.codesSay}
      values={[[t.codes, codes.join('\n')]]}
      file="recovery-codes.txt"
      onClose={leave}
    />
  )
}

/** Back to the account, where who has to set up a second factor may do everything from now on. */
export function useLeave(): () => void {
  const queries = useQueryClient()
  const navigate = useGo()
  return () => {
    void forget(queries, ['GET /admin/me/'])
    void navigate({ to: accountPath })
  }
}
