import type { SeenOfNas } from '../engine.ts'

/** Several passwords have to be garbled, because a single one may have been typed so. */
const signsMin = 3

/**
 * Whether a NAS probably has another secret than its record: several of its packets were signed or hidden with another
 * one since the last that proved ours. Each port is looked at by itself, because a NAS may have a secret for each.
 */
export class SecretSuspicion {
  readonly #ports: readonly { bad: number; good: number; signs: number }[] = [
    { bad: 0, good: 0, signs: 0 },
    { bad: 0, good: 0, signs: 0 },
  ]

  get isWrong(): boolean {
    return this.#ports.some(({ signs }) => signs >= signsMin)
  }

  look({ counts, garbled }: Pick<SeenOfNas, 'counts' | 'garbled'>): void {
    for (const [index, port] of (['auth', 'acct'] as const).entries()) {
      let bad = port === 'auth' ? garbled : 0
      let good = 0
      for (const one of counts) {
        if (one.port !== port) continue
        if (one.fault === 'badAuthenticator' || one.fault === 'badMessageAuthenticator') bad += one.count
        else if (one.result === 'accept' || one.result === 'accounting' || one.result === 'status') good += one.count
      }
      const known = this.#ports[index]!
      known.signs = good > known.good ? 0 : known.signs + bad - known.bad
      known.bad = bad
      known.good = good
    }
  }
}
