import type { ReactNode } from 'react'
import styles from './patterns.module.css'
import { useTitle } from './title.ts'

type PageHeadProps = { readonly title: string; readonly says?: ReactNode; readonly actions?: ReactNode }

/** The head of a screen: its title, which is the document's too, and its actions, the first of them the usual one. */
export function PageHead({ title, says, actions }: PageHeadProps) {
  useTitle(title)
  return (
    <div className={styles.pageHead}>
      <h1>{title}</h1>
      {says && <div className={styles.quiet}>{says}</div>}
      {actions && <div className={styles.actions}>{actions}</div>}
    </div>
  )
}
