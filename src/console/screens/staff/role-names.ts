import { useCallback } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useTexts } from '../../texts/texts.ts'
import { type Role, rolesEndpoint } from './endpoints.ts'
import { roleNames } from './texts.ts'

/** What people call a role: as somebody has named it, or as the program does. */
export function useRoleTitle(): (role: Pick<Role, 'name' | 'title'>) => string {
  const names = useTexts(roleNames) as Readonly<Record<string, string>>
  return useCallback(({ name, title }) => title ?? names[name] ?? name, [names])
}

/** The same of a role whose name alone is known. */
export function useRoleNamed(): (name: string) => string {
  const titleOf = useRoleTitle()
  const { data } = useEndpoint(rolesEndpoint, {})
  return useCallback(
    (name) => titleOf(data?.items.find((one) => one.name === name) ?? { name, title: null }),
    [titleOf, data],
  )
}
