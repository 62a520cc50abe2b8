import { useState } from 'react'
import { readKept, writeKept } from '../../format/kept.ts'
import type { Filters } from './address.ts'

/** A way to look at a list, under the name that its user gave it: filters and sort, and which columns are shown. */
export type SavedView = {
  readonly name: string
  readonly query: Readonly<Record<string, string>>
  readonly columns: Readonly<Record<string, boolean>>
}

/** The saved views of a list by their names, remembered as its columns are. */
export function useSavedViews(list: string) {
  const key = `views.${list}`
  const [views, setViews] = useState(() => readViews(readKept(key)))
  const keep = (changed: readonly SavedView[]) => {
    const after = changed.toSorted((one, other) => one.name.localeCompare(other.name))
    setViews(after)
    writeKept(key, JSON.stringify(after))
  }
  return {
    views,
    /** One of the same name gives way. */
    save: (view: SavedView) => keep([...without(views, view.name), view]),
    rename: (before: string, name: string) =>
      keep(without(views, before === name ? '' : name).map((one) => (one.name === before ? { ...one, name } : one))),
    remove: (name: string) => keep(without(views, name)),
  }
}

const without = (views: readonly SavedView[], name: string) => views.filter((one) => one.name !== name)

/** Of the parameters that the list has in the address, those that are set. */
export const queryOf = (names: readonly string[], address: Filters): SavedView['query'] =>
  Object.fromEntries(names.flatMap((name) => (address[name] ? [[name, address[name]]] : [])))

/** The change of the address that leads to a view: what it does not have is taken away. */
export const changeTo = (names: readonly string[], query: SavedView['query']): Filters =>
  Object.fromEntries(names.map((name) => [name, query[name]]))

/** What somebody else has written there is no view. */
function readViews(kept: string | null): readonly SavedView[] {
  try {
    const read: unknown = JSON.parse(kept ?? '[]')
    return Array.isArray(read) ? read.filter(isView) : []
  } catch {
    return []
  }
}

const isView = (read: unknown): read is SavedView => {
  const { name, query, columns } = (read ?? {}) as Partial<Record<keyof SavedView, unknown>>
  return typeof name === 'string' && hasOnly('string', query) && hasOnly('boolean', columns)
}

const hasOnly = (type: 'string' | 'boolean', read: unknown): boolean =>
  typeof read === 'object' && read !== null && Object.values(read).every((value) => typeof value === type)
