import type { ReactNode } from 'react'
import styles from './patterns.module.css'

export type EmptyProps = { readonly title: string; readonly says?: string; readonly deed?: ReactNode }

/** Where there is nothing to show: why, and the one next deed. */
export const Empty = ({ title, says, deed }: EmptyProps) => (
  <div className={styles.empty}>
    <p className={styles.emptyTitle}>{title}</p>
    {says && <p>{says}</p>}
    {deed}
  </div>
)
