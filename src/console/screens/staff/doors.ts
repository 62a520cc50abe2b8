import type { Answer, Item } from '../../api/client.ts'

export const staffDoor = 'GET /admin/dictionary/staff_crud/'
export const userDoor = 'GET /admin/dictionary/staff_crud/{id}/'
export const sessionsDoor = 'GET /admin/staff/sessions/'
export const rolesDoor = 'GET /admin/staff/roles/'

export const staffPath = '/system/staff/'
export const rolesPath = '/system/staff/roles/'
export const sessionsPath = '/system/staff/sessions/'

export type User = Answer<typeof userDoor>
export type Role = Item<typeof rolesDoor>
