/**
 * One measured thing beside its peer, measured in the same run. The ratio is what counts; absolute times vary with the
 * machine.
 */
export type Figure = {
  what: string
  unit: string
  ours: number
  peer: string | null
  theirs: number | null
  /** Null or left out: told for its own sake. */
  target?: Target | null
}

/** What was promised: of our figure itself, or of its ratio to the peer's. */
export type Target = { of: 'ratio' | 'figure'; is: 'atMost' | 'atLeast'; value: number }

export const ratioAtMost = (value: number): Target => ({ of: 'ratio', is: 'atMost', value })
export const ratioAtLeast = (value: number): Target => ({ of: 'ratio', is: 'atLeast', value })
export const figureAtMost = (value: number): Target => ({ of: 'figure', is: 'atMost', value })
export const figureAtLeast = (value: number): Target => ({ of: 'figure', is: 'atLeast', value })

/** What is measured without anything beside it. */
export const alone = (what: string, unit: string, ours: number, target: Target | null = null): Figure => ({
  what,
  unit,
  ours,
  peer: null,
  theirs: null,
  target,
})

export const ratioOf = ({ ours, theirs }: Figure): string => (theirs === null ? '' : (ours / theirs).toFixed(2))

/** Null: nothing was promised, or there was no peer to hold it against. */
export function isMet({ ours, theirs, target }: Figure): boolean | null {
  if (!target || (target.of === 'ratio' && theirs === null)) return null
  const value = target.of === 'ratio' ? ours / theirs! : ours
  return target.is === 'atMost' ? value <= target.value : value >= target.value
}

export function table(figures: readonly Figure[]): string {
  const head = ['what', 'Tollgate', 'peer', 'ratio', 'target', 'met']
  const rows = figures.map((figure) => [
    figure.what,
    `${shown(figure.ours)} ${figure.unit}`,
    figure.theirs === null ? '–' : `${shown(figure.theirs)} ${figure.unit} (${figure.peer})`,
    ratioOf(figure),
    targetText(figure),
    { true: 'yes', false: 'NO', null: '' }[String(isMet(figure)) as 'true' | 'false' | 'null'],
  ])
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

function targetText({ target, unit }: Figure): string {
  if (!target) return ''
  const bound = target.is === 'atMost' ? '≤' : '≥'
  return target.of === 'ratio'
    ? `${bound} ${Number(target.value.toPrecision(3))} ×`
    : `${bound} ${target.value} ${unit}`
}

const shown = (value: number) => (value >= 100 ? Math.round(value).toString() : value.toPrecision(3))

/** The value below which that share of the samples lies. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Microseconds a call, the best of several rounds: what the machine can do when nobody disturbs it. */
export function microsecondsOf(call: () => void, calls = 20_000, rounds = 7): number {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const startedMs = performance.now()
    for (let i = 0; i < calls; i++) call()
    best = Math.min(best, ((performance.now() - startedMs) * 1000) / calls)
  }
  return best
}
