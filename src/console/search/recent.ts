import { readKept, writeKept } from '../format/kept.ts'

/** What somebody opened from the search box. */
export type Recent = { readonly kind: string; readonly title: string; readonly subtitle: string; readonly path: string }

const recentMax = 8

/** Each user of a computer has their own. */
const nameOf = (userId: number): string => `recent.${userId}`

export function readRecent(userId: number): readonly Recent[] {
  try {
    const kept: unknown = JSON.parse(readKept(nameOf(userId)) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isRecent).slice(0, recentMax) : []
  } catch {
    return []
  }
}

/** An address of the console and of nothing else, whatever has been written there. */
const isRecent = (one: unknown): one is Recent =>
  typeof one === 'object' &&
  one !== null &&
  ['kind', 'title', 'subtitle', 'path'].every((name) => typeof one[name as keyof typeof one] === 'string') &&
  (one as Recent).path.startsWith('/admin/')

/** The newest first, each once. */
export function keepRecent(userId: number, { kind, title, subtitle, path }: Recent): void {
  const others = readRecent(userId).filter((one) => one.path !== path)
  writeKept(nameOf(userId), JSON.stringify([{ kind, title, subtitle, path }, ...others].slice(0, recentMax)))
}
