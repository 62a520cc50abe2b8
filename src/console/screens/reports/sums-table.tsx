import type { ReactNode } from 'react'
import styles from './reports.module.css'

type SumsTableProps<Row> = {
  readonly label: string
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string | number
  /** The name of a row, and then what stands in each of the further columns. */
  readonly cells: (row: Row) => readonly ReactNode[]
  readonly totals?: readonly ReactNode[]
}

/** More than these are compared along a row, also on a telephone, where they are scrolled. */
const fewColumns = 9

/** A report: names on the left, figures on the right, and their sums below. */
export function SumsTable<Row>({ label, columns, rows, rowKey, cells, totals }: SumsTableProps<Row>) {
  const cellsOf = ([name, ...values]: readonly ReactNode[]) => (
    <>
      <th scope="row">{name}</th>
      {values.map((value, at) => (
        <td key={columns[at + 1]} data-title={columns[at + 1]}>
          {value}
        </td>
      ))}
    </>
  )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reached by keys
    <section className={styles.scroll} tabIndex={0} aria-label={label}>
      <table className={`${styles.table} ${columns.length <= fewColumns ? 'narrow-cards' : ''}`}>
        <thead>
          <tr>
            {columns.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>{cellsOf(cells(row))}</tr>
          ))}
        </tbody>
        {totals && (
          <tfoot>
            <tr>{cellsOf(totals)}</tr>
          </tfoot>
        )}
      </table>
    </section>
  )
}
