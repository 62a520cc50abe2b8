import { useDocumentVisibility } from '@mantine/hooks'
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { type Answer, ask } from '../../api/client.ts'
import { forget } from '../../api/use-endpoint.ts'
import { useFollowing } from '../../live/use-following.ts'
import { liveSocket } from '../../live/use-live.ts'
import { outdatedByTicket, ticketOfFrame, ticketsEndpoint } from './state.tsx'

const endpoint = 'GET /admin/Abonents/ticket/{id}/'
export type Thread = Answer<typeof endpoint>['ticket']

/** An answer and the state that comes with it are told of together. */
const followMs = 300

/** The ticket of the address. It follows what others write to it, and whoever looks at it has read it. */
export function useTicket(): Thread {
  const { ticket: number } = useParams({ strict: false }) as { readonly ticket: string }
  const { ticket } = useSuspenseQuery({
    queryKey: [endpoint, { path: { id: number } }],
    queryFn: ({ signal }) => ask(endpoint, { path: { id: Number(number) }, signal }),
  }).data
  useFollowing(['tickets'], outdatedByTicket, followMs, (frame) => ticketOfFrame(frame) === ticket.id)
  useMarkRead(ticket)
  return ticket
}

function useMarkRead({ id, unread, last_message_id: message }: Thread): void {
  const queries = useQueryClient()
  const isSeen = useDocumentVisibility() === 'visible'
  useEffect(() => {
    if (!unread || message === null || !isSeen) return
    ask('POST /admin/Abonents/ticket_read/{id}/', { path: { id }, body: { message } }).then(
      () => {
        liveSocket.askAgain('tickets')
        return forget(queries, [ticketsEndpoint, endpoint])
      },
      // It stays unread, as where only reading is possible now.
      () => {},
    )
  }, [id, unread, message, isSeen, queries])
}
