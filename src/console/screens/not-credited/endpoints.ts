import type { Item } from '../../api/client.ts'

export const problemsEndpoint = 'GET /admin/payments/problems/'
export const problemEndpoint = 'GET /admin/payments/problems/{id}/'
export const notCreditedPath = '/money/not-credited/'

export type Problem = Item<typeof problemsEndpoint>
