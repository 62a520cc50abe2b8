import type { Answer, Item } from '../../api/client.ts'

export const deskEndpoint = 'GET /admin/cash/desk/'
export const shiftsEndpoint = 'GET /admin/cash/shifts/'

export type Desk = Answer<typeof deskEndpoint>
export type Shift = Item<typeof shiftsEndpoint>

/** The type of operation of a payment at a cash desk, as choices have it. */
export const cashDesk = '40'

/** What is sent of the chosen type: cash is what the type of the cash desk means in a form that does not ask. */
export const sentType = (type: string) => ({
  op_type_id: Number(type),
  ...(type === cashDesk && { is_cash: true }),
})

export const deskPath = '/money/cash/'
export const shiftsPath = `${deskPath}shifts/`
export const paperOf = (id: number): string => `/admin/cash/shifts/${id}/paper/`
