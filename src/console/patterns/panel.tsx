import type { ReactNode } from 'react'
import styles from './patterns.module.css'

type PanelProps = { readonly title: string; readonly actions?: ReactNode; readonly children: ReactNode }

/** A part of a screen under a title of its own. */
export const Panel = ({ title, actions, children }: PanelProps) => (
  <section className={styles.panel}>
    <header>
      <h2>{title}</h2>
      {actions}
    </header>
    {children}
  </section>
)
