import { Button, Checkbox, Group, Input, MultiSelect, Stack, TextInput } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { ask } from '../../api/client.ts'
import { useMe } from '../../api/me.tsx'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { GivenOnce } from '../../patterns/given-once.tsx'
import { useGo } from '../../patterns/late.ts'
import { told } from '../../patterns/told.ts'
import { useTexts } from '../../texts/texts.ts'
import { newPassword } from './new-password.ts'
import { RoleChoice } from './role-choice.tsx'
import { rolesEndpoint, sessionsEndpoint, staffEndpoint, staffPath, type User, userEndpoint } from './endpoints.ts'
import { UserActions } from './user-actions.tsx'
import { rightMeanings, rightNames, staffTexts } from './texts.ts'

/** A new staff user, or one that is there, beside the list. */
export default function StaffForm() {
  const { id } = useParams({ strict: false }) as { readonly id?: string }
  const { data, error } = useEndpoint(userEndpoint, { path: { id: Number(id ?? 0) } }, { isEnabled: id !== undefined })
  if (error && !data) throw error
  if (id === undefined) return <Fields user={null} />
  return data ? <Fields key={data.id} user={data} /> : null
}

const valuesOf = (user: User | null) => ({
  username: user?.username ?? '',
  password: '',
  /** Of a new user nobody is presumed to be anything. */
  role: (user?.role ?? '') as string,
  rest: user?.rest ?? false,
  personal_data: user?.personal_data ?? false,
  soap: user?.soap ?? false,
  is_superuser: user?.is_superuser ?? false,
  all_organizations: user?.all_organizations ?? false,
  enabled: user?.enabled ?? true,
  /** Ids with commas between. */
  organizations: (user?.organizations ?? []).join(),
})
type FormValues = ReturnType<typeof valuesOf>
type Given = { readonly username: string; readonly password: string }

const idsOf = (joined: string): readonly string[] => (joined === '' ? [] : joined.split(','))

/** Only what differs: staff of some organizations may not send what they may not change. */
function bodyOf(values: FormValues, user: User | null) {
  const { password, organizations, username, ...flags } = values
  const before = valuesOf(user)
  const changed = Object.entries(flags).filter(([name, value]) => before[name as keyof typeof flags] !== value)
  return {
    ...Object.fromEntries(changed),
    ...(username.trim() !== before.username && { username: username.trim() }),
    ...(password !== '' && { password }),
    ...(organizations !== before.organizations && { organizations: idsOf(organizations).map(Number) }),
  }
}

function useStaffForm(user: User | null, onGiven: (given: Given) => void) {
  const t = useTexts(staffTexts)
  const navigate = useGo()
  /** The password that was generated last, and whether it is the one that was sent. */
  const generated = useRef({ password: '', isSent: false })
  const form = useSideForm({
    initial: valuesOf(user),
    check: ({ username, password, role, is_superuser }) => ({
      ...(username.trim() === '' && { username: t.usernameNeeded }),
      ...(user === null && password === '' && { password: t.passwordNeeded }),
      ...(!is_superuser && role === '' && { role: t.roleNeeded }),
    }),
    send: (values) => {
      const body = bodyOf(values, user)
      generated.current.isSent = values.password !== '' && values.password === generated.current.password
      return user === null
        ? ask('POST /admin/dictionary/staff_crud/', { body: body as never })
        : ask('POST /admin/dictionary/staff_crud/{id}/', { path: { id: user.id }, body })
    },
    outdated: [staffEndpoint, userEndpoint, sessionsEndpoint, rolesEndpoint],
    onDone: ({ username, sessions_ended: ended }) => {
      told.done(user === null ? t.added(username) : ended === undefined ? t.saved : t.endedToo(ended))
      const { password, isSent } = generated.current
      if (isSent) onGiven({ username, password })
      else void navigate({ to: staffPath })
    },
  })
  const generate = () => {
    generated.current.password = newPassword()
    form.set({ password: generated.current.password })
  }
  return { ...form, generate }
}

