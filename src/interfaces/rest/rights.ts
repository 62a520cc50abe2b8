import type { Right } from '../../domain/staff-user.ts'

/** What a route of REST needs: the rights of the records, and `rest`, because REST shows those of all organizations. */
export const restRight = (rights: readonly Right[]): readonly Right[] => [...rights, 'rest']
