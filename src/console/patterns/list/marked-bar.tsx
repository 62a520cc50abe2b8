import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFormat } from '../../format/format.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './list.module.css'
import { listTexts } from './texts.ts'

type MarkedBarProps = {
  /** Null: not known. */
  readonly count: number | null
  /** All that the filters find, however many rows have been loaded; null: only rows can be marked. */
  readonly isAll: boolean | null
  readonly onMarkAll: () => void
  readonly onUnmark: () => void
  readonly children: ReactNode
}

/** What may be done with the rows that are marked. */
export function MarkedBar({ count, isAll, onMarkAll, onUnmark, children }: MarkedBarProps) {
  const t = useTexts(listTexts)
  const format = useFormat()
  const said = isAll ? t.allMarked(count === null ? '' : format.number(count)) : t.marked(count ?? 0)
  return (
    <div className={styles.markedBar} role="toolbar" aria-label={said}>
      <strong>{said}</strong>
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
