import { Checkbox, Skeleton, VisuallyHidden } from '@mantine/core'
import { columnVisibilityFeature, tableFeatures, useTable } from '@tanstack/react-table'
import { Link, useNavigate } from '@tanstack/react-router'
import { memo, type MouseEvent, type ReactNode, useCallback, useMemo } from 'react'
import { useTexts } from '../../texts/texts.ts'
import { Icon } from '../icon.tsx'
import { useLatest } from '../latest.ts'
import { linkOf } from './address.ts'
import type { Column } from './columns.ts'
import styles from './list.module.css'
import { listTexts } from './texts.ts'
import type { View } from './view.ts'
import { useVirtualRows } from './virtual-rows.ts'

const features = tableFeatures({ columnVisibilityFeature })
const rowHeight = 38
const skeletons = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']

export function TableOfRows<Row>(view: View<Row>) {
  const { rows, answeredAt, columns, visibility, rowKey, rowName, rowTo, marks, allMarked, isLoading, isStale } = view
  const { items, before, after } = useVirtualRows(view, rowHeight)
  const data = useMemo(() => rows.map((row) => ({ row })), [rows])
  const table = useTable({
    features,
    columns: useMemo(() => columns.map(({ id, title }) => ({ id, header: title })), [columns]),
    data,
    state: { columnVisibility: { ...visibility } },
    getRowId: ({ row }: { readonly row: Row }) => String(rowKey(row)),
  })
  const ids = table
    .getVisibleLeafColumns()
    .map(({ id }) => id)
    .join(' ')
  const shown = useMemo(() => {
    const byId = new Map(columns.map((column) => [column.id, column]))
    return ids.split(' ').map((id) => byId.get(id)!)
  }, [columns, ids])
  const latest = useLatest(view)
  const onMark = useCallback((row: Row) => latest.current.onMark(row), [])
  const models = table.getRowModel().rows
  const span = shown.length + (marks ? 1 : 0)
  return (
    <table className={styles.table} data-stale={isStale ? '' : undefined}>
      <TableHead view={view} shown={shown} />
      <tbody>
        {isLoading && skeletons.map((name) => <SkeletonRow key={name} span={span} />)}
        <Space height={before} span={span} />
        {items.map(({ index }) => {
          const model = models[index]
          if (!model) return null
          const { row } = model.original
          return (
            <TableRow
              key={model.id}
              row={row}
              answeredAt={answeredAt}
              index={index}
              shown={shown}
              name={rowName(row)}
              to={rowTo(row)}
              isMarked={marks && (allMarked === true || marks.has(model.id))}
              onMark={onMark}
            />
          )
        })}
        <Space height={after} span={span} />
      </tbody>
    </table>
  )
}

type HeadProps<Row> = { readonly view: View<Row>; readonly shown: readonly Column<Row>[] }

function TableHead<Row>({ view, shown }: HeadProps<Row>) {
  const { sort, onSort, marks, allMarked, onMarkAll } = view
  const t = useTexts(listTexts)
  return (
    <thead>
      <tr>
        {marks && (
          <td className={styles.markCell}>
            {allMarked !== null && (
              <Checkbox
                size="xs"
                aria-label={t.markAll}
                title={t.markAll}
                checked={allMarked}
                indeterminate={!allMarked && marks.size > 0}
                onChange={onMarkAll}
              />
            )}
          </td>
        )}
        {shown.map(({ id, title, sort: by, align, width, isAction }) => {
          const direction =
            by === undefined ? undefined : sort === by ? 'ascending' : sort === `-${by}` ? 'descending' : 'none'
          return (
            <th key={id} scope="col" aria-sort={direction} data-align={align} style={width ? { width } : undefined}>
              {isAction ? (
                <VisuallyHidden>{title}</VisuallyHidden>
              ) : by === undefined ? (
                title
              ) : (
                <button type="button" onClick={() => onSort(sort === by ? `-${by}` : by)}>
                  {title}
                  {direction !== 'none' && <Icon name={direction === 'ascending' ? 'up' : 'down'} size={12} />}
                </button>
              )}
            </th>
          )
        })}
      </tr>
    </thead>
  )
}

type RowProps<Row> = {
  readonly row: Row
  /** With each answer a row is drawn anew: it may say how long ago something was. */
  readonly answeredAt: number
  readonly index: number
  readonly shown: readonly Column<Row>[]
  readonly name: string
  readonly to: string | null
  /** Null: rows cannot be marked. */
  readonly isMarked: boolean | null
  readonly onMark: (row: Row) => void
}

/** Drawn anew when something in it has changed, not for each other row that is marked and each letter that is typed. */
const TableRow = memo(TableRowOf) as typeof TableRowOf

function TableRowOf<Row>({ row, index, shown, name, to, isMarked, onMark }: RowProps<Row>) {
  const t = useTexts(listTexts)
  const navigate = useNavigate()
  const open = (event: MouseEvent) => {
    const isOnSomething = event.target instanceof Element && event.target.closest('a, button, input, label') !== null
    if (to === null || isOnSomething || getSelection()?.toString()) return
    void navigate(linkOf(to))
  }
  return (
    <tr
      data-index={index}
      data-marked={isMarked ? '' : undefined}
      data-open={to === null ? undefined : ''}
      onClick={open}
    >
      {isMarked !== null && (
        <td className={styles.markCell}>
          <Checkbox size="xs" aria-label={t.mark(name)} checked={isMarked} onChange={() => onMark(row)} />
        </td>
      )}
      {shown.map(({ id, cell, text, align, isElastic }, at) => {
        const said = cell(row)
        const words = isElastic && typeof said !== 'string' ? text?.(row) : said
        return (
          // What is cut off by its column can be read all the same.
          <td
            key={id}
            data-align={align}
            data-elastic={isElastic && ''}
            title={typeof words === 'string' && words !== '' ? words : undefined}
          >
            {at === 0 ? <RowLink to={to}>{said}</RowLink> : said}
          </td>
        )
      })}
    </tr>
  )
}

/** The first cell leads where the row leads, so that it can be opened by keys and in another tab. */
export const RowLink = ({ to, children }: { readonly to: string | null; readonly children: ReactNode }) =>
  to === null ? (
    <span data-row-link tabIndex={-1}>
      {children}
    </span>
  ) : (
    <Link {...linkOf(to)} data-row-link className={styles.rowLink ?? ''}>
      {children}
    </Link>
  )

const Space = ({ height, span }: { readonly height: number; readonly span: number }) =>
  height > 0 && (
    <tr className={styles.space}>
      <td colSpan={span} style={{ height }} />
    </tr>
  )

const SkeletonRow = ({ span }: { readonly span: number }) => (
  <tr>
    <td colSpan={span}>
      <Skeleton height={14} />
    </td>
  </tr>
)
