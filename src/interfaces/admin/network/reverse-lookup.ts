import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'

export type Names =
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'none' | 'noAnswer' | 'busy' | 'noAddress' }

/** The time limit of a whole look-up. */
const deadlineMs = 2_000
const atOnceMax = 16

/** Codes of c-ares which mean that the address has no name. */
const noName = new Set(['ENOTFOUND', 'ENODATA'])

/**
 * Names of addresses by DNS. Name servers of others may be slow, so both the number of simultaneous look-ups and their
 * time are limited.
 */
export class ReverseLookup {
  readonly #servers: readonly string[] | null
  #underWay = 0

  /** `servers` with ports; left out, those of the machine. */
  constructor(servers?: readonly string[]) {
    this.#servers = servers ?? null
  }

  async namesOf(ip: string): Promise<Names> {
    if (isIP(ip) === 0) return { kind: 'noAddress' }
    if (this.#underWay >= atOnceMax) return { kind: 'busy' }
    this.#underWay++
    // One resolver for each look-up, because a cancel ends all that a resolver has under way.
    const resolver = new Resolver({ timeout: deadlineMs / 2, tries: 2 })
    if (this.#servers) resolver.setServers(this.#servers)
    const deadline = setTimeout(() => resolver.cancel(), deadlineMs)
    try {
      const names = await resolver.reverse(ip)
      return names.length > 0 ? { kind: 'names', names } : { kind: 'none' }
    } catch (error) {
      return { kind: noName.has((error as NodeJS.ErrnoException).code ?? '') ? 'none' : 'noAnswer' }
    } finally {
      clearTimeout(deadline)
      this.#underWay--
    }
  }
}
