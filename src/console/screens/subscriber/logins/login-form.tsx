import { Button, Switch, TextInput } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { ask } from '../../../api/client.ts'
import { isIpv4, isIpv6Network } from '../../../format/ip.ts'
import { isMac } from '../../../format/mac.ts'
import { useConfirm } from '../../../patterns/confirm.tsx'
import { SideForm } from '../../../patterns/form/side-form.tsx'
import { useSideForm } from '../../../patterns/form/use-side-form.ts'
import { useGo } from '../../../patterns/late.ts'
import { told } from '../../../patterns/told.ts'
import { useTold } from '../../../patterns/use-told.ts'
import { useTexts } from '../../../texts/texts.ts'
import { PoolFields, PortFields } from '../../line/fields.tsx'
import { lineTexts } from '../../line/texts.ts'
import styles from './logins.module.css'
import { type Given, GivenLogin } from '../../line/given-login.tsx'
import { loginTexts } from './texts.ts'
import { type Login, outdatedByLogin, useLogin } from './use-login.ts'

/** A new login of the subscriber, or one that is there, beside the card. */
export default function LoginForm() {
  const { login, isNew } = useLogin()
  return login || isNew ? <Fields key={login?.id} login={login} /> : null
}

const text = (value: string | number | null | undefined): string =>
  value === null || value === undefined ? '' : String(value)
const choice = (value: number | null | undefined): string | null => (value ? String(value) : null)

/** What a device that nobody knows has sent, of which a login is to be made. */
type Proposed = { readonly login?: string; readonly mac?: string }

const valuesOf = (login: Login | undefined, proposed: Proposed = {}) => ({
  login: text(login ? login.login : proposed.login),
  password: '',
  pool: choice(login?.pool_id),
  ip: text(login?.ip),
  mac: text(login ? login.mac : proposed.mac),
  ipv6_prefix: text(login?.ipv6_prefix),
  delegated_ipv6_prefix: text(login?.delegated_ipv6_prefix),
  switch: choice(login?.switch_id),
  switch_port: text(login?.switch_port),
  vlan: text(login?.vlan),
  simultaneous_use: text(login?.simultaneous_use ?? 1),
  enabled: login ? !login.disabled_by_hand : true,
})
type Values = ReturnType<typeof valuesOf>

const textOrNull = (value: string): string | null => (value.trim() === '' ? null : value.trim())
const numberOrNull = (value: string | null): number | null =>
  value === null || value.trim() === '' ? null : Number(value)

const bodyOf = (values: Values) => ({
  login: textOrNull(values.login),
  pool: numberOrNull(values.pool),
  ip: textOrNull(values.ip),
  mac: textOrNull(values.mac),
  ipv6_prefix: textOrNull(values.ipv6_prefix),
  delegated_ipv6_prefix: textOrNull(values.delegated_ipv6_prefix),
  switch: numberOrNull(values.switch),
  switch_port: numberOrNull(values.switch_port),
  vlan: numberOrNull(values.vlan),
  simultaneous_use: numberOrNull(values.simultaneous_use) ?? 1,
  enabled: values.enabled,
})

/** What is no longer as it was when the form was opened; the rest may have been changed by others meanwhile. */
function changedSince(before: Values, values: Values): Partial<ReturnType<typeof bodyOf>> {
  const was: Readonly<Record<string, unknown>> = bodyOf(before)
  return Object.fromEntries(Object.entries(bodyOf(values)).filter(([name, value]) => value !== was[name]))
}

/** An empty text is right everywhere; a number is whole and within its bounds. */
const isWithin = (value: string, min: number, max: number): boolean =>
  value.trim() === '' || (/^\d+$/.test(value.trim()) && Number(value) >= min && Number(value) <= max)
const fits = (value: string, isRight: (typed: string) => boolean): boolean => value.trim() === '' || isRight(value)

function useCheck(login: Login | undefined): (values: Values) => Partial<Record<keyof Values, string>> {
  const t = useTexts(loginTexts)
  return (values) => ({
    ...(login && values.login.trim() === '' && { login: t.loginWrong }),
    ...(!fits(values.ip, isIpv4) && { ip: t.ipWrong }),
    ...(!fits(values.mac, isMac) && { mac: t.macWrong }),
    ...(!fits(values.ipv6_prefix, isIpv6Network) && { ipv6_prefix: t.prefixWrong }),
    ...(!fits(values.delegated_ipv6_prefix, isIpv6Network) && { delegated_ipv6_prefix: t.prefixWrong }),
    ...(!isWithin(values.switch_port, 1, 65_535) && { switch_port: t.portWrong }),
    ...(!isWithin(values.vlan, 1, 4094) && { vlan: t.vlanWrong }),
    ...(!isWithin(values.simultaneous_use, 1, 1000) && { simultaneous_use: t.sessionsWrong }),
  })
}

