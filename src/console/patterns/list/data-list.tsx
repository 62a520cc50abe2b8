import { type ReactNode, useCallback, useRef, useState } from 'react'
import type { Item } from '../../api/client.ts'
import { narrowScreen } from '../../frame/narrow.ts'
import { useMatches } from '../../frame/use-matches.ts'
import type { Frame } from '../../live/socket.ts'
import { useFollowing } from '../../live/use-following.ts'
import type { EmptyProps } from '../empty.tsx'
import { useAddressFilters } from './address.ts'
import { useAsked } from './asked.ts'
import { Cards } from './cards.tsx'
import type { Chip } from './chips.tsx'
import { type Column, useShownColumns } from './columns.ts'
import styles from './list.module.css'
import { ListEmpty } from './list-empty.tsx'
import { MarkedBar } from './marked-bar.tsx'
import { type Asked, type ListEndpoint, type QueryOf, usePages } from './pages.ts'
import { TableOfRows } from './table.tsx'
import { Toolbar } from './toolbar.tsx'

export type DataListProps<D extends ListEndpoint> = {
  /** Under which the columns and views of its user are remembered; also the name of the exported file. */
  readonly name: string
  /**
   * An endpoint that answers `{items, next_cursor, total?}` and takes `sort`, `cursor` and the filters by their names.
   */
  readonly endpoint: D
  readonly path?: Readonly<Record<string, string | number>>
  /** What is always asked, whatever the address says. */
  readonly fixed?: QueryOf<D>
  /** The parameters of the endpoint that stand in the address. `q` is the field for searching. */
  readonly filters: readonly (keyof QueryOf<D> & string)[]
  readonly columns: readonly Column<Item<D>>[]
  readonly rowKey: (row: Item<D>) => string | number
  /** What a row is called, for who cannot see it. */
  readonly rowName: (row: Item<D>) => string
  /** The address of a row behind `/admin`; null: it cannot be opened. */
  readonly rowTo: (row: Item<D>) => string | null
  /** Quick filters, each a value of the parameter. */
  readonly chips?: { readonly parameter: string; readonly list: readonly Chip[] }
  /** Further filters, which the screen draws. */
  readonly more?: ReactNode
  /** Live events that make rows untrue: asked for again are only rows that are there, and at most every few seconds. */
  readonly follows?: {
    readonly topics: readonly string[]
    readonly concerns: (frame: Frame, rows: readonly Item<D>[]) => boolean
  }
  /** How many rows there are, where the screen knows it better than the first page. */
  readonly total?: number | undefined
  /** Where the list is empty without any filter. */
  readonly empty: EmptyProps
  /** What may be done with rows that are marked. Left out: none can be marked. */
  readonly actions?: (marked: readonly Item<D>[], unmark: () => void) => ReactNode
  /** The same for everything that the filters find, by the query without sort. Left out: only rows can be marked. */
  readonly allActions?: (found: QueryOf<D>, unmark: () => void) => ReactNode
}

const followMs = 5_000

/**
 * A list as every screen has it: sorted and filtered by the server, page after page as it is scrolled, with its filters
 * in the address. A table with the columns that its user has chosen, and cards on a telephone. docs/console.md says how
 * to make one.
 */
