import { LRUCache } from 'lru-cache'
import type { NasIdentity } from '../../../domain/nas.ts'
import type { AccountingRecord } from './accounting-record.ts'
import { mayBeSameNas, mergedNas, nameOfNas } from './nas-identity.ts'

/** Of how many NAS the last reboot is remembered. */
const rebootsMax = 16_384

/** What accounting has heard from the NAS of each record since the start of the program. */
export class HeardNas {
  /** By NAS record; `several` when it is a proxy before more than one NAS. */
  readonly #identities = new Map<number, NasIdentity | 'several'>()
  /**
   * The mark of the last Accounting-On or -Off of each NAS, so that its retransmission ends no session that began
   * since.
   */
  readonly #reboots = new LRUCache<string, string>({ max: rebootsMax })

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

  /** Whether all that has been heard from the record may be of one NAS. */
  isOneNas(nas: number): boolean {
    const known = this.#identities.get(nas)
    return known !== undefined && known !== 'several'
  }

  isRepeatedReboot(record: AccountingRecord): boolean {
    return this.#reboots.get(keyOf(record)) === record.mark
  }

  rememberReboot(record: AccountingRecord): void {
    this.#reboots.set(keyOf(record), record.mark)
  }
}

const keyOf = ({ nasId, nasIdentity }: AccountingRecord): string => `${nasId}\0${nameOfNas(nasIdentity)}`
