import { Button } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Item } from '../../api/client.ts'
import { useMayChangeShared, useMayHave } from '../../api/me.tsx'
import { useFormat } from '../../format/format.ts'
import { Facts } from '../../patterns/facts.tsx'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { useTexts } from '../../texts/texts.ts'
import { type Job, jobRunsEndpoint } from './endpoints.ts'
import { jobsPath } from './jobs.tsx'
import styles from './jobs.module.css'
import { JobState, RunPill } from './job-state.tsx'
import { jobTexts } from './texts.ts'
import { useJobs, useRunJob } from './use-jobs.ts'
import { useJobWords } from './words.ts'

/** One job and its runs, the newest first. */
export default function JobScreen() {
  const t = useTexts(jobTexts)
  const words = useJobWords()
  const { name } = useParams({ strict: false }) as { readonly name: string }
  const mayRun = useMayChangeShared()
  const run = useRunJob()
  const job = useJobs()?.find((one) => one.name === name)
  const columns = useColumns()
  const actions = mayRun && (
    <Button disabled={job?.running ?? true} onClick={() => run(name)}>
      {t.run}
    </Button>
  )
  return (
    <>
      <PageHead title={words.name(name)} back={{ to: jobsPath, label: t.toAll }} actions={actions} />
      {job && <JobFacts job={job} />}
      <DataList
        name="job-runs"
        endpoint={jobRunsEndpoint}
        path={{ name }}
        filters={[]}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ started_at }) => started_at}
        rowTo={() => null}
        empty={{ title: t.noRuns, says: t.noRunsSays }}
      />
    </>
  )
}

function JobFacts({ job }: { readonly job: Job }) {
  const t = useTexts(jobTexts)
  const words = useJobWords()
  const format = useFormat()
  const mayChange = useMayHave()({ right: 'settings', isShared: true })
  const { setting } = job
  return (
    <Panel title={t.timetable}>
      <Facts
        facts={[
          [
            t.schedule,
            <span key="schedule">
              {words.schedule(job)}{' '}
              {setting !== null && mayChange && (
                <Link to={'/system/settings/' as never} search={{ q: setting } as never}>
                  {t.change}
                </Link>
              )}
            </span>,
          ],
          [t.next, format.moment(job.next_at)],
          [t.last, <JobState key="last" job={job} />],
        ]}
      />
    </Panel>
  )
}

type Run = Item<typeof jobRunsEndpoint>

function Result({ of }: { readonly of: Run['result'] }) {
  const words = useJobWords()
  return (
    <>
      {words.result(of)}{' '}
      <span lang="en" className={styles.error}>
        {words.error(of)}
      </span>
    </>
  )
}

function useColumns(): readonly Column<Run>[] {
  const t = useTexts(jobTexts)
  const words = useJobWords()
  const format = useFormat()
  return useMemo(
    () => [
      {
        id: 'began',
        title: t.began,
        width: '11rem',
        cell: (row) => format.moment(row.started_at),
        text: (row) => row.started_at,
      },
      {
        id: 'state',
        title: t.state,
        width: '9rem',
        isOnCard: true,
        cell: (row) => <RunPill {...row} />,
        text: (row) => words.state(row),
      },
      {
        id: 'by',
        title: t.by,
        isOnCard: 'titled',
        cell: (row) => row.started_by ?? t.byClock,
        text: (row) => row.started_by ?? t.byClock,
      },
      {
        id: 'took',
        title: t.took,
        width: '7rem',
        align: 'right',
        isOnCard: true,
        cell: (row) => words.took(row),
        text: (row) => words.took(row),
      },
      {
        id: 'result',
        title: t.result,
        isOnCard: true,
        cell: ({ result }) => <Result of={result} />,
        text: ({ result }) => [words.result(result), words.error(result)].filter((text) => text !== '').join('; '),
      },
      {
        id: 'ended',
        title: t.ended,
        isExtra: true,
        cell: (row) => format.moment(row.ended_at),
        text: (row) => row.ended_at,
      },
    ],
    [t, words, format],
  )
}
