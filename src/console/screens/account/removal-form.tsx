import { TextInput } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { ask, Refused } from '../../api/client.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { told } from '../../patterns/told.ts'
import { useTexts } from '../../texts/texts.ts'
import { accountPath, outdatedByFactor, passkeysEndpoint } from './endpoints.ts'
import { takeAway, useSayPasskey } from './passkeys.ts'
import { PresentPassword } from './present-password.tsx'
import { useLeave } from './recovery-codes.tsx'
import { accountTexts } from './texts.ts'

/** Takes the application, or the passkey that the address names, away from who knows the password. */
export default function RemovalForm() {
  const { id } = useParams({ strict: false }) as { readonly id?: string }
  const t = useTexts(accountTexts)
  const say = useSayPasskey()
  const leave = useLeave()
  const { data } = useEndpoint(passkeysEndpoint, {})
  const items = data?.items ?? []
  const name = items.find((one) => String(one.id) === id)?.name ?? ''
  const form = useSideForm({
    initial: { current_password: '', code: '' },
    check: ({ current_password }) => ({ ...(current_password === '' && { current_password: t.presentNeeded }) }),
    send: ({ current_password, code }) =>
      takeAway({
        remove: (body) =>
          id === undefined
            ? ask('DELETE /admin/account/totp/', { body })
            : ask('DELETE /admin/account/passkeys/{id}/', { path: { id: Number(id) }, body }),
        password: current_password,
        code,
        hasPasskeys: items.length > 0,
      }).catch((error: unknown) => {
        throw error instanceof DOMException ? new Refused(400, { error: say(error) }, null) : error
      }),
    outdated: outdatedByFactor,
    onDone: () => {
      told.done(id === undefined ? t.turnedOff : t.removed)
      leave()
    },
  })
  const action = id === undefined ? t.takeAway : t.remove
  return (
    <SideForm
      title={id === undefined ? t.takeAway : t.removeOf(name)}
      backTo={accountPath}
      action={action}
      isDangerous
      form={form}
    >
      <PresentPassword field={form.field('current_password')} />
      <TextInput {...form.field('code')} label={t.proof} description={t.proofSays} autoComplete="one-time-code" />
    </SideForm>
  )
}
