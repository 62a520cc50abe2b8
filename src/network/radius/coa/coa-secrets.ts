import { isNextProvedLast, type NasEntry } from '../../../domain/nas.ts'
import { SharedSecret } from '../wire/shared-secret.ts'

/** More than any provider has NAS; secrets of the past are forgotten with the others when there are so many. */
const preparedMax = 16_384

/** The secrets of NAS as requests to them are signed, prepared once. */
export class CoaSecrets {
  readonly #prepared = new Map<string, SharedSecret>()

  /** The secret that a NAS proved last; behind it, while the secret is being changed, the other one. */
  of(nas: NasEntry): SharedSecret[] {
    const { secret, secretNext } = nas
    if (!secretNext) return [this.#of(secret)]
    return (isNextProvedLast(nas) ? [secretNext, secret] : [secret, secretNext]).map((text) => this.#of(text))
  }

  #of(text: string): SharedSecret {
    let secret = this.#prepared.get(text)
    if (secret) return secret
    if (this.#prepared.size >= preparedMax) this.#prepared.clear()
    secret = new SharedSecret(text)
    this.#prepared.set(text, secret)
    return secret
  }
}
