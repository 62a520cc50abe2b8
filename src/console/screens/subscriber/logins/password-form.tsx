import { TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ask } from '../../../api/client.ts'
import { SideForm } from '../../../patterns/form/side-form.tsx'
import { useSideForm } from '../../../patterns/form/use-side-form.ts'
import { useTexts } from '../../../texts/texts.ts'
import { GivenLogin } from '../../line/given-login.tsx'
import { passwordTexts } from './texts.ts'
import { type Login, outdatedByLogin, useLogin } from './use-login.ts'

/** Sets the password of a login, or has one made, and shows it once. */
export default function PasswordForm() {
  const { login, backTo } = useLogin()
  return login ? <Fields login={login} backTo={backTo} /> : null
}

function Fields({ login: { id, login }, backTo }: { readonly login: Login; readonly backTo: string }) {
  const t = useTexts(passwordTexts)
  const navigate = useNavigate()
  const [password, setPassword] = useState<string | null>(null)
  const form = useSideForm({
    initial: { password: '' },
    send: ({ password: named }) =>
      ask('POST /admin/Abonents/logins_password/{id}/', {
        path: { id },
        body: named === '' ? {} : { password: named },
      }),
    outdated: outdatedByLogin,
    onDone: (answer) => setPassword(answer.password),
  })
  if (password !== null) return <GivenLogin given={{ login, password }} onClose={() => void navigate({ to: backTo })} />
  const action = form.values.password === '' ? t.generate : t.set
  return (
    <SideForm title={t.title(login)} backTo={backTo} action={action} form={form}>
      <TextInput
        {...form.field('password')}
        label={t.field}
        description={t.empty}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
      <p>{t.says}</p>
    </SideForm>
  )
}
