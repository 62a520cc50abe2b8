import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTexts } from '../../texts/texts.ts'
import styles from './list.module.css'
import { listTexts } from './texts.ts'

type MarkedBarProps = {
  readonly count: number
  /** All that the filters find, however many rows have been loaded; null: only rows can be marked. */
  readonly isAll: boolean | null
  readonly onMarkAll: () => void
  readonly onUnmark: () => void
  readonly children: ReactNode
}

/** What may be done with the rows that are marked. */
export function MarkedBar({ count, isAll, onMarkAll, onUnmark, children }: MarkedBarProps) {
  const t = useTexts(listTexts)
  return (
    <div className={styles.markedBar} role="toolbar" aria-label={isAll ? t.allMarked : t.marked(count)}>
      <strong>{isAll ? t.allMarked : t.marked(count)}</strong>
      {isAll === false && (
        <Button variant="default" onClick={onMarkAll}>
          {t.markAll}
        </Button>
      )}
      {children}
      <Button variant="subtle" color="gray" onClick={onUnmark}>
        {t.unmark}
      </Button>
    </div>
  )
}
