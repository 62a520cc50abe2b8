import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Refused } from '../../api/client.ts'
import { follow, forget, useEndpoint, useSend } from '../../api/use-endpoint.ts'
import { useLive } from '../../live/use-live.ts'
import { told } from '../../patterns/told.ts'
import { useSayRefusal } from '../../texts/refusals.ts'
import { useTexts } from '../../texts/texts.ts'
import { type Job, jobRunsEndpoint, jobsEndpoint } from './endpoints.ts'
import { jobTexts } from './texts.ts'
import { isUnmade, useJobWords } from './words.ts'

const outdated = [jobsEndpoint, jobRunsEndpoint] as const

type Progress = NonNullable<Job['progress']>
type Change = Progress & { readonly name: string; readonly running: boolean }

/** The jobs as they are now: what runs and how far it is comes over the socket. */
export function useJobs() {
  const queries = useQueryClient()
  const { data, error } = useEndpoint(jobsEndpoint, {})
  const [working, setWorking] = useState<ReadonlyMap<string, Progress>>(new Map())
  useLive(['system'], (frame) => {
    if (frame.type === 'snapshot' && working.size > 0) {
      // The connection was away, and what ended meanwhile was told to nobody.
      setWorking(new Map())
      void forget(queries, outdated)
    }
    if (frame.type !== 'job.changed') return
    const { name, running, done, total } = frame as unknown as Change
    setWorking((before) => {
      const after = new Map(before)
      if (running) after.set(name, { done, total })
      else after.delete(name)
      return after
    })
    if (!running || !working.has(name)) void follow(queries, outdated)
  })
  if (error && !data) throw error
  return data?.jobs.map((job): Job => {
    const progress = working.get(job.name) ?? job.progress
    return { ...job, progress, running: job.running || working.has(job.name) }
  })
}

/** Starts a job by hand and tells what became of it. It goes on when its user leaves. */
export function useRunJob() {
  const t = useTexts(jobTexts)
  const words = useJobWords()
  const say = useSayRefusal()
  const run = useSend('POST /admin/jobs/{name}/run/', outdated)
  return (name: string) =>
    run.mutate(
      { path: { name } },
      {
        onSuccess: ({ result }) =>
          isUnmade(result) ? told.failed(words.result(result)) : told.done(t.ran(words.name(name))),
        onError: (error) => {
          if (error instanceof Refused && error.status === 500) told.failed(t.failedNamed(words.name(name)))
          else if (error instanceof Refused && error.status === 409) told.failed(t.elsewhere)
          else told.failed(say(error))
        },
      },
    )
}
