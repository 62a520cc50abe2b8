import { LRUCache } from 'lru-cache'
import { isNextProvedLast, type NasEntry } from '../../../domain/nas.ts'
import { SharedSecret } from '../wire/shared-secret.ts'

/** More than any provider has NAS. */
const preparedMax = 16_384

/** The secrets of NAS as requests to them are signed, prepared once. */
export class CoaSecrets {
  readonly #prepared = new LRUCache<string, SharedSecret>({
    max: preparedMax,
    memoMethod: (text) => new SharedSecret(text),
  })

  /** The secret that a NAS proved last; while the secret is being changed, followed by the other one. */
  of(nas: NasEntry): SharedSecret[] {
    const { secret, secretNext } = nas
    if (!secretNext) return [this.#prepared.memo(secret)]
    const inOrder = isNextProvedLast(nas) ? [secretNext, secret] : [secret, secretNext]
    return inOrder.map((text) => this.#prepared.memo(text))
  }
}
