import { useState } from 'react'
import { isSnapshot } from './socket.ts'
import { useLive } from './use-live.ts'

/** How many sessions are live; null while it is not known. */
export function useOnlineCount(): number | null {
  const [count, setCount] = useState<number | null>(null)
  useLive(['sessions'], (frame) => {
    if (isSnapshot(frame, 'sessions')) setCount(Number(frame.total))
    if (frame.type === 'session.started') setCount((before) => (before === null ? null : before + 1))
    if (frame.type === 'session.stopped') setCount((before) => (before === null ? null : Math.max(0, before - 1)))
  })
  return count
}

/** What becomes of requests. */
export const counted = ['accept', 'reject', 'accounting', 'dropped'] as const
export type Counted = Readonly<Record<(typeof counted)[number], number>>

/** Requests of the last second, of all NAS and of each that asked. */
export type Rates = Counted & {
  readonly rejections_hidden?: number
  readonly nas: readonly (Counted & { readonly name: string | null })[]
}

/** Null while they are not known. */
export function useRates(): Rates | null {
  const [rates, setRates] = useState<Rates | null>(null)
  useLive(['radius'], (frame) => {
    if (frame.type === 'radius.rates') setRates(frame as unknown as Rates)
    if (isSnapshot(frame, 'radius')) setRates(frame.rates as Rates)
  })
  return rates
}

/** How the program itself is. */
export type SystemState = {
  readonly ready: boolean
  readonly database_up: boolean
  readonly read_only: boolean
  readonly spool_bytes: number
  readonly unanswered_nas: readonly { readonly nas: string; readonly disconnects: number }[]
}

/** Null while it is not known. */
export function useSystemState(): SystemState | null {
  const [system, setSystem] = useState<SystemState | null>(null)
  useLive(['system'], (frame) => {
    if (frame.type === 'system' || isSnapshot(frame, 'system')) setSystem(frame as unknown as SystemState)
  })
  return system
}
