import { PasswordInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Refused } from '../../api/client.ts'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { told } from '../../patterns/told.ts'
import { useTexts } from '../../texts/texts.ts'
import { accountPath, outdatedByFactor } from './endpoints.ts'
import { addPasskey, useSayPasskey } from './passkeys.ts'
import { RecoveryCodes, useLeave } from './recovery-codes.tsx'
import { accountTexts } from './texts.ts'

/** A passkey of this device, or of a key that is put into it. */
export default function PasskeyForm() {
  const t = useTexts(accountTexts)
  const say = useSayPasskey()
  const leave = useLeave()
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const form = useSideForm({
    initial: { name: '', current_password: '' },
    check: ({ name, current_password }) => ({
      ...(name.trim() === '' && { name: t.nameNeeded }),
      ...(current_password === '' && { current_password: t.presentNeeded }),
    }),
    send: ({ name, current_password }) =>
      addPasskey(name.trim(), current_password).catch((error: unknown) => {
        throw error instanceof DOMException ? new Refused(400, { error: say(error) }, null) : error
      }),
    outdated: outdatedByFactor,
    onDone: ({ recovery_codes: made, sessions_ended: ended }) => {
      told.done(ended === 0 ? t.passkeyAdded : `${t.passkeyAdded}. ${t.othersEnded(ended)}`)
      if (made.length > 0) setCodes(made)
      else leave()
    },
  })
  if (codes) return <RecoveryCodes codes={codes} />
  return (
    <SideForm title={t.addPasskey} backTo={accountPath} action={t.addPasskey} form={form}>
      <TextInput {...form.field('name')} label={t.name} maxLength={100} autoComplete="off" required data-autofocus />
      <PasswordInput {...form.field('current_password')} label={t.present} autoComplete="current-password" required />
    </SideForm>
  )
}
