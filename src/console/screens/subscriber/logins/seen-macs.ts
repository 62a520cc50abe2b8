import { useEndpoint } from '../../../api/use-endpoint.ts'
import { isMac } from '../../../format/mac.ts'

/** Where a MAC was seen. */
export type SeenMac = {
  readonly mac: string
  readonly where: 'live' | 'ended' | 'refused' | 'stranger'
  readonly at: string
  readonly nas: string | null
}

const lookedThrough = 50
const shownMax = 6

const itemsOf = <Item>({ data }: { readonly data: { readonly items: readonly Item[] } | undefined }): readonly Item[] =>
  data?.items ?? []

/**
 * The addresses that devices of the subscriber came from, the live sessions first, then what was refused, and at last
 * the newest devices that nobody knows: a new router is one of them. Each address once. None before all of them are
 * known: a press takes one, and would take another where the list has grown under it.
 */
export function useSeenMacs(abonent: number, known: string | null): readonly SeenMac[] {
  const sessions = (state: 'live' | 'ended') => ({ query: { state, abonent, limit: lookedThrough } })
  const live = useEndpoint('GET /admin/radius/sessions/', sessions('live'))
  const ended = useEndpoint('GET /admin/radius/sessions/', sessions('ended'))
  const answered = useEndpoint('GET /admin/radius/log/', { query: { abonent, limit: lookedThrough } })
  const strangers = useEndpoint('GET /admin/radius/log/', { query: { reason: 'unknown_login', limit: lookedThrough } })
  if ([live, ended, answered, strangers].some(({ isPending }) => isPending)) return []
  const all: (Omit<SeenMac, 'mac'> & { readonly mac: string | null })[] = [
    ...itemsOf(live).map(({ mac, started_at: at, nas_name: nas }) => ({ mac, where: 'live' as const, at, nas })),
    ...itemsOf(answered)
      .filter(({ result }) => result === 'reject')
      .map(({ mac, at, nas_name: nas }) => ({ mac, where: 'refused' as const, at, nas })),
    ...itemsOf(ended).map(({ mac, ended_at, started_at, nas_name: nas }) => ({
      mac,
      where: 'ended' as const,
      at: ended_at ?? started_at,
      nas,
    })),
    ...itemsOf(strangers).map(({ mac, at, nas_name: nas }) => ({ mac, where: 'stranger' as const, at, nas })),
  ]
  const seen = new Map<string, SeenMac>()
  for (const one of all) {
    const { mac } = one
    if (mac !== null && mac !== known && isMac(mac) && !seen.has(mac)) seen.set(mac, { ...one, mac })
  }
  return [...seen.values()].slice(0, shownMax)
}
