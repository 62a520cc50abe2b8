import { isCryptOf } from './crypt.ts'

/** The threads of CryptVerifier run this. */
export default ({ hash, password }: { readonly hash: string; readonly password: string }): boolean =>
  isCryptOf(hash, password)
