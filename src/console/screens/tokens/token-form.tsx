import { Checkbox, Input, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type Answer, ask } from '../../api/client.ts'
import { useMay } from '../../api/me.tsx'
import { DateField } from '../../patterns/form/date-field.tsx'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { GivenOnce } from '../../patterns/given-once.tsx'
import { useTexts } from '../../texts/texts.ts'
import { tokensEndpoint, tokensPath } from './tokens.tsx'
import { tokenTexts } from './texts.ts'

/** Each scope with the rights that its owner must have. */
const scopes = [
  ['read', ['view']],
  ['write', ['change']],
  ['money', ['money']],
  ['system', ['settings', 'system', 'personal_data']],
] as const
type Scope = (typeof scopes)[number][0]

/** A new token, within one's own rights; it is shown once. */
export default function TokenForm() {
  const t = useTexts(tokenTexts)
  const may = useMay()
  const navigate = useNavigate()
  const [made, setMade] = useState<Answer<'POST /admin/settings/tokens/'> | null>(null)
  const form = useSideForm({
    initial: { name: '', read: true, write: false, money: false, system: false, expires: '', current_password: '' },
    dates: { expires: 'day' },
    check: (values) => ({
      ...(values.name.trim() === '' && { name: t.nameNeeded }),
      ...(!scopes.some(([scope]) => values[scope]) && { read: t.scopesNeeded }),
      ...(values.current_password === '' && { current_password: t.passwordNeeded }),
    }),
    send: ({ name, expires, current_password, ...chosen }) =>
      ask('POST /admin/settings/tokens/', {
        body: {
          name: name.trim(),
          scopes: scopes.map(([scope]) => scope).filter((scope): scope is Scope => chosen[scope]),
          expires: expires === '' ? null : expires,
          current_password,
        },
      }),
    outdated: [tokensEndpoint],
    onDone: setMade,
  })
  const leave = () => void navigate({ to: tokensPath })
  if (made) return <GivenOnce title={t.given} says={t.givenSays} values={[[t.token, made.token]]} onClose={leave} />
  return (
    <SideForm title={t.add} backTo={tokensPath} action={t.create} form={form}>
      <TextInput
        {...form.field('name')}
        label={t.name}
        description={t.nameSays}
        maxLength={200}
        autoComplete="off"
        required
        data-autofocus
      />
      <Input.Wrapper label={t.scopes} error={form.field('read').error} labelElement="div">
        <Stack gap="xs" mt="xs" role="group" aria-label={t.scopes}>
          {scopes.map(([scope, needed]) => (
            <Checkbox
              key={scope}
              name={scope}
              label={t[scope]}
              checked={form.values[scope]}
              disabled={!needed.every((right) => may(right))}
              onChange={({ currentTarget }) => form.set({ read: form.values.read, [scope]: currentTarget.checked })}
            />
          ))}
        </Stack>
      </Input.Wrapper>
      <DateField {...form.date('expires')} label={t.expires} description={t.expiresSays} />
      <PasswordInput {...form.field('current_password')} label={t.password} autoComplete="current-password" required />
    </SideForm>
  )
}
