import { Link } from '@tanstack/react-router'
import { useMay } from '../../api/me.tsx'
import { useAddressFilters } from '../../patterns/list/address.ts'
import { Chips } from '../../patterns/list/chips.tsx'
import { usePages } from '../../patterns/list/pages.ts'
import { Panel } from '../../patterns/panel.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { More } from '../../patterns/more.tsx'
import { useTexts } from '../../texts/texts.ts'
import { MessageState, Resend } from './state.tsx'
import { mailingTexts, messagesTexts } from './texts.ts'
import { type Message, messageStates, stateTexts, useChannelWords, useSayWhyNot } from './words.ts'

const rowsAtOnce = 50

/** What was written to the recipients of a mailing. */
export function MailingMessages({ id }: { readonly id: number }) {
  const t = useTexts(mailingTexts)
  const words = useTexts(messagesTexts)
  const said = useTexts(stateTexts)
  const may = useMay()
  const channelOf = useChannelWords()
  const whyOf = useSayWhyNot()
  const [address, change] = useAddressFilters()
  const state = messageStates.find((one) => one === address.state)
  const { query, rows } = usePages('GET /admin/messages/', { query: { mailing: id, limit: rowsAtOnce, state } })
  const chips = [{ value: '', label: words.all }, ...messageStates.map((value) => ({ value, label: said[value] }))]
  const action = {
    title: words.resend,
    isAction: true,
    cell: (row: Message) => row.state !== 'sent' && <Resend id={row.id} isCompact />,
  } as const
  return (
    <Panel
      title={t.messages}
      actions={<Chips label={words.state} parameter="state" list={chips} chosen={state ?? ''} onChange={change} />}
    >
      <PlainTable
        label={t.messages}
        rows={query.data && rows}
        rowKey={(row) => row.id}
        none={words.none}
        columns={[
          {
            title: words.subscriber,
            isWide: true,
            cell: ({ abonent_id, abonent_name }) =>
              abonent_id !== null && <Link to={`/subscribers/${abonent_id}/messages/` as never}>{abonent_name}</Link>,
          },
          { title: words.state, cell: (row) => <MessageState state={row.state} /> },
          { title: words.address, cell: (row) => `${channelOf(row.channel)} ${row.address ?? ''}` },
          { title: words.reason, cell: (row) => whyOf(row) },
          ...(may('change') ? [action] : []),
        ]}
      />
      <More of={query} />
    </Panel>
  )
}
