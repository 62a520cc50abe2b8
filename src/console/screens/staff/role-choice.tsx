import { Radio, Stack } from '@mantine/core'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useTexts } from '../../texts/texts.ts'
import { rolesEndpoint } from './endpoints.ts'
import { Meanings } from './meanings.tsx'
import { useRoleTitle } from './role-names.ts'
import { rightNames, staffTexts } from './texts.ts'

type RoleChoiceProps = {
  readonly name: string
  readonly value: string | null
  readonly error: string | undefined
  readonly onChange: (role: string) => void
}

/** Each role with the names of its rights, and below them what those of the chosen one mean. */
export function RoleChoice(props: RoleChoiceProps) {
  const t = useTexts(staffTexts)
  const titleOf = useRoleTitle()
  const rights = useTexts(rightNames) as Readonly<Record<string, string>>
  const { data } = useEndpoint(rolesEndpoint, {})
  const chosen = data?.items.find(({ name }) => name === props.value)
  return (
    <Stack gap="sm">
      <Radio.Group {...props} label={t.role} required>
        <Stack gap="xs" mt="xs">
          {data?.items.map((role) => (
            <Radio
              key={role.name}
              value={role.name}
              label={titleOf(role)}
              description={role.rights.map((right) => rights[right] ?? right).join(', ')}
            />
          ))}
        </Stack>
      </Radio.Group>
      {chosen && <Meanings rights={chosen.rights} label={t.rights} />}
    </Stack>
  )
}
