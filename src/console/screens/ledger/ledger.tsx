import { Alert, Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMayChangeShared } from '../../api/me.tsx'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { Facts } from '../../patterns/facts.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { Pill } from '../../patterns/pill.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { useTexts } from '../../texts/texts.ts'
import { type Job, type JobRun, jobRunsEndpoint } from '../jobs/endpoints.ts'
import { JobState } from '../jobs/job-state.tsx'
import { useJobs, useRunJob } from '../jobs/use-jobs.ts'
import { useJobWords } from '../jobs/words.ts'
import { Faults } from './faults.tsx'
import { proofOf } from './proof.ts'
import { ledgerTexts } from './texts.ts'

const name = 'verify_ledger'
const shownRuns = 10

/** Whether the ledger is as the program has written it: the last proof, what it found, and one now. */
export default function Ledger() {
  const t = useTexts(ledgerTexts)
  const run = useRunJob()
  const mayRun = useMayChangeShared()
  const job = useJobs()?.find((one) => one.name === name)
  const proof = proofOf(job?.last ?? null)
  const action = mayRun && (
    <Button disabled={job?.running ?? true} onClick={() => run(name)}>
      {t.runNow}
    </Button>
  )
  return (
    <>
      <PageHead title={t.title} says={t.says} actions={action} />
      {job && <State job={job} />}
      {proof && proof.faults.length > 0 && <Faults proof={proof} />}
      <Before />
    </>
  )
}

function State({ job }: { readonly job: Job }) {
  const t = useTexts(ledgerTexts)
  const words = useJobWords()
  const format = useFormat()
  const { last } = job
  const proof = proofOf(last)
  return (
    <Panel title={t.state} actions={<Verdict run={last} />}>
      <div role="status">{job.running && <JobState job={job} />}</div>
      <Facts
        facts={[
          [t.began, last && format.moment(last.started_at)],
          [t.accounts, proof && format.number(proof.accounts)],
          [t.operations, proof && format.number(proof.operations)],
          [t.removed, proof && proof.removed > 0 ? format.number(proof.removed) : null],
          [t.wrong, proof && format.number(proof.broken)],
          [t.unsettled, proof && proof.unsettled > 0 ? format.number(proof.unsettled) : null],
          [t.took, last && words.took(last)],
          [t.next, job.running ? null : format.moment(job.next_at)],
        ]}
      />
      {last && last.result === null && <p>{t.hidden}</p>}
      {last && !proof && words.error(last.result) !== '' && (
        <Alert color="red" lang="en">
          {words.error(last.result)}
        </Alert>
      )}
    </Panel>
  )
}

/** A run that was cut off proves nothing. */
function Verdict({ run }: { readonly run: JobRun | null }) {
  const t = useTexts(ledgerTexts)
  if (!run) return <Pill tone="quiet">{t.never}</Pill>
  if (run.ok) return <Pill tone="good">{t.whole}</Pill>
  return proofOf(run) ? <Pill tone="bad">{t.broken}</Pill> : <Pill tone="warning">{t.cut}</Pill>
}

function Before() {
  const t = useTexts(ledgerTexts)
  const words = useJobWords()
  const format = useFormat()
  const { data } = useEndpoint(jobRunsEndpoint, { path: { name }, query: { per_page: shownRuns } })
  return (
    <Panel title={t.before} actions={<Link to={`/system/jobs/${name}/` as never}>{t.allRuns}</Link>}>
      <PlainTable
        label={t.before}
        rows={data?.items.filter(({ ok }) => ok !== null)}
        rowKey={({ id }) => id}
        none={t.never}
        columns={[
          { title: t.began, cell: (run) => format.moment(run.started_at) },
          { title: t.result, cell: (run) => <Verdict run={run} /> },
          { title: t.accounts, align: 'right', cell: (run) => format.number(proofOf(run)?.accounts) },
          { title: t.took, align: 'right', cell: (run) => words.took(run) },
        ]}
      />
    </Panel>
  )
}
