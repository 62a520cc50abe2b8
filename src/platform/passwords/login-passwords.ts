import { hash as digestOf, timingSafeEqual } from 'node:crypto'
import { type LoginPassword, loginPasswordOf } from '../../domain/login-password.ts'
import { isSameText } from '../same-text.ts'
import type { CryptVerifier } from './crypt-verifier.ts'

/** Whether `sent` is the password that is stored, opened, of a login. Rejects as CryptVerifier does. */
export type PasswordCheck = (stored: string, sent: string) => Promise<boolean>

export type PasswordCheckParts = {
  readonly cryptVerifier: Pick<CryptVerifier, 'verify'>
  /** MD4 of the password in UTF-16, which node:crypto no longer has. */
  readonly ntHashOf: (password: string) => Uint8Array
}

/** The check of the portal and of phones; RADIUS workers have their own, by method. */
export const passwordCheck =
  ({ cryptVerifier, ntHashOf }: PasswordCheckParts): PasswordCheck =>
  async (stored, sent) => {
    const password = loginPasswordOf(stored)
    switch (password.kind) {
      case 'clear':
        return isSameText(sent, password.text)
      case 'nt':
        return timingSafeEqual(ntHashOf(sent), password.hash)
      case 'digest':
        return isDigestOf(password, Buffer.from(sent))
      case 'crypt':
        return await cryptVerifier.verify(password.hash, sent)
    }
  }

type Digest = Extract<LoginPassword, { kind: 'digest' }>

/** Microseconds. */
export const isDigestOf = ({ algorithm, digest, salt }: Digest, password: Uint8Array): boolean =>
  timingSafeEqual(digestOf(algorithm, Buffer.concat([password, salt]), 'buffer'), digest)
