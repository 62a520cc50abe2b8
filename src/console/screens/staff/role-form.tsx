import { Button, Checkbox, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { ask } from '../../api/client.ts'
import { useMe } from '../../api/me.tsx'
import { forget, useEndpoint } from '../../api/use-endpoint.ts'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { useGo } from '../../patterns/late.ts'
import { told } from '../../patterns/told.ts'
import { useTexts } from '../../texts/texts.ts'
import { RemoveRecord } from '../dictionaries/remove-record.tsx'
import { type Role, rolesEndpoint, rolesPath } from './endpoints.ts'
import { useRoleTitle } from './role-names.ts'
import { isChanged } from './roles.tsx'
import { rightMeanings, rightNames, roleNames, roleTexts } from './texts.ts'

type RightName = Role['rights'][number]

/** A new role, or what one that is there is called and may do. Nobody gives a right that they do not have. */
export default function RoleForm() {
  const { name } = useParams({ strict: false }) as { readonly name?: string }
  const { data } = useEndpoint(rolesEndpoint, {})
  if (!data) return null
  if (name === undefined) return <Fields of={null} every={data.rights} />
  const role = data.items.find((one) => one.name === name)
  return role ? <Fields key={role.rights.join()} of={role} every={data.rights} /> : null
}

type FieldsProps = { readonly of: Role | null; readonly every: readonly RightName[] }

function useRoleForm(role: Role | null) {
  const t = useTexts(roleTexts)
  const navigate = useGo()
  const isProgram = role !== null && !role.is_own
  return useSideForm({
    initial: { title: role?.title ?? '', rights: role?.rights.join() ?? 'view' },
    check: ({ title }) => ({ ...(title.trim() === '' && !isProgram && { title: t.titleNeeded }) }),
    send: ({ title, rights: joined }) => {
      const rights = joined.split(',') as RightName[]
      return role === null
        ? ask('POST /admin/staff/roles/', { body: { title: title.trim(), rights } })
        : ask('POST /admin/staff/roles/{name}/', {
            path: { name: role.name },
            body: { title: title.trim() === '' ? null : title.trim(), rights },
          })
    },
    outdated: [rolesEndpoint, 'GET /admin/me/'],
    onDone: ({ title }) => {
      told.done(role === null ? t.created(title ?? '') : t.saved)
      void navigate({ to: rolesPath })
    },
  })
}

function Fields({ of: role, every }: FieldsProps) {
  const t = useTexts(roleTexts)
  const titleOf = useRoleTitle()
  const usual = useTexts(roleNames) as Readonly<Record<string, string>>
  const form = useRoleForm(role)
  const says = role && !role.is_own ? t.titleSays(usual[role.name] ?? role.name) : undefined
  return (
    <SideForm
      title={role ? t.edit(titleOf(role)) : t.add}
      backTo={rolesPath}
      action={role ? t.save : t.create}
      form={form}
    >
      <TextInput {...form.field('title')} label={t.label} description={says} maxLength={100} data-autofocus />
      <Rights
        chosen={form.values.rights.split(',')}
        had={role?.rights ?? []}
        every={every}
        onChange={(rights) => form.set({ rights: rights.join() })}
      />
      {role && isChanged(role) && role.default_rights && (
        <Button variant="default" onClick={() => void form.send({ rights: role.default_rights?.join() ?? 'view' })}>
          {t.reset}
        </Button>
      )}
      {role?.is_own && <p>{t.programName(role.name)}</p>}
      {role?.is_own && <RemoveRole role={role} />}
    </SideForm>
  )
}

type RightsProps = {
  readonly chosen: readonly string[]
  /** What the role has now: that may stay, also where the user does not have it. */
  readonly had: readonly string[]
  readonly every: readonly RightName[]
  readonly onChange: (rights: readonly RightName[]) => void
}

function Rights({ chosen, had, every, onChange }: RightsProps) {
  const rightsIn = useTexts(rightNames) as Readonly<Record<string, string>>
  const meanings = useTexts(rightMeanings) as Readonly<Record<string, string>>
  const own = useMe().user.rights
  return (
    <Stack gap="xs">
      {every.map((right) => (
        <Checkbox
          key={right}
          label={rightsIn[right] ?? right}
          description={meanings[right] ?? right}
          checked={chosen.includes(right)}
          disabled={right === 'view' || (!own.includes(right) && !had.includes(right))}
          onChange={({ currentTarget: { checked } }) =>
            onChange(every.filter((one) => (one === right ? checked : chosen.includes(one))))
          }
        />
      ))}
    </Stack>
  )
}

function RemoveRole({ role }: { readonly role: Role }) {
  const t = useTexts(roleTexts)
  const queries = useQueryClient()
  const navigate = useGo()
  const remove = async () => {
    await ask('DELETE /admin/staff/roles/{name}/', { path: { name: role.name } })
    await forget(queries, [rolesEndpoint])
  }
  return (
    <RemoveRecord
      name={role.title ?? role.name}
      says={t.removeSays}
      remove={remove}
      onDone={() => void navigate({ to: rolesPath })}
    />
  )
}
