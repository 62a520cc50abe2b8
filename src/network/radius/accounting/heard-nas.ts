import { growingCache } from '../../../platform/growing-cache.ts'
import type { NasEntry, NasIdentity } from '../../../domain/nas.ts'
import type { NasReboot } from './session-changes.ts'
import { mayBeSameNas, mergedNas, nameOfNas } from './nas-identity.ts'

/** For how many NAS the last reboot is remembered. */
const rebootsMax = 16_384

/** Which sessions an Accounting-On or -Off ends, besides that they must be of the NAS that it names. */
export type RebootScope = {
  /** All that has been heard from the record may be of one NAS, so sessions that name none are of it too. */
  readonly isOneNas: boolean
  /**
   * Where their packets have to come from, in a record of a network: its NAS may all have the name that they came from
   * the factory with. Null for anywhere.
   */
  readonly source: string | null
}

/** What accounting has heard from the NAS of each record since the start of the program. */
export class HeardNas {
  /** How the NAS of a record names itself; `several` when the record is a proxy before more than one NAS. */
  readonly #identities = new Map<number, NasIdentity | 'several'>()
  /** The records of networks. */
  #networks: ReadonlySet<number> = new Set()
  /**
   * The mark of the last Accounting-On or -Off of each NAS, so that its retransmission ends no session that began
   * since.
   */
  readonly #reboots = growingCache<string, string>(rebootsMax)

  hear(nas: number, identity: NasIdentity): void {
    const known = this.#identities.get(nas)
    if (known === identity || known === 'several') return
    if (known === undefined) this.#identities.set(nas, identity)
    else this.#identities.set(nas, mayBeSameNas(known, identity) ? mergedNas(known, identity) : 'several')
  }

  /** Null when nothing has been heard. */
  identityOf(nas: number): NasIdentity | 'several' | null {
    return this.#identities.get(nas) ?? null
  }

  /** Whether several NAS share the record. */
  isShared(nas: number): boolean {
    return this.#networks.has(nas) || this.#identities.get(nas) === 'several'
  }

  /** Which sessions of its record a NAS that starts anew takes with it. */
  scopeOf({ nasId, nasIp }: NasReboot): RebootScope {
    const known = this.#identities.get(nasId)
    const isOneNas = known !== undefined && known !== 'several'
    return { isOneNas, source: this.#networks.has(nasId) ? nasIp : null }
  }

  /** To be called when the records have changed. */
  setNas(list: readonly NasEntry[]): void {
    this.#networks = new Set(list.filter(({ network }) => Boolean(network)).map(({ id }) => id))
  }

  isRepeatedReboot(reboot: NasReboot): boolean {
    return this.#reboots.get(keyOf(markOf(reboot))) === reboot.mark
  }

  /** Remembers a reboot, also one that another node has received. */
  rememberReboot(mark: RebootMark): void {
    this.#reboots.set(keyOf(mark), mark.mark)
  }
}

/** What identifies an Accounting-On or -Off, so that a repetition is recognized. */
export type RebootMark = {
  readonly nasId: number
  /** The attribute by which the NAS names itself. */
  readonly nas: string
  readonly mark: string
}

export const markOf = ({ nasId, nasIdentity, mark }: NasReboot): RebootMark => ({
  nasId,
  nas: nameOfNas(nasIdentity),
  mark,
})

const keyOf = ({ nasId, nas }: RebootMark): string => `${nasId}\0${nas}`
