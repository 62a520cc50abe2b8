import { Radio, Stack } from '@mantine/core'
import { useDoor } from '../../api/use-door.ts'
import { useTexts } from '../../texts/texts.ts'
import { rolesDoor } from './doors.ts'
import { rightNames, roleNames } from './texts.ts'

/** Each role with what it may do, in words. */
export function RoleChoice() {
  const names = useTexts(roleNames)
  const rights = useTexts(rightNames) as Readonly<Record<string, string>>
  const { data } = useDoor(rolesDoor, {})
  return (
    <Stack gap="xs" mt="xs">
      {data?.items.map((role) => (
        <Radio
          key={role.name}
          value={role.name}
          label={names[role.name]}
          description={role.rights.map((right) => rights[right] ?? right).join(', ')}
        />
      ))}
    </Stack>
  )
}
