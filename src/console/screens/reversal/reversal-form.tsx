import { Alert, Checkbox, Textarea, TextInput } from '@mantine/core'
import { useLocation, useParams } from '@tanstack/react-router'
import { ask } from '../../api/client.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { Facts } from '../../patterns/facts.tsx'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { useGo } from '../../patterns/late.ts'
import { told } from '../../patterns/told.ts'
import { useProgramWords } from '../../texts/use-program-words.ts'
import { useTexts } from '../../texts/texts.ts'
import { outdatedByAccount } from '../accounts/use-account.ts'
import { moneyTexts } from '../subscriber/texts.ts'
import { hindranceOf, meaningOf } from './meaning.ts'
import { reversalTexts } from './texts.ts'

const detailEndpoint = 'GET /admin/Abonents/finops_detail/{op_id}/'

/** Reverses the operation of the address, beside whichever screen lists it: `…/reversal/<op_id>/`. */
export default function ReversalForm() {
  const words = useProgramWords()
  const t = useTexts(reversalTexts)
  const money = useTexts(moneyTexts)
  const format = useFormat()
  const { op = '' } = useParams({ strict: false }) as { readonly op?: string }
  const { pathname } = useLocation()
  const backTo = pathname.slice(0, pathname.lastIndexOf('reversal/'))
  const path = { op_id: Number(op) }
  const { data } = useEndpoint(detailEndpoint, { path })
  const paid = data?.gateway_payment?.given_back_by === 'gateway' ? data.gateway_payment.paid : ''
  const form = useReversing(path, backTo, paid)
  const hindrance = data && hindranceOf(data, t)
  return (
    <SideForm
      title={t.title(op)}
      backTo={backTo}
      action={t.action}
      isDangerous
      isOff={!data || hindrance !== null}
      form={form}
    >
      {data && (
        <Facts
          facts={[
            [money.date, format.moment(data.operation.op_date)],
            [money.type, words(data.operation.op_type_name)],
            [money.amount, format.signed(data.operation.amount)],
            [money.descr, data.operation.descr && words(data.operation.descr)],
            [money.author, data.operation.owner_name],
          ]}
        />
      )}
      {data && hindrance === null && <p>{[t.says, ...meaningOf(data, t)].join(' ')}</p>}
      {hindrance && <Alert color="yellow">{hindrance}</Alert>}
      {hindrance === null && paid !== '' && <RefundFields form={form} paid={paid} />}
      {!hindrance && (
        <Textarea
          {...form.field('reason')}
          label={t.reason}
          description={t.reasonSays}
          autosize
          minRows={2}
          maxLength={1000}
          data-autofocus
        />
      )}
    </SideForm>
  )
}

/** The reversal, with what the gateway returns of `paid`; '' where it returns nothing. */
function useReversing(path: { readonly op_id: number }, backTo: string, paid: string) {
  const t = useTexts(reversalTexts)
  const navigate = useGo()
  return useSideForm({
    initial: { reason: '', isReturned: false as boolean, refund: '' },
    check: ({ reason, isReturned, refund }) => ({
      ...(reason.trim() === '' && { reason: t.reasonNeeded }),
      ...(isReturned && !mayBeReturned(refund, paid) && { refund: t.refundSumWrong }),
    }),
    send: async ({ reason, isReturned, refund }, key) => {
      const body = { reason, ...(isReturned && { refund: sumOf(refund) || paid }) }
      await ask('POST /admin/Abonents/finops_reverse/{op_id}/', { path, body, key })
      return isReturned
    },
    outdated: [detailEndpoint, ...outdatedByAccount],
    onDone: (isReturned) => {
      told.done(isReturned ? t.doneRefund : t.done)
      void navigate({ to: backTo, search: true as never })
    },
  })
}

/** As it was typed, with a decimal point. */
const sumOf = (typed: string): string => typed.replace(/\s/g, '').replace(',', '.')

const mayBeReturned = (typed: string, paid: string): boolean => {
  const sum = Number(sumOf(typed) || paid)
  return sum > 0 && sum <= Number(paid)
}

type RefundFieldsProps = {
  readonly form: {
    readonly values: { readonly isReturned: boolean }
    readonly set: (change: { readonly isReturned: boolean }) => void
    readonly field: (name: 'refund') => { name: string; value: string; error: string | undefined }
  }
  readonly paid: string
}

/** Whether the gateway returns the money, and how much of what was paid. */
function RefundFields({ form, paid }: RefundFieldsProps) {
  const t = useTexts(reversalTexts)
  const format = useFormat()
  const { isReturned } = form.values
  return (
    <>
      <Checkbox
        label={t.refund}
        description={t.refundSays}
        checked={isReturned}
        onChange={({ currentTarget }) => form.set({ isReturned: currentTarget.checked })}
      />
      {isReturned && (
        <TextInput
          {...form.field('refund')}
          label={t.refundSum}
          description={t.refundSumSays(format.money(paid))}
          inputMode="decimal"
          autoComplete="off"
        />
      )}
    </>
  )
}
