import { SegmentedControl, Textarea, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { ask } from '../../api/client.ts'
import { FormBody } from '../../patterns/form/form-body.tsx'
import { SendButton } from '../../patterns/form/send-button.tsx'
import { useFormat } from '../../format/format.ts'
import { debtOf, readAmount } from '../../format/money.ts'
import { Facts } from '../../patterns/facts.tsx'
import { proposedSum } from '../../patterns/form/proposed-sum.ts'
import { useSideForm } from '../../patterns/form/use-side-form.ts'
import { Panel } from '../../patterns/panel.tsx'
import { useTexts } from '../../texts/texts.ts'
import { moneyTexts } from '../subscriber/texts.ts'
import { outdatedByAction } from '../subscriber/use-subscriber.ts'
import { Balance } from '../subscribers/balance.tsx'
import styles from './cash.module.css'
import { type Payer, PayerChoice } from './payer-choice.tsx'
import { type Payment, Taken } from './taken.tsx'
import { cashTexts } from './texts.ts'
import { cashDesk, deskEndpoint } from './use-desk.ts'

const ways = ['cash', 'card'] as const

/** Who pays, how much, and then the receipt. */
export function Taking() {
  const t = useTexts(cashTexts)
  const [payer, setPayer] = useState<Payer | null>(null)
  const [taken, setTaken] = useState<{ readonly payer: Payer; readonly payment: Payment } | null>(null)
  const [isBusy, setBusy] = useState(false)
  const next = () => {
    setPayer(null)
    setTaken(null)
  }
  if (taken) return <Taken {...taken} onNext={next} />
  return (
    <Panel title={t.take}>
      <div className={styles.fields}>
        <PayerChoice chosen={payer} onChosen={setPayer} isOff={isBusy} />
        {payer && (
          <Amount key={payer.id} payer={payer} onBusy={setBusy} onTaken={(payment) => setTaken({ payer, payment })} />
        )}
      </div>
    </Panel>
  )
}

type AmountProps = {
  readonly payer: Payer
  /** While money is on its way nobody else is chosen, who would be said to have paid it. */
  readonly onBusy: (isBusy: boolean) => void
  readonly onTaken: (payment: Payment) => void
}

/** Enter takes what is owed. */
function Amount({ payer, onBusy, onTaken }: AmountProps) {
  const t = useTexts(cashTexts)
  const money = useTexts(moneyTexts)
  const format = useFormat()
  const { id, account_id, balance, contract_number, address } = payer
  const form = useSideForm({
    isKept: false,
    initial: { amount: format.typed(debtOf(balance) ?? ''), way: ways[0] as string, descr: '' },
    check: ({ amount }) => (readAmount(amount) === null ? { amount: money.sumWrong } : {}),
    send: ({ amount, way, descr }, key) =>
      ask('POST /admin/Abonents/accounts_payment/{id}/', {
        path: { id: account_id },
        body: {
          amount: readAmount(amount) ?? '',
          op_type_id: Number(cashDesk),
          is_cash: way === 'cash',
          abonent_id: id,
          descr,
        },
        key,
      }),
    outdated: [deskEndpoint, ...outdatedByAction],
    onDone: ({ operation, account }) =>
      onTaken({ id: operation.op_id, amount: operation.amount, balance: account.balance }),
  })
  const { isBusy } = form
  useEffect(() => {
    onBusy(isBusy)
    return () => onBusy(false)
  }, [isBusy, onBusy])
  return (
    <FormBody form={form} className={styles.fields}>
      <Facts
        facts={[
          [t.contract, contract_number],
          [t.address, address && format.address(address)],
          [t.balance, <Balance key="balance" balance={balance} />],
        ]}
      />
      <TextInput {...form.field('amount')} {...proposedSum} label={money.sum} autoFocus />
      <SegmentedControl
        aria-label={t.way}
        value={form.values.way}
        onChange={(way) => form.set({ way })}
        data={ways.map((way) => ({ value: way, label: t[way] }))}
      />
      <Textarea {...form.field('descr')} label={money.note} autosize minRows={1} />
      <SendButton isBusy={form.isBusy}>{t.action}</SendButton>
    </FormBody>
  )
}
