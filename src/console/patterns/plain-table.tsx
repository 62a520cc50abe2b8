import { Skeleton, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import styles from './patterns.module.css'

type PlainTableProps<Row> = {
  /** What it is a table of. */
  readonly label: string
  /** Undefined: they are not known yet, so that nobody reads that there are none. */
  readonly rows: readonly Row[] | undefined
  readonly rowKey: (row: Row) => string | number
  readonly columns: readonly {
    readonly title: string
    readonly cell: (row: Row) => ReactNode
    readonly align?: 'right'
    /** What can be done with a row: the title is only read out. */
    readonly isAction?: boolean
    /** On a telephone it has its line alone, as words of any length need. */
    readonly isWide?: boolean
  }[]
  /** Said where there are no rows. */
  readonly none: string
}

/**
 * A short table that is there as a whole; a telephone shows each value under its title. Lists of any length are a
 * `DataList`.
 */
export function PlainTable<Row>({ label, rows, rowKey, columns, none }: PlainTableProps<Row>) {
  if (!rows) return <Skeleton height={30} aria-busy="true" />
  if (rows.length === 0) return <p className={styles.quiet}>{none}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reached by keys
    <section className={styles.plainScroll} tabIndex={0} aria-label={label}>
      <table className={`${styles.plainTable} narrow-cards`}>
        <thead>
          <tr>
            {columns.map(({ title, align, isAction }) => (
              <th key={title} scope="col" data-align={align} data-action={isAction}>
                {isAction ? <VisuallyHidden>{title}</VisuallyHidden> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ title, cell, align, isAction, isWide }) => (
                <td key={title} data-title={title} data-align={align} data-action={isAction} data-wide={isWide}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
