import { useCallback } from 'react'
import { Pill } from '../../patterns/pill.tsx'
import { useTexts } from '../../texts/texts.ts'
import { subscribersTexts } from './texts.ts'

/** What says whether a subscriber may use the network. */
export type AccessFacts = {
  readonly deleted: boolean
  readonly enabled: boolean
  readonly blocks: readonly ('debt' | 'operator' | 'client' | 'system')[]
}

/** Open, or the first reason why not, in words. */
export function useAccessWords(): (facts: AccessFacts) => string {
  const t = useTexts(subscribersTexts)
  return useCallback(
    ({ deleted, enabled, blocks }) => {
      if (deleted) return t.gone
      if (blocks.length > 0) return blocks.map((reason) => t[reason]).join(', ')
      return enabled ? t.open : t.off
    },
    [t],
  )
}

/** The state of access as a pill. A debt may be paid, so it is a warning; whom a person has closed stays closed. */
export function AccessPill(facts: AccessFacts) {
  const words = useAccessWords()
  const { deleted, enabled, blocks } = facts
  const isDebt = blocks.length === 1 && blocks[0] === 'debt'
  const tone = deleted ? 'quiet' : blocks.length === 0 && enabled ? 'good' : isDebt ? 'warning' : 'bad'
  return <Pill tone={tone}>{words(facts)}</Pill>
}
