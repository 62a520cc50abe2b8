import { Select, Textarea, TextInput } from '@mantine/core'
import { ask } from '../../api/client.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { debtOf, readAmount } from '../../format/money.ts'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { proposedSum } from '../../patterns/form/proposed-sum.ts'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { useGo } from '../../patterns/late.ts'
import { told } from '../../patterns/told.ts'
import { useProgramWords } from '../../texts/use-program-words.ts'
import { useTexts } from '../../texts/texts.ts'
import { cashTexts } from '../cash/texts.ts'
import { NoShift } from '../cash/no-shift.tsx'
import { cashDesk, deskEndpoint, sentType } from '../cash/use-desk.ts'
import { cardTexts, moneyTexts } from './texts.ts'
import { outdatedByAction, useSubscriber } from './use-subscriber.ts'

const kindsMax = 200

export default function PaymentForm() {
  const words = useProgramWords()
  const t = useTexts(moneyTexts)
  const card = useTexts(cardTexts)
  const cash = useTexts(cashTexts)
  const format = useFormat()
  const navigate = useGo()
  const { subscriber } = useSubscriber()
  const { id, account_id, name } = subscriber
  const backTo = `/subscribers/${id}/money/`
  const types = useEndpoint('GET /admin/dictionary/fin_types_crud/', { query: { per_page: kindsMax } })
  const kinds = (types.data?.items ?? []).filter(({ op_sign, enabled }) => op_sign === 1 && enabled)
  const form = useSideForm({
    // Cash first: it is what an office takes.
    initial: { amount: format.typed(debtOf(subscriber.balance) ?? ''), op_type_id: cashDesk, descr: '' },
    check: ({ amount }) => (readAmount(amount) === null ? { amount: t.sumWrong } : {}),
    send: ({ amount, op_type_id, descr }, key) =>
      ask('POST /admin/Abonents/accounts_payment/{id}/', {
        path: { id: account_id },
        body: {
          amount: readAmount(amount) ?? '',
          ...sentType(op_type_id),
          descr,
          abonent_id: id,
        },
        key,
      }),
    outdated: [deskEndpoint, ...outdatedByAction],
    onDone: ({ operation }) => {
      const href = `/admin/getpdf/${id}/${operation.op_id}/`
      told.paper(t.taken(format.money(String(operation.amount))), name, { href, title: cash.print })
      void navigate({ to: backTo })
    },
  })
  return (
    <SideForm title={card.payment} backTo={backTo} action={t.take} form={form}>
      <TextInput {...form.field('amount')} {...proposedSum} label={t.sum} data-autofocus />
      <Select
        {...form.choice('op_type_id')}
        label={t.kind}
        data={kinds.map((kind) => ({ value: String(kind.type_id), label: words(String(kind.op_name)) }))}
      />
      {form.values.op_type_id === cashDesk && <NoShift />}
      <Textarea {...form.field('descr')} label={t.note} autosize minRows={2} />
    </SideForm>
  )
}
