import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { forget } from '../../api/use-endpoint.ts'
import { useGo } from '../../patterns/late.ts'
import type { ListEndpoint } from '../../patterns/list/pages.ts'
import { told } from '../../patterns/told.ts'
import { useSayRefusal } from '../../texts/refusals.ts'
import { useTexts } from '../../texts/texts.ts'
import { dictionaryTexts } from './texts.ts'

type ArchiveProps = {
  readonly isInUse: boolean
  readonly change: (body: { readonly enabled: boolean }) => Promise<unknown>
  readonly outdated: readonly ListEndpoint[]
  readonly backTo: string
  /** What has come of it, in words. */
  readonly says: { readonly archived: string; readonly restored: string }
}

/** What is not sold any more stays with those who have it. */
export function Archive({ isInUse, change, outdated, backTo, says }: ArchiveProps) {
  const t = useTexts(dictionaryTexts)
  const say = useSayRefusal()
  const navigate = useGo()
  const queries = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    try {
      await change({ enabled: !isInUse })
      await forget(queries, outdated)
      told.done(isInUse ? says.archived : says.restored)
      void navigate({ to: backTo, search: true as never })
    } catch (error) {
      told.failed(say(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button variant="default" loading={isBusy} onClick={() => void run()}>
      {isInUse ? t.archive : t.restore}
    </Button>
  )
}
