import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type Answer, ask, Refused } from '../../api/client.ts'
import { useFormat } from '../../format/format.ts'
import { readAmount } from '../../format/money.ts'
import { Beside } from '../../patterns/beside.tsx'
import { Facts } from '../../patterns/facts.tsx'
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
  const { id } = useSubscriber().subscriber
  const prospect = useSuspenseQuery({
    queryKey: [endpoint, { path: { id } }],
    queryFn: ({ signal }) => ask(endpoint, { path: { id }, signal }),
    staleTime: 0,
    // What was offered before a payment is not what is offered after it.
    gcTime: 0,
  }).data
  const backTo = `/subscribers/${id}/money/`
  const { active } = prospect
  return active ? (
    <ActivePromise active={active} backTo={backTo} />
  ) : (
    <NewPromise id={id} prospect={prospect} backTo={backTo} />
  )
}

type NewPromiseProps = { readonly id: number; readonly prospect: Answer<typeof endpoint>; readonly backTo: string }

function NewPromise({ id, prospect: { offer, refusal }, backTo }: NewPromiseProps) {
  const t = useTexts(moneyTexts)
  const card = useTexts(cardTexts)
  const format = useFormat()
  const say = useSayRefusal()
  const navigate = useGo()
  const usualEnd = offer ? format.isoDay(offer.until) : ''
  const endOf = (day: string) => (offer && day === usualEnd ? t.endsAt(format.moment(offer.until)) : t.endsWithDay)
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
      {refusal === null && (
        <>
          <TextInput {...form.field('limit')} {...proposedSum} label={t.sum} data-autofocus />
          <DateField {...form.date('end_time')} label={t.promiseEnd} description={endOf(form.values.end_time)} />
        </>
      )}
      {offer && Number(offer.fee) > 0 && <p>{t.promiseFee(format.money(offer.fee))}</p>}
    </SideForm>
  )
}

type ActivePromiseProps = {
  readonly active: NonNullable<Answer<typeof endpoint>['active']>
  readonly backTo: string
}

/** There is one at a time: what it lends and until when, a payment that takes its place, and the way to end it now. */
function ActivePromise({ active: { limit, until, operation_id }, backTo }: ActivePromiseProps) {
  const t = useTexts(moneyTexts)
  const card = useTexts(cardTexts)
  const format = useFormat()
  const navigate = useNavigate()
  return (
    <Beside title={card.promise} onClose={() => void navigate({ to: backTo })} width={460}>
      <Stack>
        <p>{t.promiseActive}</p>
        <Facts
          facts={[
            [t.amount, format.money(limit)],
            [t.promiseUntil, format.moment(until)],
          ]}
        />
        <p>{t.promiseEnds}</p>
        <Group justify="flex-end">
          {operation_id !== null && (
            <Button component={Link} to={`${backTo}reversal/${operation_id}/` as never} variant="default">
              {t.endPromise}
            </Button>
          )}
          <Button component={Link} to={`${backTo}payment/` as never}>
            {card.payment}
          </Button>
        </Group>
      </Stack>
    </Beside>
  )
}
