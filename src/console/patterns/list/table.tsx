import { Checkbox, Skeleton, VisuallyHidden } from '@mantine/core'
import { columnVisibilityFeature, tableFeatures, useTable } from '@tanstack/react-table'
import { Link, useNavigate } from '@tanstack/react-router'
import { type MouseEvent, type ReactNode, useMemo } from 'react'
import { useTexts } from '../../texts/texts.ts'
import { Icon } from '../icon.tsx'
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
  const { rows, columns, visibility, rowKey, marks, isLoading, isStale } = view
  const { items, before, after } = useVirtualRows(view, rowHeight)
  const data = useMemo(() => rows.map((row) => ({ row })), [rows])
  const table = useTable({
    features,
    columns: useMemo(() => columns.map(({ id, title }) => ({ id, header: title })), [columns]),
    data,
    state: { columnVisibility: { ...visibility } },
    getRowId: ({ row }: { readonly row: Row }) => String(rowKey(row)),
  })
  const byId = new Map(columns.map((column) => [column.id, column]))
  const shown = table.getVisibleLeafColumns().map(({ id }) => byId.get(id)!)
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
          return model && <TableRow key={model.id} view={view} row={model.original.row} index={index} shown={shown} />
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
        {shown.map(({ id, title, sort: by, align, width, isDeed }) => {
          const direction =
            by === undefined ? undefined : sort === by ? 'ascending' : sort === `-${by}` ? 'descending' : 'none'
          return (
            <th key={id} scope="col" aria-sort={direction} data-align={align} style={width ? { width } : undefined}>
              {isDeed ? (
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

type RowProps<Row> = HeadProps<Row> & { readonly row: Row; readonly index: number }

function TableRow<Row>({ view, row, index, shown }: RowProps<Row>) {
  const { rowKey, rowName, rowTo, marks, onMark, allMarked } = view
  const t = useTexts(listTexts)
  const navigate = useNavigate()
  const to = rowTo(row)
  const open = (event: MouseEvent) => {
    const isOnSomething = event.target instanceof Element && event.target.closest('a, button, input, label') !== null
    if (to === null || isOnSomething || getSelection()?.toString()) return
    void navigate(linkOf(to))
  }
  const isMarked = allMarked === true || (marks?.has(String(rowKey(row))) ?? false)
  return (
    <tr
      data-index={index}
      data-marked={isMarked ? '' : undefined}
      data-open={to === null ? undefined : ''}
      onClick={open}
    >
      {marks && (
        <td className={styles.markCell}>
          <Checkbox size="xs" aria-label={t.mark(rowName(row))} checked={isMarked} onChange={() => onMark(row)} />
        </td>
      )}
      {shown.map(({ id, cell, align }, at) => {
        const said = cell(row)
        return (
          // What is cut off by its column can be read all the same.
          <td key={id} data-align={align} title={typeof said === 'string' && said !== '' ? said : undefined}>
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
