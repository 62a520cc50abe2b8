import { useSuspenseQuery } from '@tanstack/react-query'
import { Navigate, useParams } from '@tanstack/react-router'
import { ask } from '../../../api/client.ts'

const door = 'GET /admin/Abonents/ticket/{id}/'

/** A ticket by its number alone, as the search finds it: it is read on the card of its subscriber. */
export default function FoundTicket() {
  const { ticket: number } = useParams({ strict: false }) as { readonly ticket: string }
  const { ticket } = useSuspenseQuery({
    queryKey: [door, { path: { id: number } }],
    queryFn: ({ signal }) => ask(door, { path: { id: Number(number) }, signal }),
  }).data
  return <Navigate to={`/subscribers/${ticket.abonent_id}/tickets/${ticket.id}/`} replace />
}
