import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { Copy } from '../../patterns/copy.tsx'
import { Facts } from '../../patterns/facts.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { useTexts } from '../../texts/texts.ts'
import { cardTexts } from './texts.ts'
import { useSumsOfDay } from './traffic/sums.ts'
import { useSubscriber } from './use-subscriber.ts'
import { Why } from './why.tsx'

/** Why the line is as it is, and what is known of the subscriber. */
export default function Overview() {
  const t = useTexts(cardTexts)
  const format = useFormat()
  const { subscriber } = useSubscriber()
  const { id, account_id, phone, email, comment, address } = subscriber
  const { data: bill } = useEndpoint('GET /admin/Abonents/services/{id}/', { path: { id } })
  const next = bill?.next_charge
  const traffic = useSumsOfDay(id)
  return (
    <>
      <Why id={id} />
      <Panel title={t.facts}>
        <Facts
          facts={[
            [t.contract, <Copy key="contract" text={subscriber.contract_number} />],
            [t.account, <Copy key="account" text={String(account_id)} />],
            [t.address, address && format.address(address)],
            [t.phone, phone && <Copy key="phone" text={phone} />],
            [t.email, email && <Copy key="email" text={email} />, 'wide'],
            [t.price, subscriber.tarif_price && format.money(subscriber.tarif_price)],
            [t.nextCharge, next && `${format.plainDay(next.day)}, ${format.money(next.amount)}`],
            [t.lastsThrough, bill?.lasts_through && format.plainDay(bill.lasts_through)],
            [
              t.traffic,
              traffic && format.bothWays(format.bytes(String(traffic.received)), format.bytes(String(traffic.sent))),
            ],
            [t.limit, format.money(subscriber.limit)],
            [t.lastPayment, subscriber.last_payment_at && format.moment(subscriber.last_payment_at)],
            [t.created, format.day(subscriber.create_date)],
            [t.organization, subscriber.organization_name],
            [t.comment, comment, 'wide'],
          ]}
        />
      </Panel>
    </>
  )
}
