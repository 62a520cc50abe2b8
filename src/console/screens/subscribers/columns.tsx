import { useMemo } from 'react'
import type { Item } from '../../api/client.ts'
import { useMe } from '../../api/me.tsx'
import { type Formats, useFormat } from '../../format/format.ts'
import { commonTexts } from '../../frame/texts.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { Dot } from '../../patterns/pill.tsx'
import { useTexts } from '../../texts/texts.ts'
import { AccessPill, useAccessWords } from './access.tsx'
import { Balance } from './balance.tsx'
import styles from './subscribers.module.css'
import { subscribersTexts } from './texts.ts'

type Subscriber = Item<'GET /admin/Abonents/subscribers/'>
type Texts = (typeof subscribersTexts)['ru']

export function useColumns(): readonly Column<Subscriber>[] {
  const t = useTexts(subscribersTexts)
  const common = useTexts(commonTexts)
  const format = useFormat()
  const words = useAccessWords()
  const { organizations } = useMe()
  return useMemo(() => {
    const columns = [
      nameColumn(t, common.online, common.offline),
      ...whoColumns(t),
      { id: 'state', title: t.state, isOnCard: true, cell: (row: Subscriber) => <AccessPill {...row} />, text: words },
      ...lineColumns(t, format, common.online),
    ]
    const names = new Map(organizations.map(({ id, name }) => [id, name]))
    const organization: Column<Subscriber> = {
      id: 'organization',
      title: t.organization,
      isExtra: true,
      cell: (row) => names.get(row.organization_id ?? 1),
      text: (row) => names.get(row.organization_id ?? 1),
    }
    return organizations.length > 1 ? [...columns, organization] : columns
  }, [t, common, format, words, organizations])
}

const nameColumn = (t: Texts, online: string, offline: string): Column<Subscriber> => ({
  id: 'name',
  title: t.name,
  sort: 'name',
  width: '22%',
  cell: (row) => (
    <span className={styles.name}>
      <Dot tone={row.online ? 'good' : 'quiet'} says={row.online ? online : offline} />
      <span title={row.name}>{row.name}</span>
    </span>
  ),
  text: ({ name }) => name,
})

const whoColumns = (t: Texts): readonly Column<Subscriber>[] => [
  {
    id: 'contract',
    title: t.contract,
    sort: 'contract_number',
    isOnCard: true,
    cell: (row) => row.contract_number,
    text: (row) => row.contract_number,
  },
  {
    id: 'balance',
    title: t.balance,
    align: 'right',
    isOnCard: true,
    cell: ({ balance }) => <Balance balance={balance} />,
    text: ({ balance }) => balance,
  },
]

function lineColumns(t: Texts, format: Formats, online: string): readonly Column<Subscriber>[] {
  const line = (row: Subscriber) => (row.online ? (row.ip ?? online) : '')
  return [
    { id: 'line', title: t.line, cell: (row) => <span className={styles.mono}>{line(row)}</span>, text: line },
    { id: 'tariff', title: t.tariff, cell: (row) => row.tarif_name, text: (row) => row.tarif_name },
    {
      id: 'address',
      title: t.address,
      width: '20%',
      isOnCard: true,
      cell: (row) => <span className={styles.address}>{row.address && format.address(row.address)}</span>,
      text: (row) => row.address,
    },
    {
      id: 'lastPayment',
      title: t.lastPayment,
      cell: (row) => row.last_payment_at && format.day(row.last_payment_at),
      text: (row) => row.last_payment_at,
    },
    {
      id: 'debtSince',
      title: t.debtSince,
      isExtra: true,
      cell: (row) => row.debt_since && format.day(row.debt_since),
      text: (row) => row.debt_since,
    },
    { id: 'phone', title: t.phone, isExtra: true, cell: ({ phone }) => phone, text: ({ phone }) => phone },
    { id: 'account', title: t.account, isExtra: true, cell: (row) => row.account_id, text: (row) => row.account_id },
    {
      id: 'created',
      title: t.created,
      sort: 'id',
      isExtra: true,
      cell: (row) => format.day(row.create_date),
      text: (row) => row.create_date,
    },
  ]
}
