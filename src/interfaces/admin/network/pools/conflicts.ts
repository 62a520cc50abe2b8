import { setImmediate as nextTurn } from 'node:timers/promises'
import { parseIpv4 } from '../../../../network/radius/wire/address.ts'
import { type VisibleOrganizations, isVisible } from '../../../../platform/staff/visible-organizations.ts'
import type { Client } from '../../../../platform/storage/sql.ts'
import type { PoolParts } from './parts.ts'

/** Why two want one address: it is the own one of several logins, or a live session has that of somebody else. */
export const conflictCodes = ['given_twice', 'held_by_another'] as const

/** The logins are those who have the address as their own, then the one whose session has it. */
type Conflict = {
  readonly code: (typeof conflictCodes)[number]
  readonly address: string
  readonly poolId: number | null
  readonly logins: readonly number[]
}

export type Found = { readonly items: readonly Conflict[]; readonly isCut: boolean }

/** More are as good as these: whoever has so many mends what makes them. */
const conflictsMax = 500
/** As many sessions are looked at in one turn of the event loop as take some milliseconds. */
export const sessionsAtOnce = 10_000
/** At least; a look that takes long is good for twenty times as long as it took. */
const validMs = 10_000

/** Looks for conflicts now and then, however many ask, and never holds the event loop up. */
export class Conflicts {
  readonly #parts: PoolParts
  #latest: Found | null = null
  #looking: Promise<Found> | null = null
  #validUntilMs = 0

  constructor(parts: PoolParts) {
    this.#parts = parts
  }

  /** What was found last, for who does not wait; null before the first look has ended. */
  latest(): Found | null {
    // Who waits hears of a failure.
    this.find().catch(() => {})
    return this.#latest
  }

  async find(): Promise<Found> {
    if (this.#latest && performance.now() < this.#validUntilMs) return this.#latest
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null
    })
    return this.#looking
  }

  async #look(): Promise<Found> {
    const begunMs = performance.now()
    const items: Conflict[] = [...(await this.#givenTwice()), ...(await this.#heldByAnother())]
    this.#latest = { items: items.slice(0, conflictsMax), isCut: items.length > conflictsMax }
    const endedMs = performance.now()
    this.#validUntilMs = endedMs + Math.max(validMs, 20 * (endedMs - begunMs))
    return this.#latest
  }

  /** What is there twice is found in the index of addresses alone. */
  async #givenTwice(): Promise<Conflict[]> {
    const { rows } = await this.#parts.database.pool.query<{ address: string; logins: string[] }>(
      `SELECT host(ip) AS address, (SELECT array_agg(id ORDER BY id) FROM users WHERE ip = twice.ip) AS logins
        FROM (SELECT ip FROM users WHERE ip IS NOT NULL GROUP BY ip HAVING count(*) > 1
          ORDER BY ip LIMIT ${conflictsMax + 1}) AS twice`,
    )
    return rows.map(({ address, logins }) => {
      const ip = parseIpv4(address)
      const poolId = ip === null ? null : (this.#parts.pools.leaseAt(ip)?.poolId ?? null)
      return { code: 'given_twice', address, poolId, logins: logins.map(Number) }
    })
  }

  async #heldByAnother(): Promise<Conflict[]> {
    const items: Conflict[] = []
    const { sessions } = this.#parts
    for (let from = 0; from < sessions.view.slots && items.length <= conflictsMax; from += sessionsAtOnce) {
      items.push(...(await this.#ofOthers(this.#doubtful(from))))
      await nextTurn()
    }
    return items
  }

  /** The live sessions of some slots whose address is neither the own one of their login nor leased to it. */
  #doubtful(from: number): Doubtful[] {
    const { pools, ownAddressOf, sessions } = this.#parts
    const { slots, numbers, ips } = sessions.view
    const doubtful: Doubtful[] = []
    for (let slot = from; slot < Math.min(slots, from + sessionsAtOnce); slot++) {
      const [ip, loginId] = [ips[slot] ?? null, numbers.userId[slot]!]
      // A slot without a NAS has no session.
      if (numbers.nasId[slot] === 0 || ip === null || loginId === 0) continue
      const address = parseIpv4(ip)
      if (address !== null && ownAddressOf(loginId) === address) continue
      const lease = address === null ? null : pools.leaseAt(address)
      if (lease?.loginId === loginId) continue
      doubtful.push({ ip, loginId, poolId: lease?.poolId ?? null, lessee: lease?.loginId ?? 0 })
    }
    return doubtful
  }

  async #ofOthers(doubtful: readonly Doubtful[]): Promise<Conflict[]> {
    if (doubtful.length === 0) return []
    const { rows } = await this.#parts.database.pool.query<{ ip: string; login_id: string; owners: string[] }>(
      `SELECT host(held.ip) AS ip, held.login_id, array_agg(users.id ORDER BY users.id) AS owners
        FROM unnest($1::inet[], $2::int8[]) AS held(ip, login_id) JOIN users ON users.ip = held.ip
        GROUP BY held.ip, held.login_id`,
      [doubtful.map(({ ip }) => ip), doubtful.map(({ loginId }) => loginId)],
    )
    const ownersOf = new Map(rows.map(({ ip, login_id, owners }) => [`${ip} ${login_id}`, owners.map(Number)]))
    return doubtful.flatMap(({ ip, loginId, poolId, lessee }): Conflict[] => {
      const owners = ownersOf.get(`${ip} ${loginId}`) ?? (lessee > 0 ? [lessee] : [])
      if (owners.length === 0 || owners.includes(loginId)) return []
      return [{ code: 'held_by_another', address: ip, poolId, logins: [...owners, loginId] }]
    })
  }
}

/** A session whose address may be that of somebody else; `lessee`: to whom a pool leases it, 0 for nobody. */
type Doubtful = {
  readonly ip: string
  readonly loginId: number
  readonly poolId: number | null
  readonly lessee: number
}

/** A login as the caller may see it. */
export type ShownLogin = {
  readonly login_id: number | null
  readonly login: string | null
  readonly abonent_id: number | null
  readonly name: string | null
}

const unseen: ShownLogin = { login_id: null, login: null, abonent_id: null, name: null }

/** The logins of these ids; of one that is gone or of another organization nothing is told. */
export async function shownLogins(
  client: Client,
  ids: readonly number[],
  visible: VisibleOrganizations,
): Promise<(id: number) => ShownLogin> {
  const { rows } = await client.query<ShownLogin & { id: string; abonent: string; organization: string | null }>(
    `SELECT users.id, login, abonents.id AS abonent, abonents.name, organization_id AS organization
      FROM users JOIN abonents ON abonents.id = abonent_id WHERE users.id = ANY($1::int8[])`,
    [ids],
  )
  const byId = new Map(
    rows.map(({ id, login, abonent, name, organization }) => {
      const isSeen = isVisible(visible, organization === null ? null : Number(organization))
      return [Number(id), isSeen ? { login_id: Number(id), login, abonent_id: Number(abonent), name } : unseen]
    }),
  )
  return (id) => byId.get(id) ?? unseen
}
