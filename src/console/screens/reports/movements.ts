import type { Answer } from '../../api/client.ts'

export const movementsDoor = 'GET /admin/reports/movements/'
export type Movements = Answer<typeof movementsDoor>
export type Split = Movements['by']
