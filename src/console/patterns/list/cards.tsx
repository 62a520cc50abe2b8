import { Checkbox, Skeleton } from '@mantine/core'
import { useTexts } from '../../texts/texts.ts'
import type { Column } from './columns.ts'
import styles from './list.module.css'
import { RowLink } from './table.tsx'
import { listTexts } from './texts.ts'
import type { View } from './view.ts'
import { useVirtualRows } from './virtual-rows.ts'

const cardHeight = 92
const skeletons = ['a', 'b', 'c', 'd', 'e']

/** A list on a telephone: each row is a card that opens by a touch anywhere. */
export function Cards<Row>(view: View<Row>) {
  const { rows, columns, rowKey, rowName, rowTo, marks, onMark, allMarked, onMarkAll, isLoading, isStale } = view
  const { items, before, after, measure } = useVirtualRows(view, cardHeight)
  const t = useTexts(listTexts)
  const [first, ...others] = columns
  const shown = others.filter(({ isOnCard }) => isOnCard)
  const actions = others.filter(({ isAction }) => isAction)
  return (
    <ul className={styles.cards} data-stale={isStale ? '' : undefined}>
      {isLoading &&
        skeletons.map((name) => (
          <li key={name} className={styles.card} aria-hidden="true">
            <Skeleton height={50} />
          </li>
        ))}
      {allMarked !== null && rows.length > 0 && (
        <li className={styles.card}>
          <Checkbox
            label={t.markAll}
            checked={allMarked}
            indeterminate={!allMarked && marks !== null && marks.size > 0}
            onChange={onMarkAll}
          />
        </li>
      )}
      {before > 0 && <li aria-hidden="true" style={{ height: before }} />}
      {items.map(({ index }) => {
        const row = rows[index]
        if (row === undefined || first === undefined) return null
        const key = String(rowKey(row))
        return (
          <li key={key} className={styles.card} data-index={index} ref={measure}>
            {marks && (
              <Checkbox
                aria-label={t.mark(rowName(row))}
                checked={allMarked === true || marks.has(key)}
                onChange={() => onMark(row)}
              />
            )}
            <RowLink to={rowTo(row)}>
              <span className={styles.cardTitle}>{first.cell(row)}</span>
              <span className={styles.cardFacts}>
                {shown.map((column) => (
                  <Fact key={column.id} column={column} row={row} />
                ))}
              </span>
            </RowLink>
            {actions.map(({ id, cell }) => (
              <div key={id} className={styles.cardAction}>
                {cell(row)}
              </div>
            ))}
          </li>
        )
      })}
      {after > 0 && <li aria-hidden="true" style={{ height: after }} />}
    </ul>
  )
}

/** What is not there has no title either. */
function Fact<Row>({ column: { title, isOnCard, cell }, row }: { readonly column: Column<Row>; readonly row: Row }) {
  const said = cell(row)
  const isTitled = isOnCard === 'titled' && said !== null && said !== undefined && said !== false && said !== ''
  return (
    <span data-alone={isOnCard === 'alone' ? '' : undefined}>
      {isTitled && `${title}: `}
      {said}
    </span>
  )
}
