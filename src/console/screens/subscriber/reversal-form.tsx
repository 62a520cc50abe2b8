import { useNavigate } from '@tanstack/react-router'
import { ask } from '../../api/client.ts'
import { useDoor } from '../../api/use-door.ts'
import { useFormat } from '../../format/format.ts'
import { Facts } from '../../patterns/facts.tsx'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { told } from '../../patterns/told.ts'
import { useTexts } from '../../texts/texts.ts'
import { moneyTexts } from './texts.ts'
import { outdatedByDeed, useSubscriber } from './use-subscriber.ts'

export default function ReversalForm() {
  const t = useTexts(moneyTexts)
  const format = useFormat()
  const navigate = useNavigate()
  const { id, account_id, last_operation_id } = useSubscriber().subscriber
  const backTo = `/subscribers/${id}/money/`
  const newest = useDoor('GET /admin/Abonents/finops_json/', { query: { account_id, per_page: 20 } })
  const operation = newest.data?.items.find(({ op_id }) => op_id === last_operation_id)
  const form = useSideForm({
    initial: { op_id: last_operation_id },
    send: ({ op_id }, key) =>
      ask('POST /admin/Abonents/accounts_storno/{id}/', {
        path: { id: account_id },
        body: op_id === null ? {} : { op_id },
        key,
      }),
    outdated: outdatedByDeed,
    onDone: () => {
      told.done(t.didReverse)
      void navigate({ to: backTo })
    },
  })
  return (
    <SideForm title={t.reversal} backTo={backTo} deed={t.reverse} isDangerous form={form}>
      {operation ? (
        <>
          <Facts
            facts={[
              [t.number, operation.op_id],
              [t.date, format.moment(operation.op_date)],
              [t.type, operation.op_type_name],
              [t.amount, format.signed(operation.amount)],
              [t.descr, operation.descr],
            ]}
          />
          <p>{t.reverseSays}</p>
        </>
      ) : (
        <p>{last_operation_id === null ? t.nothingToReverse : t.reverseSays}</p>
      )}
    </SideForm>
  )
}
