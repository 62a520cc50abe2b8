import { isNextProvedLast, type NasEntry } from '../../../domain/nas.ts'
import { growingCache } from '../../../platform/growing-cache.ts'
import { SharedSecret } from '../wire/shared-secret.ts'

/** More than any provider has NAS. */
const preparedMax = 16_384

/** The secrets of NAS as requests to them are signed, prepared once. */
export class CoaSecrets {
  readonly #prepared = growingCache<string, SharedSecret>(preparedMax)

  /** The secret that a NAS proved last; while the secret is being changed, followed by the other one. */
  of(nas: NasEntry): SharedSecret[] {
    const { secret, secretNext } = nas
    if (!secretNext) return [this.#secretOf(secret)]
    const inOrder = isNextProvedLast(nas) ? [secretNext, secret] : [secret, secretNext]
    return inOrder.map((text) => this.#secretOf(text))
  }

  #secretOf(text: string): SharedSecret {
    const known = this.#prepared.get(text)
    if (known) return known
    const made = new SharedSecret(text)
    this.#prepared.set(text, made)
    return made
  }
}
