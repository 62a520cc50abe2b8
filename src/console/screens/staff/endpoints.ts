import type { Answer, Item } from '../../api/client.ts'

export const staffEndpoint = 'GET /admin/dictionary/staff_crud/'
export const userEndpoint = 'GET /admin/dictionary/staff_crud/{id}/'
export const sessionsEndpoint = 'GET /admin/staff/sessions/'
export const rolesEndpoint = 'GET /admin/staff/roles/'

export const staffPath = '/system/staff/'
export const rolesPath = '/system/staff/roles/'
export const sessionsPath = '/system/staff/sessions/'

export type User = Answer<typeof userEndpoint>
export type Role = Item<typeof rolesEndpoint>
