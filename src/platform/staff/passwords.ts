import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { Unavailable } from '../unavailable.ts'

/**
 * Passwords of staff, hashed by scrypt (RFC 7914) in libuv's threads and kept in the PHC form
 * `$scrypt$ln=15,r=8,p=1$<salt>$<hash>`, so that the cost can be raised later and old hashes still verify.
 */
type Cost = { log2N: number; r: number; p: number }

/** 32 MiB and about 70 ms. OWASP asks for 2^17 or 2^15 with p=3; sign-ins are throttled besides. */
const cost: Cost = { log2N: 15, r: 8, p: 1 }
const saltBytes = 16
const hashBytes = 32

/** A megabyte of password would be hashed before it is refused; nobody types more. */
export const passwordLengthMax = 256

/** Fewer than libuv's four threads (files and DNS need some) and than the cores, so that a flood leaves room for others. */
const atOnceMax = Math.max(1, Math.min(2, availableParallelism() - 1))
const waitingMax = 64
const waiting: (() => void)[] = []
let atWork = 0

/** Rejects Unavailable when too many passwords wait to be hashed. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes)
  const hash = await derive(password, salt, cost)
  const { log2N, r, p } = cost
  return `$scrypt$ln=${log2N},r=${r},p=${p}$${base64(salt)}$${base64(hash)}`
}

/** `stored` null stands for an unknown user and costs the same work. Rejects Unavailable when too many passwords wait. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const known = stored === null ? null : readStored(stored)
  const tooLong = password.length > passwordLengthMax
  const { salt, hash, terms } = known ?? { salt: Buffer.alloc(saltBytes), hash: Buffer.alloc(hashBytes), terms: cost }
  const derived = await derive(tooLong ? '' : password, salt, terms, hash.length)
  return timingSafeEqual(derived, hash) && known !== null && !tooLong
}

const storedForm = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/

function readStored(stored: string): { salt: Buffer; hash: Buffer; terms: Cost } | null {
  const match = storedForm.exec(stored)
  if (!match) return null
  const terms = { log2N: Number(match[1]), r: Number(match[2]), p: Number(match[3]) }
  // A row somebody edited must not make one sign-in cost gigabytes.
  if (terms.log2N < 1 || terms.log2N > 18 || terms.r < 1 || terms.r > 16 || terms.p < 1 || terms.p > 8) return null
  return { salt: Buffer.from(match[4]!, 'base64'), hash: Buffer.from(match[5]!, 'base64'), terms }
}

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

async function derive(password: string, salt: Buffer, { log2N, r, p }: Cost, length = hashBytes): Promise<Buffer> {
  await takePlace()
  try {
    const N = 2 ** log2N
    // NFC: the same word typed on two systems is the same bytes.
    return await scryptAsync(password.normalize('NFC'), salt, length, {
      N,
      r,
      p,
      maxmem: 256 * N * r * p + 1024 * 1024,
    })
  } finally {
    leavePlace()
  }
}

const scryptAsync = (password: string, salt: Buffer, length: number, options: ScryptOptions): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(password, salt, length, options, (error, hash) => (error ? reject(error) : resolve(hash)))
  })

function takePlace(): Promise<void> | void {
  if (atWork < atOnceMax) {
    atWork++
    return
  }
  if (waiting.length >= waitingMax)
    throw new Unavailable('mailboxFull', 'Too many sign-ins at once; try again shortly.')
  return new Promise((resolve) => waiting.push(resolve))
}

/** A waiting one takes the place over, so `atWork` stays. */
function leavePlace(): void {
  const next = waiting.shift()
  if (next) next()
  else atWork--
}
