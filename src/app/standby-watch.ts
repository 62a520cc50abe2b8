import type { Base } from './base.ts'

const everyMs = 1_000
/** Heartbeats come every second, so less says nothing. */
const behindMsMax = 5_000

/** Why what an edge reads may be old; null: it is not. */
export function faultOfStandby({ database, reads, nodes }: Pick<Base, 'database' | 'reads' | 'nodes'>): string | null {
  if (reads === database) return null
  if (!reads.isUp()) return 'The standby at TOLLGATE_READ_URL is away; subscribers are answered as it knew them.'
  const behindMs = nodes?.standby?.behindMs ?? 0
  return behindMs > behindMsMax
    ? `The standby at TOLLGATE_READ_URL is ${Math.round(behindMs / 1000)} s behind, or no other node is alive.`
    : null
}

/** Tells the log once when the standby is away or behind, when it is well again, and when it is no standby any more. */
export function watchStandby(base: Base): void {
  const { database, reads, nodes, metrics, clock, log, onStop } = base
  const standby = nodes?.standby
  if (reads === database || !standby) return
  metrics.standby.source = () => (standby.behindMs ?? 0) / 1000
  let cancel = () => {}
  let isWell = true
  let wasStandby: boolean | null = true
  const look = () => {
    const fault = faultOfStandby(base)
    if (fault && isWell) log.warn(fault)
    if (!fault && !isWell) log.info('the standby at TOLLGATE_READ_URL is up to date again')
    isWell = fault === null
    const { isStandby } = standby
    if (isStandby === false && wasStandby)
      log.warn('The server at TOLLGATE_READ_URL is no standby, or was promoted; it is read as it is.')
    if (isStandby && wasStandby === false) log.info('the server at TOLLGATE_READ_URL is a standby again')
    wasStandby = isStandby ?? wasStandby
    cancel = clock.after(everyMs, look)
  }
  look()
  onStop(() => cancel())
}
