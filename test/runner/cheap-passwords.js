/**
 * Loaded before everything else in the processes of a test run. A password of staff costs a tenth of a second of CPU each time it is
 * hashed or checked, and hundreds of tests sign in: here the same call takes 1/2048 of it. Other costs stay what they are, so the
 * vector of RFC 7914 in test/platform/staff/passwords.test.ts is computed in full.
 */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const costOfStaff = 2 ** 15
const { scrypt } = crypto

crypto.scrypt = (password, salt, length, options, done) =>
  scrypt(password, salt, length, options.N === costOfStaff ? { ...options, N: 2 ** 4 } : options, done)
syncBuiltinESMExports()
