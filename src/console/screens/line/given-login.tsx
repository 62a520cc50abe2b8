import { GivenOnce } from '../../patterns/given-once.tsx'
import { useTexts } from '../../texts/texts.ts'
import { lineTexts } from './texts.ts'

export type Given = { readonly login: string; readonly password: string }

/** The password of a login that was made, which is shown only now. */
export function GivenLogin({ given, onClose }: { readonly given: Given; readonly onClose: () => void }) {
  const t = useTexts(lineTexts)
  return (
    <GivenOnce
      title={t.given}
      says={t.once}
      values={[
        [t.login, given.login],
        [t.password, given.password],
      ]}
      onClose={onClose}
    />
  )
}
