import type { Answer } from '../../api/client.ts'

export const movementsEndpoint = 'GET /admin/reports/movements/'
export type Movements = Answer<typeof movementsEndpoint>
export type Split = Movements['by']
