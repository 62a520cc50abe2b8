import type { ReactNode } from 'react'
import styles from './patterns.module.css'

/** How a state is meant: well, to be looked at, wrong, or nothing of it. */
export type Tone = 'good' | 'warning' | 'bad' | 'quiet' | 'info'

/** A state in a word or two. The words say it; the colour only says it sooner. */
export const Pill = ({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) => (
  <span className={styles.pill} data-tone={tone}>
    {children}
  </span>
)

/** Whether something is there now: a point of colour, and words for who does not see it. */
export const Dot = ({ tone, says }: { readonly tone: Tone; readonly says: string }) => (
  <span className={styles.dot} data-tone={tone} role="img" aria-label={says} title={says} />
)
