import { Button, Checkbox, Stack } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { ask } from '../../api/client.ts'
import { useMe } from '../../api/me.tsx'
import { useDoor } from '../../api/use-door.ts'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { told } from '../../patterns/told.ts'
import { useTexts } from '../../texts/texts.ts'
import { type Role, rolesDoor, rolesPath } from './doors.ts'
import { isChanged } from './roles.tsx'
import { rightMeanings, rightNames, roleNames, roleTexts } from './texts.ts'

type RightName = Role['rights'][number]

/** What one role may do, beside the matrix. Nobody gives a right that they do not have. */
export default function RoleForm() {
  const { name } = useParams({ strict: false }) as { readonly name: string }
  const { data } = useDoor(rolesDoor, {})
  const role = data?.items.find((one) => one.name === name)
  return role ? <Fields key={role.rights.join()} role={role} every={data?.rights ?? []} /> : null
}

function Fields({ role, every }: { readonly role: Role; readonly every: readonly RightName[] }) {
  const t = useTexts(roleTexts)
  const names = useTexts(roleNames)
  const rightsIn = useTexts(rightNames) as Readonly<Record<string, string>>
  const meanings = useTexts(rightMeanings) as Readonly<Record<string, string>>
  const own = useMe().user.rights
  const navigate = useNavigate()
  const form = useSideForm({
    initial: { rights: role.rights.join() },
    send: ({ rights }) =>
      ask('POST /admin/staff/roles/{name}/', {
        path: { name: role.name },
        body: { rights: rights.split(',') as RightName[] },
      }),
    outdated: [rolesDoor, 'GET /admin/me/'],
    onDone: () => {
      told.done(t.saved)
      void navigate({ to: rolesPath })
    },
  })
  const chosen = form.values.rights.split(',')
  const choose = (right: RightName, isOn: boolean) =>
    form.set({ rights: every.filter((one) => (one === right ? isOn : chosen.includes(one))).join() })
  return (
    <SideForm title={t.edit(names[role.name])} backTo={rolesPath} deed={t.save} form={form}>
      <Stack gap="xs">
        {every.map((right, at) => (
          <Checkbox
            key={right}
            label={rightsIn[right] ?? right}
            description={meanings[right] ?? right}
            checked={chosen.includes(right)}
            disabled={right === 'view' || (!own.includes(right) && !role.rights.includes(right))}
            onChange={({ currentTarget }) => choose(right, currentTarget.checked)}
            {...(at === 1 && { 'data-autofocus': true })}
          />
        ))}
      </Stack>
      {isChanged(role) && (
        <Button variant="default" onClick={() => void form.send({ rights: role.default_rights.join() })}>
          {t.reset}
        </Button>
      )}
    </SideForm>
  )
}
