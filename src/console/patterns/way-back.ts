import { useLocation, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** It was opened by the search, so it is of no list that was shown before. */
    readonly isFound?: true
  }
}

type Location = {
  readonly href: string
  readonly state: { readonly __TSR_index?: number; readonly isFound?: true }
}

/** The addresses of this tab by their place in its history, as far as they were shown since the console was loaded. */
const shown: { readonly href: string; readonly isFound: boolean }[] = []

const base = '/admin'
const pathOf = (address: string): string => (address.split('?')[0] ?? '').slice(base.length)

export function noteShown({ href, state }: Location): void {
  shown[state.__TSR_index ?? 0] = { href, isFound: state.isFound === true }
}

/** Keeps in mind which addresses are shown, for the ways back. */
export function useWaysKept(): void {
  const { history } = useRouter()
  useEffect(() => {
    noteShown(history.location)
    return history.subscribe(() => noteShown(history.location))
  }, [history])
}

export type WayBack = {
  /** What the list was asked for, with its question mark. */
  readonly search: string
  /** How far it is in the history; null: screens of elsewhere lie between. */
  readonly steps: number | null
  /** What is shown now was opened from the list itself, and not by the search over it. */
  readonly isOpenedThere: boolean
}

/**
 * How a list was left last, before the entry `at` of the history; null: it was not shown. Screens within the list or
 * within `own`, the address of the record that is shown, do not lie between.
 */
export function wayBack(list: string, at: number, own = list): WayBack | null {
  let isDirect = true
  let isFound = shown[at]?.isFound === true
  for (let before = at - 1; before >= 0; before--) {
    const entry = shown[before]
    const path = entry === undefined ? '' : pathOf(entry.href)
    if (entry !== undefined && path === list)
      return {
        search: entry.href.slice(base.length + list.length),
        steps: isDirect ? before - at : null,
        isOpenedThere: isDirect && !isFound,
      }
    if (!path.startsWith(list) && !path.startsWith(own)) isDirect = false
    isFound ||= entry?.isFound === true
  }
  return null
}

/** The path of the screen from which one came to those within `own`; null: it is not known. */
export function openedFrom(own: string, at: number): string | null {
  for (let before = at - 1; before >= 0; before--) {
    const entry = shown[before]
    if (entry === undefined) return null
    const path = pathOf(entry.href)
    if (!path.startsWith(own)) return path
  }
  return null
}

const indexOf = ({ state }: { readonly state: { readonly __TSR_index?: number } }) => state.__TSR_index ?? 0

/** The place in the history of what is shown. */
export const useHistoryIndex = (): number => useLocation({ select: indexOf })

export const useOpenedFrom = (own: string): string | null => openedFrom(own, useHistoryIndex())
