import { Alert } from '@mantine/core'
import { Link, useLocation, useNavigate, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Answer } from '../../api/client.ts'
import { useMay } from '../../api/me.tsx'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { operatorName } from '../../format/operator-name.ts'
import { Beside } from '../../patterns/beside.tsx'
import { Facts } from '../../patterns/facts.tsx'
import { sourceTexts } from '../../texts/sources.ts'
import { useProgramWords } from '../../texts/use-program-words.ts'
import { useTexts } from '../../texts/texts.ts'
import { actionTexts } from '../subscriber/log-texts.ts'
import { type Refund, RefundPart } from '../refund/refund.tsx'
import { type Operation, OperationType, ReverseLink } from '../subscriber/operation.tsx'
import { moneyTexts } from '../subscriber/texts.ts'
import styles from './operations.module.css'
import { operationsTexts } from './texts.ts'

const endpoint = 'GET /admin/Abonents/finops_detail/{op_id}/'
type Detail = Answer<typeof endpoint>

/** One operation beside the list: what it was, the account before and after it, and what hangs together with it. */
export default function OperationCard() {
  const { op = '' } = useParams({ strict: false }) as { readonly op?: string }
  const t = useTexts(operationsTexts)
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const { data, isError } = useEndpoint(endpoint, { path: { op_id: Number(op) } })
  const title = t.numbered(Number(op))
  const list = pathname.slice(0, pathname.lastIndexOf(`${op}/`))
  return (
    <Beside title={title} onClose={() => void navigate({ to: list as never, search: true as never })} width={560}>
      {data && <Content detail={data} list={list} />}
      {isError && <Alert color="red">{t.missing}</Alert>}
    </Beside>
  )
}

type ContentProps = { readonly detail: Detail; readonly list: string }

function Content({ detail, list }: ContentProps) {
  const t = useTexts(operationsTexts)
  const { original, reversal, parent, children, children_total: count } = detail
  const related = (title: string, operations: readonly (Operation | null)[]) => (
    <Related title={title} operations={operations.filter((one) => one !== null)} list={list} />
  )
  return (
    <div className={styles.card}>
      <Itself detail={detail} list={list} />
      <Whose detail={detail} />
      <Account detail={detail} />
      <Payment detail={detail} />
      {detail.refund && <RefundPart refund={detail.refund as Refund} outdated={[endpoint]} />}
      {related(t.original, [original])}
      {related(t.reversal, [reversal])}
      {related(t.parent, [parent])}
      {related(t.children(count), children)}
      <Audit audit={detail.audit as readonly AuditEntry[]} />
    </div>
  )
}

type PartProps = { readonly detail: Detail }

function Itself({ detail: { operation, abonent, ...around }, list }: ContentProps) {
  const words = useProgramWords()
  const may = useMay()
  const t = useTexts(operationsTexts)
  const money = useTexts(moneyTexts)
  const sources = useTexts(sourceTexts)
  const format = useFormat()
  const hasPaper = abonent !== null && Number(operation.amount) !== 0
  return (
    <>
      <Facts
        facts={[
          [money.amount, format.signed(operation.amount)],
          [money.type, <OperationType key="type" row={operation} />],
          [t.channel, sources[operation.source]],
          [money.date, format.moment(operation.op_date)],
          [t.recorded, format.moment(operation.system_date)],
          [money.descr, operation.descr && words(operation.descr)],
          [t.paper, operation.number],
          [t.noteOfStaff, operation.admin_comment],
          [t.service, around.usluga?.name],
          [t.paidBy, around.credit_type?.op_name],
          [t.carrier, around.operator?.name],
          [money.author, around.owner?.username ?? t.automatic],
          [t.organization, around.organization?.name],
          [t.inReports, operation.isbuhdoc ? t.yes : t.no],
        ]}
      />
      {hasPaper && (
        <a href={`/admin/getpdf/${abonent.id}/${operation.op_id}/`} target="_blank" rel="noreferrer">
          {t.print}
        </a>
      )}
      {may('money') && <ReverseLink at={list} row={operation} />}
    </>
  )
}

