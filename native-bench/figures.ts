/** One measured thing beside its peer, measured in the same run. The ratio is what counts; absolute times vary with the machine. */
export type Figure = { what: string; unit: string; ours: number; peer: string | null; theirs: number | null }

export const ratioOf = ({ ours, theirs }: Figure): string => (theirs === null ? '' : (ours / theirs).toFixed(2))

export function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.what,
    `${shown(figure.ours)} ${figure.unit}`,
    figure.theirs === null ? '–' : `${shown(figure.theirs)} ${figure.unit} (${figure.peer})`,
    ratioOf(figure),
  ])
  return [['what', 'Tollgate', 'peer', 'ratio'], ['---', '---', '---', '---'], ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n')
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
