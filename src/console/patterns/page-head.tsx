import type { ReactNode } from 'react'
import { type Back, BackLink } from './back-link.tsx'
import styles from './patterns.module.css'
import { useTitle } from './title.ts'

type PageHeadProps = {
  readonly title: string
  /** Of what stands in a list: the way there. */
  readonly back?: Back
  readonly says?: ReactNode
  readonly actions?: ReactNode
}

/** The head of a screen: its title, which is the document's too, and its actions, the first of them the usual one. */
export function PageHead({ title, back, says, actions }: PageHeadProps) {
  useTitle(title)
  return (
    <div className={styles.pageHead}>
      <div className={styles.titled}>
        {back && <BackLink {...back} />}
        <h1>{title}</h1>
      </div>
      {says && <div className={styles.quiet}>{says}</div>}
      {actions && <div className={styles.actions}>{actions}</div>}
    </div>
  )
}
