import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { useTexts } from '../../texts/texts.ts'
import { ReportFrame } from './frame.tsx'
import styles from './reports.module.css'
import { SumsTable } from './sums-table.tsx'
import { reportTexts } from './texts.ts'

/** Who owes, by how long they have owed. */
export default function Debts() {
  const t = useTexts(reportTexts)
  return (
    <ReportFrame report="debts" says={t.debtsSays} asked={{}}>
      <Report />
    </ReportFrame>
  )
}

function Report() {
  const t = useTexts(reportTexts)
  const format = useFormat()
  const { data, error } = useEndpoint('GET /admin/reports/debts/', {})
  if (error) throw error
  if (!data) return <div className={styles.waiting} aria-busy="true" />
  const sums = (row: typeof data.totals) => [
    format.number(row.accounts),
    format.money(row.debt),
    format.number(row.departed_accounts),
    format.money(row.departed_debt),
  ]
  return (
    <SumsTable
      label={t.debts}
      columns={[t.age, t.accounts, t.debt, t.departed, t.departedDebt]}
      rows={data.items}
      rowKey={({ from_days }) => from_days}
      cells={(row) => [
        <DebtorsLink key="debtors" from={row.from_days} to={row.to_days}>
          {row.to_days === null ? t.over(row.from_days) : `${row.from_days}–${row.to_days}`}
        </DebtorsLink>,
        ...sums(row),
      ]}
      totals={[
        <DebtorsLink key="debtors" from={0} to={null}>
          {t.total}
        </DebtorsLink>,
        ...sums(data.totals),
      ]}
    />
  )
}

type DebtorsLinkProps = { readonly from: number; readonly to: number | null; readonly children: ReactNode }

/** Leads to the subscribers who have owed for so many days. */
const DebtorsLink = ({ from, to, children }: DebtorsLinkProps) => (
  <Link
    to="/subscribers/"
    search={
      {
        show: 'debtors',
        ...(from > 0 && { debt_days: String(from) }),
        ...(to !== null && { debt_days_to: String(to) }),
      } as never
    }
  >
    {children}
  </Link>
)
