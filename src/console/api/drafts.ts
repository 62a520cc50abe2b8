import { useEffect, useRef, useState } from 'react'
import { forgetKept, readKept, writeKept } from '../format/kept.ts'
import { useLatest } from '../patterns/latest.ts'
import { beforeSignIn } from './client.ts'
import { useMe } from './me.tsx'

type Typed = Readonly<Record<string, unknown>>

/** Passwords and codes are not written down, not even for the time of a sign-in. */
const secret = /password|secret|code|token|key|pin/i

/** Who signs in later has begun something else meanwhile. */
const keptMs = 15 * 60_000

/**
 * The state of a form, by its fields. When the session ends, what was changed is kept in the tab until the same user
 * has signed in and is on the same screen again. Not where the address does not say whose form it is: `isKept`.
 */
export function useDraft<V extends Typed>(initial: V, isKept = true) {
  const { id } = useMe().user
  const [name] = useState(() => `draft ${id} ${location.pathname} ${Object.keys(initial).join()}`)
  const [values, setValues] = useState<V>(() => (isKept ? { ...initial, ...readDraft(name) } : initial))
  const first = useRef<Typed>(initial)
  const latest = useLatest(values)
  useEffect(() => {
    if (!isKept) return undefined
    forgetKept(name, 'tab')
    return beforeSignIn(() => writeDraft(name, changesOf(first.current, latest.current)))
  }, [name, isKept])
  return [values, setValues] as const
}

const changesOf = (before: Typed, now: Typed): Typed =>
  Object.fromEntries(
    Object.entries(now).filter(
      ([field, value]) => !secret.test(field) && JSON.stringify(value) !== JSON.stringify(before[field]),
    ),
  )

function readDraft(name: string): Typed {
  const written = readKept(name, 'tab')
  if (!written) return {}
  const { at, values } = JSON.parse(written) as { readonly at: number; readonly values: Typed }
  return Date.now() - at < keptMs ? values : {}
}

function writeDraft(name: string, values: Typed): void {
  if (Object.keys(values).length === 0) return
  writeKept(name, JSON.stringify({ at: Date.now(), values }), 'tab')
}
