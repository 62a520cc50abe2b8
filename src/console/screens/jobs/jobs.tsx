import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMayChangeShared } from '../../api/me.tsx'
import { useFormat } from '../../format/format.ts'
import { PageHead } from '../../patterns/page-head.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { Job } from './endpoints.ts'
import { JobState } from './job-state.tsx'
import { jobTexts } from './texts.ts'
import { useJobs, useRunJob } from './use-jobs.ts'
import { useJobWords } from './words.ts'

export const jobsPath = '/system/jobs/'

/** Every job: when it runs, how it went and when it comes next. Those that failed stand first. */
export default function Jobs() {
  const t = useTexts(jobTexts)
  const words = useJobWords()
  const format = useFormat()
  const mayRun = useMayChangeShared()
  const run = useRunJob()
  const jobs = [...(useJobs() ?? [])].sort((a, b) => Number(hasFailed(b)) - Number(hasFailed(a)))
  const action = {
    title: t.run,
    isAction: true,
    cell: (job: Job) => (
      <Button
        variant="default"
        size="compact-sm"
        disabled={job.running}
        aria-label={t.runNamed(words.name(job.name))}
        onClick={() => run(job.name)}
      >
        {t.run}
      </Button>
    ),
  } as const
  return (
    <>
      <PageHead title={t.title} says={t.says} />
      <Panel title={t.title}>
        <PlainTable
          label={t.title}
          rows={jobs}
          rowKey={({ name }) => name}
          none=""
          columns={[
            {
              title: t.job,
              cell: ({ name }) => <Link to={`${jobsPath}${name}/` as never}>{words.name(name)}</Link>,
            },
            { title: t.last, cell: (job) => <JobState job={job} /> },
            { title: t.schedule, cell: (job) => words.schedule(job) },
            { title: t.next, cell: (job) => (job.running ? '' : format.moment(job.next_at)) },
            { title: t.took, align: 'right', cell: ({ last }) => last && words.took(last) },
            ...(mayRun ? [action] : []),
          ]}
        />
      </Panel>
    </>
  )
}

const hasFailed = ({ last }: Job): boolean => last?.ok === false
