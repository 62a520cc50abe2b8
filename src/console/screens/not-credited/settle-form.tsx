import { SegmentedControl, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ask } from '../../api/client.ts'
import { FormBody } from '../../patterns/form/form-body.tsx'
import { SendButton } from '../../patterns/form/send-button.tsx'
import { useFormat } from '../../format/format.ts'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { useGo } from '../../patterns/late.ts'
import { SubscriberChoice } from '../../patterns/subscriber-choice.tsx'
import { told } from '../../patterns/told.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './not-credited.module.css'
import { notCreditedPath, type Problem, problemEndpoint, problemsEndpoint } from './endpoints.ts'
import { notCreditedTexts } from './texts.ts'

type Action = 'credit' | 'refund' | 'given_back' | 'noted'

/** Credits the payment, has the gateway return it, says that it was returned there, or closes it with a note. */
export function SettleForm({ problem }: { readonly problem: Problem }) {
  const t = useTexts(notCreditedTexts)
  const format = useFormat()
  const [action, setAction] = useState<Action>(problem.is_proven ? 'credit' : 'noted')
  const form = useSettling(problem, action)
  const actions: Partial<Record<Action, string>> = {
    credit: t.credit,
    // Not every gateway has a call for refunds, and nothing is offered that would be refused.
    ...(problem.given_back_by === 'gateway' && { refund: t.refund }),
    given_back: t.giveBack,
    noted: t.note,
  }
  return (
    <FormBody form={form} className={styles.form}>
      {problem.is_proven && (
        <SegmentedControl
          aria-label={t.action}
          orientation="vertical"
          data={Object.entries(actions).map(([value, label]) => ({ value, label: label as string }))}
          value={action}
          onChange={(value) => setAction(value as Action)}
        />
      )}
      {action === 'credit' && (
        <>
          <SubscriberChoice {...form.choice('abonent_id')} label={t.whom} />
          <TextInput
            {...form.field('amount')}
            label={t.amount}
            description={t.amountSays(format.money(problem.amount))}
            inputMode="decimal"
            autoComplete="off"
          />
        </>
      )}
      {action === 'refund' && <p>{t.refundSays(format.money(problem.amount))}</p>}
      {action === 'given_back' && <p>{problem.given_back_by === 'office' ? t.giveBackSays : t.givenBackSays}</p>}
      <TextInput {...form.field('comment')} label={t.comment} maxLength={1000} autoComplete="off" />
      <SendButton isBusy={form.isBusy}>{actions[action] ?? t.action}</SendButton>
    </FormBody>
  )
}

function useSettling({ id, abonent_id, amount, credit }: Problem, action: Action) {
  const t = useTexts(notCreditedTexts)
  const format = useFormat()
  const navigate = useGo()
  const sumOf = (typed: string) => typed.replace(/\s/g, '').replace(',', '.')
  return useSideForm({
    initial: {
      abonent_id: abonent_id === null ? null : String(abonent_id),
      amount: credit === null ? '' : format.typed(credit),
      comment: '',
    },
    check: (values) => {
      if (action !== 'credit') return values.comment.trim() === '' ? { comment: t.commentNeeded } : {}
      const sum = Number(sumOf(values.amount))
      return {
        ...(values.abonent_id === null && { abonent_id: t.whomNeeded }),
        ...(!(sum > 0 && sum <= Number(amount)) && { amount: t.amountWrong }),
      }
    },
    send: (values) => {
      const comment = values.comment.trim()
      return action === 'credit'
        ? ask('POST /admin/payments/problems/{id}/credit/', {
            path: { id },
            body: { abonent_id: Number(values.abonent_id), amount: sumOf(values.amount), comment },
          })
        : ask('POST /admin/payments/problems/{id}/', { path: { id }, body: { settlement: action, comment } })
    },
    outdated: [problemsEndpoint, problemEndpoint],
    onDone: () => {
      told.done({ credit: t.doneCredit, refund: t.doneRefund, given_back: t.doneNote, noted: t.doneNote }[action])
      void navigate({ to: notCreditedPath, search: true as never })
    },
  })
}
