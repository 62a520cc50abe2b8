import type { ReactNode } from 'react'
import styles from './patterns.module.css'

/** On a telephone two facts stand side by side; one that is `wide`, as words of any length are, has its line alone. */
type Fact = readonly [name: string, value: ReactNode, width?: 'wide']

/** What is known of something: names and values. Values that are not there are left out. */
export const Facts = ({ facts }: { readonly facts: readonly Fact[] }) => (
  <dl className={styles.facts}>
    {facts.map(([name, value, width]) =>
      value === null || value === undefined || value === '' ? null : (
        <div key={name} data-wide={width && ''}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ),
    )}
  </dl>
)
