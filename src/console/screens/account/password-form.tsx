import { PasswordInput } from '@mantine/core'
import { ask } from '../../api/client.ts'
import { useMe } from '../../api/me.tsx'
import { liveSocket } from '../../live/use-live.ts'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { useTexts } from '../../texts/texts.ts'
import { accountPath } from './endpoints.ts'
import { PresentPassword } from './present-password.tsx'
import { accountTexts } from './texts.ts'

/** A new password. It ends every session, and this browser gets a new one with the answer. */
export default function PasswordForm() {
  const t = useTexts(accountTexts)
  const { username } = useMe().user
  const form = useSideForm({
    initial: { current_password: '', password: '', repeated: '' },
    check: ({ current_password, password, repeated }) => ({
      ...(current_password === '' && { current_password: t.presentNeeded }),
      ...(password === '' && { password: t.wanted }),
      ...(repeated !== password && { repeated: t.notRepeated }),
    }),
    send: ({ current_password, password }) =>
      liveSocket.whileRenewed(ask('POST /admin/account/password/', { body: { current_password, password } })),
    // What the program knew of the session before is over.
    onDone: () => location.assign(`/admin${accountPath}`),
  })
  return (
    <SideForm title={t.changePassword} backTo={accountPath} action={t.changePassword} form={form}>
      <p>{t.passwordSays}</p>
      <input type="hidden" name="username" autoComplete="username" value={username} />
      <PresentPassword field={form.field('current_password')} />
      <PasswordInput {...form.field('password')} label={t.wanted} autoComplete="new-password" required />
      <PasswordInput {...form.field('repeated')} label={t.repeated} autoComplete="new-password" required />
    </SideForm>
  )
}
