import type { Item } from '../../api/client.ts'

export const problemsDoor = 'GET /admin/payments/problems/'
export const problemDoor = 'GET /admin/payments/problems/{id}/'
export const notCreditedPath = '/money/not-credited/'

export type Problem = Item<typeof problemsDoor>
