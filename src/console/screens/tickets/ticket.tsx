import { Link } from '@tanstack/react-router'
import { useFormat } from '../../format/format.ts'
import { Copy } from '../../patterns/copy.tsx'
import { Facts } from '../../patterns/facts.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { useTexts } from '../../texts/texts.ts'
import { Assignee } from './assignee.tsx'
import { Conversation } from './conversation.tsx'
import { TicketState } from './state.tsx'
import { ticketTexts } from './texts.ts'
import styles from './tickets.module.css'
import { type Thread, useTicket } from './use-ticket.ts'

/** One ticket of the inbox: what was written, whose it is, and of whom. */
export default function TicketScreen() {
  const t = useTexts(ticketTexts)
  const ticket = useTicket()
  return (
    <>
      <PageHead
        title={t.heading(ticket.id, ticket.subject)}
        back={{ to: '/tickets/?show=open', label: t.back }}
        says={<TicketState status={ticket.status} />}
        actions={<Assignee ticket={ticket} />}
      />
      <div className={styles.screen}>
        <Conversation ticket={ticket} />
        <Client ticket={ticket} />
      </div>
    </>
  )
}

const SubscriberLink = ({ id, name }: { readonly id: number; readonly name: string }) => (
  <Link to={`/subscribers/${id}/`}>{name}</Link>
)

function Client({ ticket }: { readonly ticket: Thread }) {
  const t = useTexts(ticketTexts)
  const format = useFormat()
  const { abonent_id, name, contract_number, phone, address, home_id, others_of_home, create_date } = ticket
  return (
    <aside>
      <Panel title={t.client}>
        <Facts
          facts={[
            [t.client, <SubscriberLink key="client" id={abonent_id} name={name} />],
            [t.contract, <Copy key="contract" text={contract_number} />],
            [t.phone, phone && <Copy key="phone" text={phone} />],
            [t.address, address && format.address(address)],
            [t.opened, format.moment(create_date)],
          ]}
        />
        {others_of_home > 0 && (
          <p className={styles.others}>
            <Link to="/tickets/" search={{ show: 'open', home: String(home_id) } as never}>
              {t.othersOfHome(others_of_home)}
            </Link>
          </p>
        )}
      </Panel>
    </aside>
  )
}
