import { Textarea, TextInput } from '@mantine/core'
import { ask } from '../../../api/client.ts'
import { SideForm } from '../../../patterns/form/side-form.tsx'
import { useSideForm } from '../../../patterns/form/use-side-form.ts'
import { useGo } from '../../../patterns/late.ts'
import { told } from '../../../patterns/told.ts'
import { useTexts } from '../../../texts/texts.ts'
import { outdatedByTicket } from '../../tickets/state.tsx'
import { ticketTexts } from '../../tickets/texts.ts'
import { useSubscriber } from '../use-subscriber.ts'

export default function TicketForm() {
  const t = useTexts(ticketTexts)
  const navigate = useGo()
  const { id } = useSubscriber().subscriber
  const form = useSideForm({
    initial: { subject: '', body: '' },
    check: ({ subject, body }) => ({
      ...(subject.trim() === '' && { subject: t.needed }),
      ...(body.trim() === '' && { body: t.needed }),
    }),
    send: (body, key) => ask('POST /admin/Abonents/tickets/{id}/', { path: { id }, body, key }),
    outdated: outdatedByTicket,
    onDone: ({ ticket }) => {
      told.done(t.created(ticket.id))
      void navigate({ to: `/subscribers/${id}/tickets/${ticket.id}/` })
    },
  })
  return (
    <SideForm title={t.new} backTo={`/subscribers/${id}/tickets/`} action={t.create} form={form}>
      <TextInput {...form.field('subject')} label={t.subject} maxLength={200} data-autofocus />
      <Textarea {...form.field('body')} label={t.text} maxLength={10_000} autosize minRows={5} />
    </SideForm>
  )
}
