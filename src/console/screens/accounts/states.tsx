import { useCallback } from 'react'
import { useFormat } from '../../format/format.ts'
import { Pill, type Tone } from '../../patterns/pill.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './accounts.module.css'
import { accountsTexts } from './texts.ts'
import type { Account } from './use-account.ts'

type State = { readonly tone: Tone; readonly says: string }

/** What an operator should see of an account at a glance, in words. */
export function useStatesOf(): (account: Account) => readonly State[] {
  const t = useTexts(accountsTexts)
  const format = useFormat()
  return useCallback(
    ({ client, unlimited, unlimited_date: until, sleep_date: sleep, video_objects_count: videos }) => {
      const isAhead = (at: string | null) => at !== null && new Date(at) > new Date()
      const states: State[] = []
      if (client?.deleted) states.push({ tone: 'quiet', says: t.gone })
      else if (client && !client.enabled) states.push({ tone: 'bad', says: t.closed })
      if (unlimited && until === null) states.push({ tone: 'info', says: t.unlimited })
      else if (unlimited && isAhead(until)) states.push({ tone: 'info', says: t.unlimitedUntil(format.day(until)) })
      if (isAhead(sleep)) states.push({ tone: 'warning', says: t.frozen })
      if (!client) states.push({ tone: 'quiet', says: videos > 0 ? t.video : t.without_client })
      return states
    },
    [t, format],
  )
}

export function States({ account }: { readonly account: Account }) {
  const statesOf = useStatesOf()
  return (
    <span className={styles.states}>
      {statesOf(account).map(({ tone, says }) => (
        <Pill key={says} tone={tone}>
          {says}
        </Pill>
      ))}
    </span>
  )
}
