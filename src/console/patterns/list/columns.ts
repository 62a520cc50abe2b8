import { type ReactNode, useCallback, useState } from 'react'
import { readKept, writeKept } from '../../format/kept.ts'

export type Column<Row> = {
  readonly id: string
  readonly title: string
  readonly cell: (row: Row) => ReactNode
  /** The same as text, for the export. Money is the decimal text of the endpoint. Left out: not exported. */
  readonly text?: (row: Row) => string | number | null | undefined
  /** The name of the column in the parameter `sort` of the endpoint. Left out: the endpoint does not sort by it. */
  readonly sort?: string
  /** In CSS: `12rem`, `minmax(8rem, 2fr)`. */
  readonly width?: string
  readonly align?: 'right'
  /** Gives room to the others: cut off with dots where all do not fit, and read as a whole under the pointer. */
  readonly isElastic?: true
  /** Shown when the user has chosen it. */
  readonly isExtra?: boolean
  /** Said on a card, under its first line; `titled`: behind its title, as a number is; `alone`: in its own line. */
  readonly isOnCard?: boolean | 'titled' | 'alone'
  /** What can be done with a row: always shown, beside the words of a card too, and its title is only read out. */
  readonly isAction?: boolean
}

/** Which columns a list shows, as its user has chosen; remembered under the name of the list. */
export function useShownColumns<Row>(name: string, columns: readonly Column<Row>[]) {
  const key = `columns.${name}`
  const [chosen, setChosen] = useState<Shown>(() => readChoice(key))
  const choose = useCallback(
    (change: Shown) =>
      setChosen((before) => {
        const after = { ...before, ...change }
        writeKept(key, JSON.stringify(after))
        return after
      }),
    [key],
  )
  return { visibility: visibilityOf(columns, chosen), choose }
}

/** By the names of columns, whether they are shown. */
type Shown = Readonly<Record<string, boolean>>

/** Whether each column is shown, by what was chosen; a column of which nobody has said anything, by its nature. */
export const visibilityOf = <Row>(columns: readonly Column<Row>[], chosen: Shown): Shown =>
  Object.fromEntries(columns.map(({ id, isExtra }) => [id, chosen[id] ?? isExtra !== true]))

function readChoice(key: string): Record<string, boolean> {
  try {
    const read: unknown = JSON.parse(readKept(key) ?? '{}')
    return typeof read === 'object' && read !== null ? (read as Record<string, boolean>) : {}
  } catch {
    return {}
  }
}