const Section = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section>
    <h2>{title}</h2>
    {children}
  </section>
)

function Whose({ detail: { abonent, account, operation } }: PartProps) {
  const t = useTexts(operationsTexts)
  const format = useFormat()
  const person = abonent && (
    <Link to={`/subscribers/${abonent.id}/` as never}>
      {[abonent.name, abonent.contract_number].filter(Boolean).join(' · ')}
    </Link>
  )
  return (
    <Section title={t.whose}>
      <Facts
        facts={[
          [t.client, person],
          [t.address, abonent?.address && format.address(abonent.address)],
          [
            t.account,
            account ? (
              <Link key="account" to={`/money/accounts/${account.id}/` as never}>
                {format.numbered(account.id)}
              </Link>
            ) : (
              operation.account_id
            ),
          ],
          [t.balance, account && format.money(account.ostatok)],
        ]}
      />
    </Section>
  )
}

function Account({ detail: { snapshot } }: PartProps) {
  const t = useTexts(operationsTexts)
  const format = useFormat()
  return (
    <Section title={t.before}>
      <Facts
        facts={[
          [t.balanceBefore, format.money(snapshot.aa_ostatok)],
          [t.balanceAfter, format.money(snapshot.balance_after)],
          [t.incomeBefore, format.money(snapshot.aa_debit)],
          [t.expenseBefore, format.money(snapshot.aa_credit)],
          [t.limit, snapshot.aa_unlimited ? t.unlimited : format.money(snapshot.aa_limit)],
        ]}
      />
    </Section>
  )
}

function Payment({ detail: { payment, fiscal } }: PartProps) {
  const t = useTexts(operationsTexts)
  const sourceNames = useTexts(sourceTexts)
  const { operator_name: operator, operator_pay_id_str: number, txn, code1c, is_cash: isCash } = payment
  const receipt = fiscal.kkm_printed ? String(fiscal.kkm_check_id ?? t.printed) : null
  if (![operator, number, txn, code1c, receipt].some(Boolean) && !isCash) return null
  return (
    <Section title={t.payment}>
      <Facts
        facts={[
          [t.operator, operatorName(sourceNames, operator)],
          [t.payId, number],
          [t.txn, txn],
          [t.code1c, code1c],
          [t.cash, isCash ? t.yes : null],
          [t.receipt, receipt],
        ]}
      />
    </Section>
  )
}

type RelatedProps = { readonly title: string; readonly operations: readonly Operation[]; readonly list: string }

function Related({ title, operations, list }: RelatedProps) {
  const words = useProgramWords()
  const format = useFormat()
  if (operations.length === 0) return null
  return (
    <Section title={title}>
      <ul className={styles.lines}>
        {operations.map(({ op_id: id, op_date, amount, descr, op_type_name: type }) => (
          <li key={id}>
            <Link to={`${list}${id}/` as never} search={true as never}>
              {format.numbered(id)}
            </Link>{' '}
            {[format.moment(op_date), format.signed(amount), words(descr || type)].join(' · ')}
          </li>
        ))}
      </ul>
    </Section>
  )
}

type AuditEntry = {
  readonly id: number
  readonly at: string
  readonly user: string | null
  readonly action: string
  readonly diff: Readonly<Record<string, unknown>> | null
}

function Audit({ audit }: { readonly audit: readonly AuditEntry[] }) {
  const t = useTexts(operationsTexts)
  const actions = useTexts(actionTexts)
  const format = useFormat()
  if (audit.length === 0) return null
  const said = (action: string): string => {
    const name = `operation.${action}`
    return name in actions ? actions[name as 'operation.create'] : action
  }
  return (
    <Section title={t.audit}>
      <ul className={styles.lines}>
        {audit.map(({ id, at, user, action }) => (
          <li key={id}>
            <span className={styles.quiet}>{format.moment(at)}</span> {said(action)} · {user ?? t.automatic}
          </li>
        ))}
      </ul>
    </Section>
  )
}
