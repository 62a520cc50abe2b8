import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { FairQueue, type Place } from '../actors/fair-queue.ts'
import { Unavailable } from '../unavailable.ts'

/**
 * Passwords of staff. They are hashed by scrypt (RFC 7914) in libuv's thread pool and stored in the PHC string format
 * `$scrypt$ln=15,r=8,p=1$<salt>$<hash>`, so that the cost can be raised later while old hashes still verify.
 */
type Cost = { log2N: number; r: number; p: number }

/**
 * One hash takes 32 MiB and about 70 ms. OWASP recommends 2^17 with p=1 or 2^15 with p=3; less is enough here, because
 * sign-ins are throttled.
 */
const cost: Cost = { log2N: 15, r: 8, p: 1 }
const saltBytes = 16
const hashBytes = 32

/** Longer passwords are refused before they are hashed, because hashing a megabyte would waste CPU. */
export const passwordLengthMax = 256

/**
 * How many passwords are hashed at the same time: fewer than libuv's four threads, of which files and DNS need some,
 * and fewer than the cores, so that a flood of sign-ins leaves CPU for everything else.
 */
const concurrencyMax = Math.max(1, Math.min(2, availableParallelism() - 1))
const queue = new FairQueue({
  insideMax: concurrencyMax,
  waitingMax: 64,
  full: () => new Unavailable('mailboxFull', 'Too many sign-ins at once; try again shortly.'),
})

/** For passwords that somebody sets who has signed in, or who runs a command. */
const setters: Place = { key: '', isFirst: true }

/** Hashes a password for the table. Rejects Unavailable when too many passwords are waiting to be hashed. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes)
  const hash = await derive(password, salt, cost, setters)
  const { log2N, r, p } = cost
  return `$scrypt$ln=${log2N},r=${r},p=${p}$${base64(salt)}$${base64(hash)}`
}

/**
 * Whether a password matches its stored hash. Pass null for an unknown user: that takes the same time and returns
 * false. `place` says in whose turn it is checked. Rejects Unavailable when too many passwords are waiting.
 */
export async function verifyPassword(
  password: string,
  stored: string | null,
  place: Place = { key: '', isFirst: false },
): Promise<boolean> {
  const known = stored === null ? null : readStored(stored)
  const tooLong = password.length > passwordLengthMax
  const { salt, hash, terms } = known ?? { salt: Buffer.alloc(saltBytes), hash: Buffer.alloc(hashBytes), terms: cost }
  const derived = await derive(tooLong ? '' : password, salt, terms, place, hash.length)
  return timingSafeEqual(derived, hash) && known !== null && !tooLong
}

const storedForm = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/

function readStored(stored: string): { salt: Buffer; hash: Buffer; terms: Cost } | null {
  const match = storedForm.exec(stored)
  if (!match) return null
  const terms = { log2N: Number(match[1]), r: Number(match[2]), p: Number(match[3]) }
  // A row that was edited by hand must not make a sign-in take gigabytes.
  if (terms.log2N < 1 || terms.log2N > 18 || terms.r < 1 || terms.r > 16 || terms.p < 1 || terms.p > 8) return null
  return { salt: Buffer.from(match[4]!, 'base64'), hash: Buffer.from(match[5]!, 'base64'), terms }
}

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

function derive(
  password: string,
  salt: Buffer,
  { log2N, r, p }: Cost,
  place: Place,
  length = hashBytes,
): Promise<Buffer> {
  const N = 2 ** log2N
  const options = { N, r, p, maxmem: 256 * N * r * p + 1024 * 1024 }
  // Normalized, because the same password typed on two systems may arrive as different bytes.
  return queue.through(place, () => scryptAsync(password.normalize('NFC'), salt, length, options))
}

const scryptAsync = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)
