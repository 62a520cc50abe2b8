import type { Answer, Item } from '../../api/client.ts'

export const deskDoor = 'GET /admin/cash/desk/'
export const shiftsDoor = 'GET /admin/cash/shifts/'

export type Desk = Answer<typeof deskDoor>
export type Shift = Item<typeof shiftsDoor>

export const deskPath = '/money/cash/'
export const shiftsPath = `${deskPath}shifts/`
export const paperOf = (id: number): string => `/admin/cash/shifts/${id}/paper/`
