import { Alert } from '@mantine/core'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useMay } from '../../api/me.tsx'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { Beside } from '../../patterns/beside.tsx'
import { Facts } from '../../patterns/facts.tsx'
import { useLanguage } from '../../texts/language.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './not-credited.module.css'
import { RefundPart } from '../refund/refund.tsx'
import { detailInRussian } from './details.ts'
import { notCreditedPath, type Problem, problemEndpoint, problemsEndpoint } from './endpoints.ts'
import { PayerLink, ProblemState } from './not-credited.tsx'
import { SettleForm } from './settle-form.tsx'
import { notCreditedTexts, reasonTexts } from './texts.ts'

/** One payment beside the list: what is known of it, and the actions that settle it. */
export default function ProblemScreen() {
  const reasons = useTexts(reasonTexts)
  const { id } = useParams({ strict: false }) as { readonly id: string }
  const navigate = useNavigate()
  const { data, error } = useEndpoint(problemEndpoint, { path: { id: Number(id) } })
  const problem = data?.problem
  const title = problem ? reasons[problem.reason] : ''
  if (error && !data) throw error
  return (
    <Beside title={title} onClose={() => void navigate({ to: notCreditedPath, search: true as never })}>
      {problem && <Content key={problem.id} problem={problem} />}
    </Beside>
  )
}

/** In Russian where the program says it so; what a gateway has said stays as it is. */
function Detail({ text }: { readonly text: string }) {
  const { language } = useLanguage()
  const said = language === 'ru' ? detailInRussian(text) : null
  return <p lang={said === null ? 'en' : undefined}>{said ?? text}</p>
}

function Content({ problem }: { readonly problem: Problem }) {
  const t = useTexts(notCreditedTexts)
  const format = useFormat()
  const may = useMay()
  const { operation_id: operation } = problem
  return (
    <div className={styles.problem}>
      <Facts
        facts={[
          [t.state, <ProblemState key="state" problem={problem} />],
          [t.paid, problem.amount === null ? null : format.money(problem.amount)],
          [t.gateway, t[problem.gateway]],
          [t.payment, problem.gateway_id],
          [t.order, problem.order_id],
          [t.subscriber, problem.abonent_id === null ? null : <PayerLink key="subscriber" problem={problem} />],
          [t.at, format.moment(problem.last_at)],
          [t.times, problem.times > 1 ? format.number(problem.times) : null],
          [t.sender, problem.address],
          [t.by, problem.resolved_by && `${problem.resolved_by}, ${format.moment(problem.resolved_at)}`],
          [t.comment, problem.comment],
          [
            t.operation,
            operation === null ? null : (
              <Link key="operation" to={`/money/operations/${operation}/` as never}>
                {operation}
              </Link>
            ),
          ],
        ]}
      />
      <Detail text={problem.detail} />
      {problem.refund && <RefundPart refund={problem.refund} outdated={[problemEndpoint, problemsEndpoint]} />}
      {!problem.resolved && may('money') && (
        <>
          {!problem.is_proven && <Alert color="yellow">{t.notProven}</Alert>}
          <SettleForm problem={problem} />
        </>
      )}
      <details>
        <summary>{t.notice}</summary>
        <pre className={styles.notice}>{problem.notice}</pre>
      </details>
    </div>
  )
}
