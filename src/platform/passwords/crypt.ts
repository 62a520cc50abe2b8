import { createHash, hash as digestOf, timingSafeEqual } from 'node:crypto'
import bcrypt from 'bcryptjs'
import { cryptLetters, desCrypt } from './des-crypt.ts'

/**
 * Whether `password` is that of a hash of crypt(3): DES crypt (no $), MD5-crypt ($1$), SHA-crypt ($5$, $6$) or bcrypt
 * ($2a$, $2b$, $2y$), whose form loginPasswordOf has checked. It takes milliseconds, with bcrypt tens of them, and
 * blocks the thread.
 */
export function isCryptOf(hash: string, password: string): boolean {
  if (hash.startsWith('$2')) return bcrypt.compareSync(password, hash)
  const bytes = Buffer.from(password)
  const salted = hash.startsWith('$') ? hash.slice(0, hash.lastIndexOf('$') + 1) : hash.slice(0, 2)
  return timingSafeEqual(Buffer.from(digestAfter(salted, bytes)), Buffer.from(hash.slice(salted.length)))
}

/** What a hash of the password that begins with `salted` goes on with. */
function digestAfter(salted: string, password: Buffer): string {
  if (!salted.startsWith('$')) return desCrypt(password, salted)
  return salted.startsWith('$1$') ? md5Crypt(password, salted) : shaCrypt(password, salted)
}

/** Ulrich Drepper, "Unix crypt using SHA-256 and SHA-512", steps 1 to 22. `salted` is `$6$[rounds=…$]salt$`. */
function shaCrypt(password: Buffer, salted: string): string {
  const [, id, ...parts] = salted.slice(0, -1).split('$')
  const algorithm = id === '5' ? 'sha256' : 'sha512'
  const salt = Buffer.from(parts.at(-1)!)
  const rounds = parts.length === 2 ? Number(parts[0]!.slice('rounds='.length)) : 5000
  const sum = (...pieces: readonly Buffer[]) => digestOf(algorithm, Buffer.concat(pieces), 'buffer')
  const b = sum(password, salt, password)
  let digest = sum(password, salt, stretched(b, password.length), ...bitsOf(password.length, b, password))
  const p = stretched(sum(...Array<Buffer>(password.length).fill(password)), password.length)
  const s = stretched(sum(...Array<Buffer>(16 + digest[0]!).fill(salt)), salt.length)
  for (let round = 0; round < rounds; round++) digest = sum(...roundOf(round, digest, p, s))
  return crypt64(digest, algorithm === 'sha256' ? sha256Order : sha512Order)
}

/** Poul-Henning Kamp's crypt of FreeBSD. `salted` is `$1$salt$`. */
function md5Crypt(password: Buffer, salted: string): string {
  const salt = Buffer.from(salted.slice('$1$'.length, -1))
  const sum = (...pieces: readonly Buffer[]) => createHash('md5').update(Buffer.concat(pieces)).digest()
  const b = sum(password, salt, password)
  const head = [password, Buffer.from('$1$'), salt, stretched(b, password.length)]
  let digest = sum(...head, ...bitsOf(password.length, Buffer.alloc(1), password.subarray(0, 1)))
  for (let round = 0; round < 1000; round++) digest = sum(...roundOf(round, digest, password, salt))
  return crypt64(digest, md5Order)
}

/** What each round hashes, in all three. */
const roundOf = (round: number, digest: Buffer, p: Buffer, s: Buffer): Buffer[] => [
  round % 2 === 0 ? digest : p,
  ...(round % 3 === 0 ? [] : [s]),
  ...(round % 7 === 0 ? [] : [p]),
  round % 2 === 0 ? p : digest,
]

/** `bytes` again and again until there are `length`. */
const stretched = (bytes: Buffer, length: number): Buffer => Buffer.alloc(length, bytes)

/** One piece for each bit of the length, the lowest first. */
function bitsOf(length: number, one: Buffer, zero: Buffer): Buffer[] {
  const pieces: Buffer[] = []
  for (let rest = length; rest > 0; rest >>= 1) pieces.push((rest & 1) === 1 ? one : zero)
  return pieces
}

/** Groups of up to three bytes, in the order of the algorithm, six bits a letter, the lowest first. */
function crypt64(digest: Buffer, order: readonly (readonly number[])[]): string {
  let text = ''
  for (const group of order) {
    let bits = group.reduce((all, index) => (all << 8) | digest[index]!, 0)
    for (let letters = Math.ceil((group.length * 8) / 6); letters > 0; letters--) {
      text += cryptLetters[bits & 63]
      bits >>= 6
    }
  }
  return text
}

const md5Order = [[0, 6, 12], [1, 7, 13], [2, 8, 14], [3, 9, 15], [4, 10, 5], [11]]
/** From group to group each index goes on to the one behind it; which of the three comes first turns round. */
const sha256Order = [...Array.from({ length: 10 }, (_, at) => turned([at, at + 10, at + 20], -at)), [31, 30]]
const sha512Order = [...Array.from({ length: 21 }, (_, at) => turned([at, at + 21, at + 42], at)), [63]]

function turned(group: readonly number[], by: number): number[] {
  const first = ((by % 3) + 3) % 3
  return [0, 1, 2].map((index) => group[(first + index) % 3]!)
}
