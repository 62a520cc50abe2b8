/**
 * Loaded before everything else in the processes of a test run. To stretch a password by scrypt takes long on purpose: a tenth of a
 * second of CPU for a password of staff, each time it is hashed or checked, less for TOLLGATE_SECRET_KEY, and half a second for the
 * passphrase of a backup, each time its keys are sealed or opened. Hundreds of tests do it: here the same call takes a small fraction
 * of that. Other costs stay what they are, so the vector of RFC 7914 in test/platform/staff/passwords.test.ts is computed in full; and
 * so are the keys of the archives that releases have left in test/upgrades.
 */
import crypto from 'node:crypto'
import { readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const costOfStaff = 2 ** 15
const costOfSecretKey = 2 ** 14
const costOfPassphrase = 2 ** 17
const cheap = { N: 2 ** 4 }
const { scrypt, scryptSync } = crypto
const ofReleases = () => readFileSync(new URL('../upgrades/passphrase', import.meta.url), 'utf8').trimEnd()

crypto.scrypt = (password, salt, length, options, done) => {
  const isCheap = options.N === costOfStaff || (options.N === costOfPassphrase && password !== ofReleases())
  return scrypt(password, salt, length, isCheap ? { ...options, ...cheap } : options, done)
}
crypto.scryptSync = (password, salt, length, options) =>
  scryptSync(password, salt, length, options.N === costOfSecretKey ? { ...options, ...cheap } : options)
syncBuiltinESMExports()
