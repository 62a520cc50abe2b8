import { TextInput } from '@mantine/core'
import { ask } from '../../api/client.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { readSum } from '../../format/money.ts'
import { Facts } from '../../patterns/facts.tsx'
import { SideForm } from '../../patterns/form/side-form.tsx'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { useGo } from '../../patterns/late.ts'
import { told } from '../../patterns/told.ts'
import { useTexts } from '../../texts/texts.ts'
import { moneyTexts } from '../subscriber/texts.ts'
import { shiftFacts } from './shift-panel.tsx'
import { cashTexts } from './texts.ts'
import { deskEndpoint, deskPath, shiftsEndpoint, shiftsPath } from './use-desk.ts'

/** Closes the shift and leads to its sums and its paper. */
export default function ClosingForm() {
  const t = useTexts(cashTexts)
  const money = useTexts(moneyTexts)
  const format = useFormat()
  const navigate = useGo()
  const shift = useEndpoint(deskEndpoint, {}).data?.shift
  const form = useSideForm({
    initial: { counted_cash: '' },
    check: ({ counted_cash: typed }) =>
      typed !== '' && readSum(typed) === null ? { counted_cash: money.sumWrong } : {},
    send: ({ counted_cash: typed }) =>
      ask('POST /admin/cash/close/', { body: typed === '' ? {} : { counted_cash: readSum(typed) ?? '' } }),
    outdated: [deskEndpoint, shiftsEndpoint],
    onDone: ({ shift: closed }) => {
      told.done(t.closed(closed.id))
      void navigate({ to: `${shiftsPath}${closed.id}/` as never })
    },
  })
  return (
    <SideForm title={t.closing} backTo={deskPath} action={t.close} isOff={!shift} form={form}>
      {shift && <Facts facts={shiftFacts(shift, t, format)} />}
      <TextInput
        {...form.field('counted_cash')}
        label={t.countedCash}
        description={t.countedSays}
        inputMode="decimal"
        autoComplete="off"
        data-autofocus
      />
    </SideForm>
  )
}
