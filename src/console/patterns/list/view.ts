import type { RefObject } from 'react'
import type { Column } from './columns.ts'

/** What a table and cards alike show of a list. */
export type View<Row> = {
  readonly rows: readonly Row[]
  /** When the server answered them, in milliseconds since 1970. */
  readonly answeredAt: number
  readonly columns: readonly Column<Row>[]
  readonly visibility: Readonly<Record<string, boolean>>
  readonly rowKey: (row: Row) => string | number
  readonly rowName: (row: Row) => string
  readonly rowTo: (row: Row) => string | null
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly sort: string | null
  readonly onSort: (sort: string) => void
  /** Null: rows cannot be marked. */
  readonly marks: ReadonlyMap<string, Row> | null
  readonly onMark: (row: Row) => void
  /** Everything that the filters find is marked; null: only single rows can be. */
  readonly allMarked: boolean | null
  readonly onMarkAll: () => void
  /** The end of the rows has come near. */
  readonly onNear: () => void
  /** There are more rows, and nothing is being asked for. */
  readonly canGoOn: boolean
  readonly isLoading: boolean
  /** The rows are of the filters before. */
  readonly isStale: boolean
}
