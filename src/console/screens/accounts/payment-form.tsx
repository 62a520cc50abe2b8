import { SegmentedControl, Select, Textarea, TextInput } from '@mantine/core'
import { ask } from '../../api/client.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { debtOf, readAmount } from '../../format/money.ts'
import { DateField } from '../../patterns/form/date-field.tsx'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { proposedSum } from '../../patterns/form/proposed-sum.ts'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { useGo } from '../../patterns/late.ts'
import { told } from '../../patterns/told.ts'
import { useProgramWords } from '../../texts/use-program-words.ts'
import { useTexts } from '../../texts/texts.ts'
import { NoShift } from '../cash/no-shift.tsx'
import { cashTexts } from '../cash/texts.ts'
import { cashDesk, deskEndpoint, sentType } from '../cash/use-desk.ts'
import { moneyTexts } from '../subscriber/texts.ts'
import { accountMoneyTexts, accountsTexts, accountTexts } from './texts.ts'
import { useDateConfirmed } from './unusual-date.ts'
import { addressOfAccount, outdatedByAccount, useAccount } from './use-account.ts'

const kinds = ['topup', 'adjustment'] as const
type Kind = (typeof kinds)[number]

const signs = { 1: '+', 0: '·', '-1': '−' } as const
const kindsMax = 200

/** A top-up takes types of income; a correction every type, and the sign comes from the type. */
export default function PaymentForm() {
  const words = useProgramWords()
  const t = useTexts(accountMoneyTexts)
  const money = useTexts(moneyTexts)
  const card = useTexts(accountTexts)
  const names = useTexts(accountsTexts)
  const { account, clients } = useAccount()
  const form = usePayment()
  const { values, set } = form
  const types = useEndpoint('GET /admin/dictionary/fin_types_crud/', { query: { per_page: kindsMax } })
  const offered = (types.data?.items ?? []).filter(
    ({ op_sign, enabled }) => enabled && (op_sign === 1 || values.kind === 'adjustment'),
  )
  return (
    <SideForm title={card.pay} backTo={addressOfAccount(account.id)} action={t.action} form={form}>
      <SegmentedControl
        aria-label={card.pay}
        value={values.kind}
        onChange={(kind) => set({ kind: kind as Kind, op_type_id: kind === 'topup' ? manualReceipt : null })}
        data={kinds.map((kind) => ({ value: kind, label: t[kind] }))}
      />
      <TextInput {...form.field('amount')} {...proposedSum} label={money.sum} data-autofocus />
      <Select
        {...form.choice('op_type_id')}
        label={money.kind}
        data={offered.map((one) => ({
          value: String(one.type_id),
          label: `${signs[one.op_sign]} ${words(one.op_name)}`,
        }))}
        searchable
      />
      {values.op_type_id === cashDesk && <NoShift />}
      {clients.length > 1 && (
        <Select
          {...form.choice('abonent_id')}
          label={names.client}
          data={clients.map(({ id, name }) => ({ value: String(id), label: name }))}
        />
      )}
      <TextInput {...form.field('txn')} label={t.txn} description={t.txnSays} autoComplete="off" />
      <DateField {...form.date('op_date')} label={t.date} description={t.dateSays} />
      <Textarea {...form.field('descr')} label={money.note} autosize minRows={2} />
    </SideForm>
  )
}

/** The type of a receipt that somebody enters by hand. */
const manualReceipt = '7'

function usePayment() {
  const t = useTexts(accountMoneyTexts)
  const money = useTexts(moneyTexts)
  const format = useFormat()
  const navigate = useGo()
  const cash = useTexts(cashTexts)
  const dateConfirmed = useDateConfirmed()
  const { account, clients } = useAccount()
  const initial = {
    kind: kinds[0] as Kind,
    amount: format.typed(debtOf(account.balance) ?? ''),
    op_type_id: manualReceipt as string | null,
    abonent_id: clients[0] ? String(clients[0].id) : null,
    txn: '',
    op_date: '',
    descr: '',
  }
  return useSideForm({
    initial,
    dates: { op_date: 'minute' },
    check: ({ amount, op_type_id }) => ({
      ...(readAmount(amount) === null && { amount: money.sumWrong }),
      ...(op_type_id === null && { op_type_id: money.kindNeeded }),
    }),
    send: ({ amount, kind, op_type_id, abonent_id, txn, op_date, descr }, key) =>
      dateConfirmed((confirmed) =>
        ask('POST /admin/Abonents/accounts_payment/{id}/', {
          path: { id: account.id },
          body: {
            amount: readAmount(amount) ?? '',
            kind,
            ...sentType(op_type_id ?? ''),
            descr,
            ...(abonent_id !== null && { abonent_id: Number(abonent_id) }),
            ...(txn !== '' && { txn }),
            ...(op_date !== '' && { op_date }),
            ...confirmed,
          },
          key,
        }),
      ),
    outdated: [deskEndpoint, ...outdatedByAccount],
    onDone: ({ duplicate, operation: { op_id, amount, abonent_id } }) => {
      const payer = abonent_id === null ? clients[0] : clients.find(({ id }) => id === abonent_id)
      if (duplicate) told.done(t.known(op_id))
      else if (Number(amount) <= 0 || payer === undefined) told.done(t.done(format.signed(amount), op_id))
      else {
        const href = `/admin/getpdf/${payer.id}/${op_id}/`
        told.paper(t.done(format.signed(amount), op_id), payer.name, { href, title: cash.print })
      }
      void navigate({ to: addressOfAccount(account.id) as never })
    },
  })
}
