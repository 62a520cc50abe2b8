import { Button, Group, Kbd } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useFormat } from '../../format/format.ts'
import { isTyping } from '../../frame/keys.ts'
import { Facts } from '../../patterns/facts.tsx'
import { useLatest } from '../../patterns/latest.ts'
import { Panel } from '../../patterns/panel.tsx'
import { useTexts } from '../../texts/texts.ts'
import { Balance } from '../subscribers/balance.tsx'
import type { Payer } from './payer-choice.tsx'
import { cashTexts } from './texts.ts'

export type Payment = { readonly id: number; readonly amount: string; readonly balance: string }

type TakenProps = { readonly payer: Payer; readonly payment: Payment; readonly onNext: () => void }

/** What was taken. P prints the receipt, N goes on to the next payer. */
export function Taken({ payer, payment, onNext }: TakenProps) {
  const t = useTexts(cashTexts)
  const format = useFormat()
  const print = () => void window.open(`/admin/getpdf/${payer.id}/${payment.id}/`, '_blank', 'noopener')
  useKey({ KeyP: print, KeyN: onNext })
  return (
    <Panel title={t.taken(format.money(payment.amount))}>
      <Facts
        facts={[
          [
            t.from,
            <Link key="payer" to={`/subscribers/${payer.id}/`}>{`${payer.name}, ${payer.contract_number}`}</Link>,
          ],
          [t.balance, <Balance key="balance" balance={payment.balance} />],
        ]}
      />
      <Group mt="md">
        <Button onClick={print} rightSection={<Key name="P" />} data-autofocus autoFocus>
          {t.print}
        </Button>
        <Button variant="default" onClick={onNext} rightSection={<Key name="N" />}>
          {t.next}
        </Button>
        <Button
          component={Link}
          to={`/subscribers/${payer.id}/money/reversal/${payment.id}/` as never}
          variant="subtle"
          color="red"
        >
          {t.reverse}
        </Button>
      </Group>
    </Panel>
  )
}

/** A telephone has no keys. */
const Key = ({ name }: { readonly name: string }) => (
  <Kbd size="xs" visibleFrom="sm">
    {name}
  </Kbd>
)

/** Keys of the panel while it is shown, by their places on the keyboard. */
function useKey(actions: Readonly<Record<string, () => void>>): void {
  const latest = useLatest(actions)
  useEffect(() => {
    const hear = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return
      const action = document.querySelector('[role=dialog]') ? undefined : latest.current[event.code]
      if (!action) return
      event.preventDefault()
      action()
    }
    addEventListener('keydown', hear)
    return () => removeEventListener('keydown', hear)
  }, [])
}