export function DataList<D extends ListEndpoint>(props: DataListProps<D>) {
  const { name, endpoint, path, fixed, filters, columns, rowKey, empty, actions, follows } = props
  const [address, change] = useAddressFilters()
  const asked = useAsked(address, filters, path, fixed)
  const { query, rows, ...listed } = usePages(endpoint, asked)
  const counted = props.total === undefined ? listed : { total: props.total, hasMoreThanTotal: false }
  useFollowing(follows?.topics ?? [], [endpoint], followMs, (frame) => follows?.concerns(frame, rows) ?? false)
  const { visibility, choose } = useShownColumns(name, columns)
  const keyed = (row: Item<D>) => [String(rowKey(row)), row] as const
  const { marks, mark, isAll, markAll, unmark } = useMarks(asked, props.allActions !== undefined, () => rows.map(keyed))
  const { scroller, attach } = useScroller()
  const isNarrow = useMatches(narrowScreen)
  const view = {
    rows,
    answeredAt: query.dataUpdatedAt,
    ...props,
    scroller,
    visibility,
    sort: address.sort ?? null,
    onSort: (sort: string) => change({ sort }),
    marks: actions ? marks : null,
    onMark: (row: Item<D>) => mark(...keyed(row)),
    allMarked: isAll,
    onMarkAll: markAll,
    ...goingOn(query),
    isLoading: query.isPending,
    isStale: query.isPlaceholderData,
  }
  if (query.isError && rows.length === 0) throw query.error
  return (
    <section className={styles.list} data-list={endpoint} aria-busy={query.isFetching}>
      <Toolbar
        {...props}
        address={address}
        onChange={change}
        asked={asked}
        {...counted}
        visibility={visibility}
        onColumns={choose}
      />
      <div className={styles.scroller} data-scroller ref={attach}>
        {isNarrow ? <Cards {...view} /> : <TableOfRows {...view} />}
        {!query.isPending && rows.length === 0 && (
          <ListEmpty address={address} filters={filters} onClear={change} empty={empty} />
        )}
      </div>
      {actions && (marks.size > 0 || (isAll && counted.total !== 0)) && (
        <MarkedBar
          count={isAll ? (counted.hasMoreThanTotal ? null : counted.total) : marks.size}
          isAll={isAll}
          onMarkAll={markAll}
          onUnmark={unmark}
        >
          {isAll ? props.allActions?.(foundBy(asked), unmark) : actions([...marks.values()], unmark)}
        </MarkedBar>
      )}
    </section>
  )
}

/** The next page is asked for when nothing else is; one that was refused, when somebody scrolls to its place again. */
const goingOn = (query: ReturnType<typeof usePages>['query']) => ({
  onNear: () => void (query.hasNextPage && !query.isFetching && query.fetchNextPage()),
  canGoOn: query.hasNextPage && !query.isFetching && !query.isFetchNextPageError,
})

/**
 * The rows ask for what they are scrolled in before it is there: when the list is drawn from what is known already, and
 * when it comes back from behind a screen that was being loaded. So they are drawn anew as soon as it is.
 */
function useScroller() {
  const scroller = useRef<HTMLDivElement>(null)
  const [, setAttached] = useState<HTMLDivElement | null>(null)
  const attach = useCallback((element: HTMLDivElement | null) => {
    scroller.current = element
    setAttached(element)
  }, [])
  return { scroller, attach }
}

/**
 * What is marked: rows, or all that is found. With other filters something else is found, which nobody has marked. Who
 * takes a row out of all has the others of those that are there.
 */
function useMarks<Row>(asked: Asked, canAll: boolean, rowsByKey: () => readonly (readonly [key: string, row: Row])[]) {
  const [marks, setMarks] = useState<ReadonlyMap<string, Row>>(new Map())
  const [allOf, setAllOf] = useState<string | null>(null)
  const found = JSON.stringify(foundBy(asked))
  const isAll = allOf === found
  const set = (marks: ReadonlyMap<string, Row>, allOf: string | null) => {
    setMarks(marks)
    setAllOf(allOf)
  }
  return {
    marks,
    isAll: canAll ? isAll : null,
    mark: (key: string, row: Row) => set(toggled(isAll ? new Map(rowsByKey()) : marks, key, row), null),
    markAll: () => set(new Map(), isAll ? null : found),
    unmark: () => set(new Map(), null),
  }
}

const foundBy = <Query,>({ query: { sort: _, ...found } }: Asked): Query => found as Query

function toggled<T>(before: ReadonlyMap<string, T>, key: string, row: T): ReadonlyMap<string, T> {
  const after = new Map(before)
  if (!after.delete(key)) after.set(key, row)
  return after
}
