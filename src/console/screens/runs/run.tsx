import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { forget } from '../../api/use-endpoint.ts'
import { PageHead } from '../../patterns/page-head.tsx'
import { useTexts } from '../../texts/texts.ts'
import { RunView, useRunTitle } from './run-view.tsx'
import { runTexts } from './texts.ts'
import { useRun } from './use-run.ts'

/** Work on many records, which goes on whether or not this page is open. */
export default function RunScreen() {
  const t = useTexts(runTexts)
  const queries = useQueryClient()
  const titleOf = useRunTitle()
  const { data: run, error } = useRun(Number((useParams({ strict: false }) as { readonly id: string }).id))
  const state = run?.state
  useEffect(() => {
    // What the list shows is of before.
    if (state !== undefined && state !== 'running') void forget(queries, ['GET /admin/Abonents/subscribers/'])
  }, [queries, state])
  if (error && !run) throw error
  const back =
    run?.kind === 'import'
      ? { to: '/subscribers/import/', label: t.toImport }
      : { to: '/subscribers/', label: t.toList }
  return (
    <>
      <PageHead title={run ? titleOf(run) : ''} back={back} />
      {run && <RunView run={run} />}
    </>
  )
}
