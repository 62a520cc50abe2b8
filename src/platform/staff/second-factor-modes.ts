/**
 * STAFF_SECOND_FACTOR: `off` asks nobody for a second factor, `offered` those who have set one up, and `required` also
 * makes the others set one up before they do anything else. Exceptions by role follow: `offered, admin=required`.
 */
export type FactorMode = 'off' | 'offered' | 'required'

/** The mode of a staff user. A superuser for whom the setting says nothing counts as an admin. */
export function factorModeOf(setting: string, staff: { isSuperuser: boolean; role: string }): FactorMode {
  const [usual = 'offered', ...exceptions] = setting.split(',').map((part) => part.trim())
  const modes = new Map(exceptions.map((part) => part.split('=') as [string, string]))
  const names = staff.isSuperuser ? ['superuser', 'admin'] : [staff.role]
  const found = names.map((name) => modes.get(name)).find((mode) => mode !== undefined)
  return (found ?? usual) as FactorMode
}

/** Whether the password alone signs somebody in. Programs cannot set up a factor, so `required` refuses them. */
export const passwordSuffices = (mode: FactorMode, hasFactor: boolean, isProgram: boolean): boolean =>
  mode === 'off' || !(hasFactor || (isProgram && mode === 'required'))
