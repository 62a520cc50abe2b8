import type { OrganizationId, StaffId, SubscriberId } from './ids.ts'

export const ticketStates = ['open', 'in_progress', 'closed'] as const
export type TicketState = (typeof ticketStates)[number]

/** A ticket that is not closed is somebody's work. */
export const currentTicketStates = ['open', 'in_progress'] as const satisfies readonly TicketState[]

/** What only the staff learns of. */
const innerDeeds = ['assigned', 'noted'] as const

/** What may happen to a ticket: `asked` is a message of the client, `answered` one of the staff. */
export const ticketDeeds = ['opened', 'asked', 'answered', 'closed', 'reopened', 'changed', ...innerDeeds] as const
export type TicketDeed = (typeof ticketDeeds)[number]

/** Whether the client may learn that it has happened. */
export const isForClient = (deed: TicketDeed): boolean => !(innerDeeds as readonly string[]).includes(deed)

/** A ticket as its client sees it; `unread` replies of the staff have not been opened. */
export type ClientTicket = {
  readonly id: number
  readonly subject: string
  readonly status: TicketState
  readonly create_date: Date
  readonly unread: number
}

/** A ticket after something has happened to it, for those who follow it. */
export type ChangedTicket = ClientTicket & {
  readonly subscriberId: SubscriberId
  readonly organizationId: OrganizationId
  readonly assigneeId: StaffId | null
  /** Null: nobody has written a message. */
  readonly lastAuthor: 'client' | 'staff' | null
  readonly lastAt: Date
}
