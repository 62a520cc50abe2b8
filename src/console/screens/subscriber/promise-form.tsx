import { Alert, TextInput } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { ask, Refused } from '../../api/client.ts'
import { useFormat } from '../../format/format.ts'
import { readAmount } from '../../format/money.ts'
import { DateField } from '../../patterns/form/date-field.tsx'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { proposedSum } from '../../patterns/form/proposed-sum.ts'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { useGo } from '../../patterns/late.ts'
import { told } from '../../patterns/told.ts'
import { useSayRefusal } from '../../texts/refusals.ts'
import { useTexts } from '../../texts/texts.ts'
import { cardTexts, moneyTexts } from './texts.ts'
import { outdatedByAction, useSubscriber } from './use-subscriber.ts'

const endpoint = 'GET /admin/Abonents/promise_pay/{id}/'

/** Sum, end and fee are there before anything is given; what would be refused is said at once. */
export default function PromiseForm() {
  const t = useTexts(moneyTexts)
  const card = useTexts(cardTexts)
  const format = useFormat()
  const say = useSayRefusal()
  const navigate = useGo()
  const { id } = useSubscriber().subscriber
  const backTo = `/subscribers/${id}/money/`
  const { offer, refusal } = useSuspenseQuery({
    queryKey: [endpoint, { path: { id } }],
    queryFn: ({ signal }) => ask(endpoint, { path: { id }, signal }),
    staleTime: 0,
    // What was offered before a payment is not what is offered after it.
    gcTime: 0,
  }).data
  const usualEnd = offer ? format.isoDay(offer.until) : ''
  const form = useSideForm({
    initial: { limit: format.typed(offer?.limit ?? ''), end_time: usualEnd },
    dates: { end_time: 'day' },
    check: ({ limit }) => (readAmount(limit) === null ? { limit: t.sumWrong } : {}),
    send: ({ limit, end_time }, key) =>
      ask('POST /admin/Abonents/promise_pay/{id}/', {
        path: { id },
        // The usual end is a time of day; one that was chosen is the end of that day.
        body: { limit: readAmount(limit) ?? '', ...(end_time !== '' && end_time !== usualEnd && { end_time }) },
        key,
      }),
    outdated: [endpoint, ...outdatedByAction],
    onDone: ({ promise }) => {
      told.done(t.promised(format.money(promise.limit), format.moment(promise.end_time)))
      void navigate({ to: backTo })
    },
  })
  return (
    <SideForm title={card.promise} backTo={backTo} action={t.give} isOff={refusal !== null} form={form}>
      {refusal && <Alert color="yellow">{say(new Refused(400, refusal, null))}</Alert>}
      <TextInput {...form.field('limit')} {...proposedSum} label={t.sum} data-autofocus />
      <DateField {...form.date('end_time')} label={t.promiseEnd} />
      {offer && Number(offer.fee) > 0 && <p>{t.promiseFee(format.money(offer.fee))}</p>}
    </SideForm>
  )
}
