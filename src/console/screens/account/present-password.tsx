import { PasswordInput } from '@mantine/core'
import type { SideFormState } from '../../patterns/form/use-side-form.ts'
import { useTexts } from '../../texts/texts.ts'
import { accountTexts } from './texts.ts'

/** The password of whoever changes how they sign in. */
export function PresentPassword({ field }: { readonly field: ReturnType<SideFormState['field']> }) {
  const t = useTexts(accountTexts)
  return <PasswordInput {...field} label={t.present} autoComplete="current-password" required data-autofocus />
}
