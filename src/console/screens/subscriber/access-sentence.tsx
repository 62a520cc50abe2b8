import { Pill } from '../../patterns/pill.tsx'
import { useTexts } from '../../texts/texts.ts'
import { type AccessFacts, useAccessWords } from '../subscribers/access.tsx'
import { cardTexts } from './texts.ts'

/** That access is closed, and why; null: it is open. */
export function useClosed(facts: AccessFacts): string | null {
  const t = useTexts(cardTexts)
  const words = useAccessWords()
  const { deleted, enabled, blocks } = facts
  if (!deleted && enabled && blocks.length === 0) return null
  const isBySomebody = !deleted && blocks.length > 0 && !blocks.includes('debt')
  return (isBySomebody ? t.isClosedBy : t.isClosed)(words(facts))
}

export function AccessSentence({ facts }: { readonly facts: AccessFacts }) {
  const t = useTexts(cardTexts)
  const closed = useClosed(facts)
  return <Pill tone={closed === null ? 'good' : 'bad'}>{closed ?? t.isOpen}</Pill>
}
