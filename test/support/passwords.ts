import { ntPasswordHash } from '../../src/network/radius/wire/ms-chap.ts'
import { isCryptOf } from '../../src/platform/passwords/crypt.ts'
import { passwordCheck } from '../../src/platform/passwords/login-passwords.ts'

/** The check of passwords of logins, without threads. */
export const isPassword = passwordCheck({
  cryptVerifier: { verify: async (hash, password) => isCryptOf(hash, password) },
  ntHashOf: ntPasswordHash,
})
