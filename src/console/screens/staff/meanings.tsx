import { useTexts } from '../../texts/texts.ts'
import styles from './staff.module.css'
import { rightMeanings, rightNames } from './texts.ts'

type MeaningsProps = { readonly rights: readonly string[]; readonly label?: string }

/** What each right is called, and what one may do who has it. */
export function Meanings({ rights, label }: MeaningsProps) {
  const names = useTexts(rightNames) as Readonly<Record<string, string>>
  const meanings = useTexts(rightMeanings) as Readonly<Record<string, string>>
  return (
    <dl className={styles.meanings} aria-label={label}>
      {rights.map((right) => (
        <div key={right}>
          <dt>{names[right] ?? right}</dt>
          <dd>{meanings[right] ?? right}</dd>
        </div>
      ))}
    </dl>
  )
}
