import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'

/** The addresses of this tab by their place in its history, as far as they were shown since the console was loaded. */
const shown: string[] = []

const base = '/admin'
const pathOf = (address: string): string => (address.split('?')[0] ?? '').slice(base.length)

type Location = { readonly href: string; readonly state: { readonly __TSR_index?: number } }

function note({ href, state }: Location): void {
  shown[state.__TSR_index ?? 0] = href
}

/** Keeps in mind which addresses are shown, for the ways back. */
export function useWaysKept(): void {
  const { history } = useRouter()
  useEffect(() => {
    note(history.location)
    return history.subscribe(() => note(history.location))
  }, [history])
}

export type WayBack = {
  /** What the list was asked for, with its question mark. */
  readonly search: string
  /** How far it is in the history; null: screens of elsewhere lie between. */
  readonly steps: number | null
}

/** How a list was left last, before the entry `at` of the history; null: it was not shown. */
export function wayBack(list: string, at: number): WayBack | null {
  let isDirect = true
  for (let before = at - 1; before >= 0; before--) {
    const address = shown[before]
    const path = address === undefined ? '' : pathOf(address)
    if (address !== undefined && path === list)
      return { search: address.slice(base.length + list.length), steps: isDirect ? before - at : null }
    if (!path.startsWith(list)) isDirect = false
  }
  return null
}
