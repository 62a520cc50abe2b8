import { TextInput } from '@mantine/core'
import { ask } from '../../api/client.ts'
import { FormBody } from '../../patterns/form/form-body.tsx'
import { SendButton } from '../../patterns/form/send-button.tsx'
import { readSum } from '../../format/money.ts'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { Panel } from '../../patterns/panel.tsx'
import { told } from '../../patterns/told.ts'
import { useTexts } from '../../texts/texts.ts'
import { moneyTexts } from '../subscriber/texts.ts'
import styles from './cash.module.css'
import { cashTexts } from './texts.ts'
import { deskEndpoint, shiftsEndpoint } from './use-desk.ts'

/** Opens a shift; nothing in the field is nothing in the drawer. */
export function Opening() {
  const t = useTexts(cashTexts)
  const money = useTexts(moneyTexts)
  const form = useSideForm({
    initial: { opening_cash: '' },
    check: ({ opening_cash: typed }) =>
      typed !== '' && readSum(typed) === null ? { opening_cash: money.sumWrong } : {},
    send: ({ opening_cash: typed }) => ask('POST /admin/cash/open/', { body: { opening_cash: readSum(typed) ?? '0' } }),
    outdated: [deskEndpoint, shiftsEndpoint],
    onDone: () => told.done(t.opened),
  })
  return (
    <Panel title={t.noShift}>
      <FormBody form={form} className={styles.fields}>
        <p>{t.noShiftSays}</p>
        <TextInput
          {...form.field('opening_cash')}
          label={t.openingCash}
          inputMode="decimal"
          autoComplete="off"
          autoFocus
        />
        <SendButton isBusy={form.isBusy}>{t.open}</SendButton>
      </FormBody>
    </Panel>
  )
}
