import { Radio, Stack } from '@mantine/core'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useTexts } from '../../texts/texts.ts'
import { rolesEndpoint } from './endpoints.ts'
import { useRoleTitle } from './role-names.ts'
import { rightNames } from './texts.ts'

/** Each role with what it may do, in words. */
export function RoleChoice() {
  const titleOf = useRoleTitle()
  const rights = useTexts(rightNames) as Readonly<Record<string, string>>
  const { data } = useEndpoint(rolesEndpoint, {})
  return (
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
  )
}
