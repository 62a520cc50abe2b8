import { useState } from 'react'
import { ask } from '../../api/client.ts'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { useTexts } from '../../texts/texts.ts'
import { accountPath, factorEndpoint } from './endpoints.ts'
import { PresentPassword } from './present-password.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { accountTexts } from './texts.ts'

/** New recovery codes in place of those before. */
export default function CodesForm() {
  const t = useTexts(accountTexts)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const form = useSideForm({
    initial: { current_password: '' },
    check: ({ current_password }) => ({ ...(current_password === '' && { current_password: t.presentNeeded }) }),
    send: (body) => ask('POST /admin/account/recovery_codes/', { body }),
    outdated: [factorEndpoint],
    onDone: (answer) => setCodes(answer.recovery_codes),
  })
  if (codes) return <RecoveryCodes codes={codes} />
  return (
    <SideForm title={t.renew} backTo={accountPath} action={t.renew} form={form}>
      <p>{t.renewSays}</p>
      <PresentPassword field={form.field('current_password')} />
    </SideForm>
  )
}
