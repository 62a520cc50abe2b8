import type { Answer, Item } from '../../api/client.ts'

export const deskEndpoint = 'GET /admin/cash/desk/'
export const shiftsEndpoint = 'GET /admin/cash/shifts/'

export type Desk = Answer<typeof deskEndpoint>
export type Shift = Item<typeof shiftsEndpoint>

export const deskPath = '/money/cash/'
export const shiftsPath = `${deskPath}shifts/`
export const paperOf = (id: number): string => `/admin/cash/shifts/${id}/paper/`
