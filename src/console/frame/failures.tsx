import { Button } from '@mantine/core'
import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { Link, useRouter } from '@tanstack/react-router'
import { Component, type ReactNode, useEffect, useRef } from 'react'
import { Refused } from '../api/client.ts'
import { reloadOnce, ScreenGone } from '../lazy-screen.ts'
import { useLiveState } from '../live/use-live.ts'
import { useTitle } from '../patterns/title.ts'
import { useSayRefusal } from '../texts/refusals.ts'
import { useTexts } from '../texts/texts.ts'
import styles from './frame.module.css'
import { frameTexts } from './texts.ts'

type BoundaryProps = {
  readonly children: ReactNode
  /** The address that is shown: with another one there is something else to be shown. */
  readonly at?: string
  readonly fallback: (error: unknown, again: () => void) => ReactNode
}

/** Catches what a screen throws, so that the rest of the console stays. */
export class FailureBoundary extends Component<BoundaryProps, { readonly error: unknown }> {
  override state = { error: null as unknown }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override componentDidUpdate({ at }: BoundaryProps) {
    if (at !== this.props.at && this.state.error !== null) this.setState({ error: null })
  }

  override render(): ReactNode {
    const { error } = this.state
    return error === null ? this.props.children : this.props.fallback(error, () => this.setState({ error: null }))
  }
}

type FailureProps = {
  readonly error: unknown
  readonly again: () => void
  readonly isWhole?: boolean
}

/** What does not come although there is a connection is asked for again by itself no sooner than this. */
const pauseMs = 5_000
let retriedLateAt = Number.NEGATIVE_INFINITY

/**
 * Why a screen could not be shown, with the request's name for whoever looks into the log. What a lost connection held
 * back comes with the connection.
 */
export function Failure({ error, again, isWhole = false }: FailureProps) {
  const t = useTexts(frameTexts)
  const say = useSayRefusal()
  const { reset } = useQueryErrorResetBoundary()
  const retry = () => {
    reset()
    again()
  }
  const live = useLiveState()
  // On a slow line the connection may be back before this is shown.
  const before = useRef<typeof live | null>(null)
  useEffect(() => {
    const isBack = before.current !== 'open' && live === 'open'
    const isLate = before.current === null
    before.current = live
    if (!isBack || !(error instanceof Refused) || error.status !== 0) return
    if (isLate && performance.now() - retriedLateAt < pauseMs) return
    if (isLate) retriedLateAt = performance.now()
    retry()
  })
  if (error instanceof Refused && error.status === 401) return null
  return (
    <div className={isWhole ? styles.wholeFailure : styles.failure} role="alert">
      <h1>{t.failed}</h1>
      <p>{error instanceof ScreenGone ? t.gone : say(error)}</p>
      {error instanceof Refused && error.requestId !== null && (
        <p className={styles.quiet}>{t.request(error.requestId)}</p>
      )}
      <Button onClick={retry}>{t.again}</Button>
    </div>
  )
}

/** Why a screen did not come, or what it threw. */
export function FailedScreen({ error, reset }: { readonly error: unknown; readonly reset: () => void }) {
  const router = useRouter()
  const again = () => {
    reset()
    void router.invalidate()
  }
  const isGone = error instanceof ScreenGone
  useEffect(() => {
    if (isGone) reloadOnce()
  }, [isGone])
  return <Failure error={error} again={isGone ? () => location.reload() : again} />
}

export function MissingScreen() {
  const t = useTexts(frameTexts)
  useTitle(t.missing)
  return (
    <div className={styles.failure}>
      <h1>{t.missing}</h1>
      <p>{t.missingSays}</p>
      <Link to="/">{t.home}</Link>
    </div>
  )
}
