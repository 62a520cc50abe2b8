import { Button, Select } from '@mantine/core'
import { useMay, useMe } from '../../api/me.tsx'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { told } from '../../patterns/told.ts'
import { useTold } from '../../patterns/use-told.ts'
import { useTexts } from '../../texts/texts.ts'
import { outdatedByTicket } from './state.tsx'
import { ticketTexts } from './texts.ts'
import styles from './tickets.module.css'
import type { Thread } from './use-ticket.ts'

/** Whose ticket it is: taken by a press, or given to somebody. */
export function Assignee({ ticket }: { readonly ticket: Thread }) {
  const t = useTexts(ticketTexts)
  const may = useMay()
  const { id: me } = useMe().user
  const mayChange = may('change')
  const { data } = useEndpoint(
    'GET /admin/Abonents/ticket_staff/',
    { query: { ticket: ticket.id } },
    { isEnabled: mayChange },
  )
  const send = useTold('POST /admin/Abonents/ticket/{id}/', outdatedByTicket)
  if (!mayChange) return ticket.assignee && <span>{t.assigned(ticket.assignee)}</span>
  const give = (assignee: number | null) =>
    send.run({ path: { id: ticket.id }, body: { assignee } }, ({ ticket }) =>
      told.done(ticket.assignee === null ? t.unassigned : t.assigned(ticket.assignee)),
    )
  const names = new Map((data?.items ?? []).map(({ id, username }) => [id, username]))
  // Somebody who may not answer any more is still said.
  if (ticket.assignee_id !== null && ticket.assignee !== null) names.set(ticket.assignee_id, ticket.assignee)
  return (
    <div className={styles.assignee}>
      <Select
        aria-label={t.assignee}
        placeholder={t.noAssignee}
        data={[...names].map(([id, name]) => ({ value: String(id), label: name }))}
        value={ticket.assignee_id === null ? null : String(ticket.assignee_id)}
        onChange={(value) => give(value === null ? null : Number(value))}
        disabled={send.isPending}
        clearable
        searchable
      />
      {ticket.assignee_id !== me && (
        <Button variant="default" loading={send.isPending} onClick={() => give(me)}>
          {t.take}
        </Button>
      )}
    </div>
  )
}
