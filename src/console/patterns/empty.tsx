import type { ReactNode } from 'react'
import styles from './patterns.module.css'

export type EmptyProps = { readonly title: string; readonly says?: string; readonly action?: ReactNode }

/** Where there is nothing to show: why, and the one next action. */
export const Empty = ({ title, says, action }: EmptyProps) => (
  <div className={styles.empty}>
    <p className={styles.emptyTitle}>{title}</p>
    {says && <p>{says}</p>}
    {action}
  </div>
)
