import { useLocation, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { readKept, writeKept } from '../format/kept.ts'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** It was opened by the search, so it is of no list that was shown before. */
    readonly isFound?: true
  }
}

type Location = {
  readonly href: string
  readonly state: { readonly __TSR_index?: number; readonly __TSR_key?: string; readonly isFound?: true }
}

/** `key` is that of the entry of the history. */
type Shown = { readonly href: string; readonly isFound: boolean; readonly key: string | null }

/** The addresses of this tab by their place in its history, as far as they were shown. */
const shown: Shown[] = []
let isRecalled = false

const base = '/admin'
const pathOf = (address: string): string => (address.split('?')[0] ?? '').slice(base.length)

const nameKept = 'shown'
/** As many as browsers keep of the history of a tab. */
const keptMost = 50

/** Notes what is shown, also for the console as it is after a reload of the page. */
export function noteShown({ href, state }: Location): void {
  const at = state.__TSR_index ?? 0
  const key = state.__TSR_key ?? null
  if (!isRecalled) recall(at, key)
  isRecalled = true
  shown[at] = { href, isFound: state.isFound === true, key }
  writeKept(nameKept, JSON.stringify(Object.entries(shown).slice(-keptMost)), 'tab')
}

/**
 * Takes up what was shown before the page was loaded anew. Where the entry that is shown now is not known by its key,
 * the tab has begun another history in between, whose places are others.
 */
function recall(at: number, key: string | null): void {
  const kept = keptShown()
  if (key !== null && kept.some(([place, entry]) => place === at && entry.key === key))
    for (const [place, entry] of kept) shown[place] = entry
}

function keptShown(): readonly (readonly [place: number, entry: Shown])[] {
  try {
    const kept = JSON.parse(readKept(nameKept, 'tab') ?? '[]') as readonly (readonly [string, Shown])[]
    return kept.map(([place, { href, isFound, key }]) => [Number(place), { href: String(href), isFound, key }])
  } catch {
    return []
  }
}

/** Keeps in mind which addresses are shown, for the ways back. */
export function useWaysKept(): void {
  const { history } = useRouter()
  // What is within asks for its way back when it is drawn.
  useState(() => noteShown(history.location))
  useEffect(() => history.subscribe(() => noteShown(history.location)), [history])
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
