import { Progress } from '@mantine/core'
import { useFormat } from '../../format/format.ts'
import { Pill } from '../../patterns/pill.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { Job, JobRun } from './endpoints.ts'
import styles from './jobs.module.css'
import { jobTexts } from './texts.ts'
import { isUnmade, useJobWords } from './words.ts'

/** How far a job is that runs, or how its last run ended. */
export function JobState({ job }: { readonly job: Job }) {
  const t = useTexts(jobTexts)
  const format = useFormat()
  const { running, progress, last } = job
  if (running) return <Running progress={progress} />
  if (!last) return <span className={styles.quiet}>{t.never}</span>
  return (
    <span className={styles.state}>
      <RunPill {...last} /> <span>{format.moment(last.started_at)}</span>
    </span>
  )
}

export function RunPill({ ok, result = null }: Pick<JobRun, 'ok'> & Partial<Pick<JobRun, 'result'>>) {
  const { state } = useJobWords()
  return (
    <Pill tone={ok === null ? 'info' : !ok ? 'bad' : isUnmade(result) ? 'warning' : 'good'}>
      {state({ ok, result })}
    </Pill>
  )
}

function Running({ progress }: Pick<Job, 'progress'>) {
  const t = useTexts(jobTexts)
  const words = useJobWords()
  const { done = 0, total = null } = progress ?? {}
  const share = total === null || total === 0 ? null : Math.min(100, (100 * done) / total)
  return (
    <span className={styles.running}>
      <RunPill ok={null} />
      {share !== null && <Progress value={share} aria-label={t.running} />}
      {progress && <span>{words.progress(progress)}</span>}
    </span>
  )
}
