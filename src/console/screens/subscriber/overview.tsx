import { useFormat } from '../../format/format.ts'
import { Copy } from '../../patterns/copy.tsx'
import { Facts } from '../../patterns/facts.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { useTexts } from '../../texts/texts.ts'
import { cardTexts } from './texts.ts'
import { useSubscriber } from './use-subscriber.ts'
import { Why } from './why.tsx'

export default function Overview() {
  const t = useTexts(cardTexts)
  const format = useFormat()
  const { subscriber } = useSubscriber()
  const { account_id, phone, email, comment, address } = subscriber
  return (
    <>
      <Why id={subscriber.id} />
      <Panel title={t.facts}>
        <Facts
          facts={[
            [t.contract, <Copy key="contract" text={subscriber.contract_number} />],
            [t.account, <Copy key="account" text={String(account_id)} />],
            [t.address, address],
            [t.phone, phone && <Copy key="phone" text={phone} />],
            [t.email, email && <Copy key="email" text={email} />],
            [t.price, subscriber.tarif_price && format.money(subscriber.tarif_price)],
            [t.limit, format.money(subscriber.limit)],
            [t.lastPayment, subscriber.last_payment_at && format.moment(subscriber.last_payment_at)],
            [t.created, format.day(subscriber.create_date)],
            [t.organization, subscriber.organization_name],
            [t.comment, comment],
          ]}
        />
      </Panel>
    </>
  )
}