function useLoginForm(login: Login | undefined, onGiven: (given: Given) => void) {
  const t = useTexts(loginTexts)
  const navigate = useGo()
  const { abonent, backTo } = useLogin()
  const proposed = useSearch({ strict: false }) as Proposed
  const [opened] = useState(() => valuesOf(login, proposed))
  return useSideForm({
    initial: opened,
    check: useCheck(login),
    send: async (values) => {
      if (login) {
        const body = changedSince(opened, values)
        return ask('POST /admin/Abonents/logins_crud/{id}/', { path: { id: login.id }, body })
      }
      const { password } = values
      const body = { ...bodyOf(values), ...(password !== '' && { password }), abonent_id: abonent }
      return ask('POST /admin/Abonents/logins_crud/', { body })
    },
    outdated: outdatedByLogin,
    onDone: (answer) => {
      if (!('login' in answer)) return
      const { password } = answer
      told.done(login ? t.saved : t.made(answer.login.login))
      if (password !== null) onGiven({ login: answer.login.login, password })
      else void navigate({ to: backTo })
    },
  })
}

function Fields({ login }: { readonly login: Login | undefined }) {
  const t = useTexts(loginTexts)
  const line = useTexts(lineTexts)
  const navigate = useGo()
  const { backTo } = useLogin()
  const [given, setGiven] = useState<Given | null>(null)
  const form = useLoginForm(login, setGiven)
  if (given) return <GivenLogin given={given} onClose={() => void navigate({ to: backTo })} />
  return (
    <SideForm
      title={login ? t.changeOf(login.login) : t.add}
      backTo={backTo}
      action={login ? t.save : t.create}
      form={form}
    >
      <NameFields form={form} isNew={!login} />
      <div className={styles.fields}>
        <PoolFields pool={form.choice('pool')} ip={form.field('ip')} onFree={(ip) => form.set({ ip })} />
        <TextInput {...form.field('mac')} label={line.mac} placeholder="aa:bb:cc:dd:ee:ff" autoComplete="off" />
        <TextInput {...form.field('simultaneous_use')} label={t.sessionsMax} inputMode="numeric" autoComplete="off" />
        <PortFields device={form.choice('switch')} port={form.field('switch_port')} />
        <TextInput {...form.field('ipv6_prefix')} label={t.ipv6} placeholder="2001:db8:1::/64" autoComplete="off" />
        <TextInput {...form.field('delegated_ipv6_prefix')} label={t.delegated} autoComplete="off" />
        <TextInput
          {...form.field('vlan')}
          label={t.vlan}
          description={t.vlanSays}
          inputMode="numeric"
          autoComplete="off"
        />
      </div>
      <Switch
        name="enabled"
        label={t.isOn}
        description={t.isOnSays}
        checked={form.values.enabled}
        onChange={({ currentTarget }) => form.set({ enabled: currentTarget.checked })}
      />
      {login && <DeleteLogin login={login} backTo={backTo} />}
    </SideForm>
  )
}

function NameFields({ form, isNew }: { readonly form: ReturnType<typeof useLoginForm>; readonly isNew: boolean }) {
  const line = useTexts(lineTexts)
  return (
    <>
      <TextInput
        {...form.field('login')}
        label={line.login}
        {...(isNew && { placeholder: line.passwordMade })}
        autoComplete="off"
        data-autofocus
      />
      {isNew && (
        <TextInput
          {...form.field('password')}
          label={line.password}
          placeholder={line.passwordMade}
          autoComplete="off"
        />
      )}
    </>
  )
}

function DeleteLogin({ login, backTo }: { readonly login: Login; readonly backTo: string }) {
  const t = useTexts(loginTexts)
  const confirm = useConfirm()
  const navigate = useGo()
  const remove = useTold('DELETE /admin/Abonents/logins_crud/{id}/', outdatedByLogin)
  const run = async () => {
    const title = t.deleteAsks(login.login)
    if (!(await confirm({ title, says: t.deleteSays, action: t.delete, isDangerous: true }))) return
    remove.run({ path: { id: login.id } }, () => {
      told.done(t.deleted)
      void navigate({ to: backTo })
    })
  }
  return (
    <Button variant="subtle" color="red" loading={remove.isPending} onClick={() => void run()}>
      {t.delete}
    </Button>
  )
}