function Fields({ user }: { readonly user: User | null }) {
  const t = useTexts(staffTexts)
  const navigate = useNavigate()
  const [given, setGiven] = useState<Given | null>(null)
  const form = useStaffForm(user, setGiven)
  const { values } = form
  if (given) return <GivenPassword given={given} onClose={() => void navigate({ to: staffPath })} />
  const title = user === null ? t.add : t.edit(user.username)
  return (
    <SideForm title={title} backTo={staffPath} action={user === null ? t.create : t.save} form={form}>
      <TextInput
        {...form.field('username')}
        label={t.username}
        maxLength={150}
        autoComplete="off"
        required
        data-autofocus
      />
      <Group align="start">
        <TextInput
          {...form.field('password')}
          style={{ flex: '1 1 12rem' }}
          label={t.password}
          description={user === null ? t.passwordSays : t.passwordKept}
          autoComplete="new-password"
        />
        <Button variant="default" mt="1.26rem" onClick={form.generate}>
          {t.generate}
        </Button>
      </Group>
      {!values.is_superuser && <RoleChoice {...form.choice('role')} />}
      <Organizations form={form} />
      <Switches form={form} user={user} />
      {user !== null && <UserActions user={user} />}
    </SideForm>
  )
}

/** The password that was generated, which is shown only now. */
function GivenPassword({ given, onClose }: { readonly given: Given; readonly onClose: () => void }) {
  const t = useTexts(staffTexts)
  return (
    <GivenOnce
      title={t.given}
      says={t.givenSays}
      values={[
        [t.username, given.username],
        [t.password, given.password],
      ]}
      onClose={onClose}
    />
  )
}

type PartProps = { readonly form: ReturnType<typeof useStaffForm> }

function Organizations({ form: { values, set } }: PartProps) {
  const t = useTexts(staffTexts)
  const me = useMe()
  if (values.is_superuser || me.organizations.length < 2) return null
  return (
    <Stack gap="xs">
      {me.user.all_organizations && (
        <Checkbox
          label={t.allOrganizations}
          checked={values.all_organizations}
          onChange={({ currentTarget }) => set({ all_organizations: currentTarget.checked })}
        />
      )}
      {!values.all_organizations && (
        <MultiSelect
          label={t.organizations}
          description={t.organizationsSays}
          data={me.organizations.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={[...idsOf(values.organizations)]}
          onChange={(ids) => set({ organizations: ids.join() })}
          searchable
        />
      )}
    </Stack>
  )
}

function Switches({ form: { values, set }, user }: PartProps & { readonly user: User | null }) {
  const t = useTexts(staffTexts)
  const names = useTexts(rightNames)
  const meanings = useTexts(rightMeanings)
  const me = useMe()
  const besideRole = [
    ['rest', names.rest, meanings.rest],
    ['personal_data', names.personal_data, meanings.personal_data],
  ] as const
  const others = [
    ['soap', t.soap] as const,
    ...(me.user.is_superuser ? [['is_superuser', t.superuser] as const] : []),
    ...(user === null ? [] : [['enabled', t.enabled] as const]),
  ]
  const box = ([name, label, says]: readonly [(typeof besideRole | typeof others)[number][0], string, string?]) => (
    <Checkbox
      key={name}
      label={label}
      description={says}
      checked={values[name]}
      onChange={({ currentTarget }) => set({ [name]: currentTarget.checked })}
    />
  )
  return (
    <>
      {!values.is_superuser && (
        <Input.Wrapper label={t.more} labelElement="div">
          <Stack gap="xs" mt="xs" role="group" aria-label={t.more}>
            {besideRole.map(box)}
          </Stack>
        </Input.Wrapper>
      )}
      <Stack gap="xs">{others.map(box)}</Stack>
    </>
  )
}
