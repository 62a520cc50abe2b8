import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMay } from '../../api/me.tsx'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { commonTexts } from '../../frame/texts.ts'
import { Empty } from '../../patterns/empty.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { sourceTexts } from '../../texts/sources.ts'
import { useTexts } from '../../texts/texts.ts'
import { MessageState } from '../messages/state.tsx'
import { type Message, useChannelWords, useKindWords } from '../messages/words.ts'
import { messageTexts } from '../subscriber/messages/texts.ts'
import { notChargedTexts } from '../subscriber/services/texts.ts'
import { moneyTexts } from '../subscriber/texts.ts'
import styles from './accounts.module.css'
import { accountMoneyTexts, accountsTexts } from './texts.ts'
import type { AccountCard } from './use-account.ts'

/** What a whole month of the tariffs and services costs, and what of it is not charged now. */
export function Services({ card: { account, clients } }: { readonly card: AccountCard }) {
  const { id } = account
  const t = useTexts(accountMoneyTexts)
  const names = useTexts(accountsTexts)
  const why = useTexts(notChargedTexts)
  const format = useFormat()
  const { data } = useEndpoint('GET /admin/Abonents/accounts_services/{id}/', { path: { id } })
  if (!data) return <Panel title={t.services}>{null}</Panel>
  const tariffs = data.tariffs.flatMap(({ tarif, ...row }) =>
    tarif ? [{ ...row, key: `t${row.abonent_id}`, name: t.tariff(tarif.name), countt: 1 }] : [],
  )
  const services = data.services.map((row) => ({ ...row, key: `s${row.id}` }))
  const rows = [...tariffs, ...services]
  if (rows.length === 0)
    return (
      <Panel title={t.services}>
        <NothingToCharge clients={clients} />
      </Panel>
    )
  const isAnyCharged = rows.some((row) => row.not_charged === null)
  return (
    <Panel title={t.services}>
      <p className={styles.under}>
        {t.monthly(format.money(data.monthly_charge))} {!isAnyCharged && t.noneCharged}
      </p>
      <PlainTable
        label={t.services}
        rows={rows}
        rowKey={({ key }) => key}
        none={t.nothingToCharge}
        columns={[
          { title: t.service, cell: ({ name }) => name },
          { title: names.client, cell: (row) => row.abonent_name },
          { title: t.count, align: 'right', cell: ({ countt }) => countt },
          { title: t.price, align: 'right', cell: ({ price }) => format.money(price) },
          { title: t.month, align: 'right', cell: ({ amount }) => format.money(amount) },
          { title: names.state, cell: (row) => row.not_charged && why[row.not_charged] },
        ]}
      />
    </Panel>
  )
}

/** Why an account has no charges, and what gives it some. */
function NothingToCharge({ clients }: Pick<AccountCard, 'clients'>) {
  const t = useTexts(accountMoneyTexts)
  const may = useMay()
  const [client, ...others] = clients
  const canGive = client !== undefined && others.length === 0 && !client.deleted && may('change')
  return (
    <Empty
      title={t.nothingToCharge}
      says={client === undefined ? t.linkFirst : t.giveFirst}
      action={
        canGive && (
          <Button component={Link} to={`/subscribers/${client.id}/services/tariff/` as never} variant="default">
            {t.giveTariff}
          </Button>
        )
      }
    />
  )
}

/** By which way money came lately, and what other systems have of it. */
export function Receipts({ id }: { readonly id: number }) {
  const t = useTexts(accountMoneyTexts)
  const common = useTexts(commonTexts)
  const money = useTexts(moneyTexts)
  const sources = useTexts(sourceTexts)
  const format = useFormat()
  const { data } = useEndpoint('GET /admin/Abonents/accounts_payments_summary/{id}/', { path: { id } })
  if (!data) return null
  const mark = (value: boolean) => (value ? common.yes : common.no)
  return (
    <Panel title={t.receipts(data.days)}>
      {data.count > 0 && <p className={styles.under}>{t.receiptsTotal(data.count, format.money(data.total))}</p>}
      <PlainTable
        label={t.receipts(data.days)}
        rows={data.groups}
        rowKey={({ channel, sync1c, kkm_printed }) => `${channel} ${sync1c} ${kkm_printed}`}
        none={t.noReceipts}
        columns={[
          { title: t.channel, cell: ({ channel }) => sources[channel] },
          { title: t.count, align: 'right', cell: ({ count }) => count },
          { title: money.amount, align: 'right', cell: ({ sum }) => format.money(sum) },
          { title: t.accounting, cell: ({ sync1c }) => mark(sync1c) },
          { title: t.receipt, cell: ({ kkm_printed }) => mark(kkm_printed) },
          { title: t.last, cell: ({ last }) => format.moment(last) },
        ]}
      />
    </Panel>
  )
}

/** The latest messages about the account. */
export function Notices({ card: { notifications } }: { readonly card: AccountCard }) {
  const t = useTexts(accountMoneyTexts)
  const money = useTexts(moneyTexts)
  const messages = useTexts(messageTexts)
  const channelOf = useChannelWords()
  const kindOf = useKindWords()
  const format = useFormat()
  return (
    <Panel title={t.notices}>
      <PlainTable
        label={t.notices}
        rows={notifications}
        rowKey={({ id }) => id}
        none={t.noNotices}
        columns={[
          { title: money.date, cell: (row) => format.moment(row.created_at) },
          { title: money.type, cell: ({ kind }) => kindOf(kind) },
          { title: t.channel, cell: ({ channel }) => channelOf(channel) },
          {
            title: messages.state,
            cell: ({ state }) => <MessageState state={state as Message['state']} />,
          },
          { title: t.text, cell: ({ text }) => text },
        ]}
      />
    </Panel>
  )
}
