/**
 * The subscribers every server of this bench knows, as radius-load's packet.c makes them. Subscriber 1 is the first.
 */
export type Crowd = { readonly users: number; readonly nas: readonly string[] }

export const secret = 'testing123'
/** Every hundredth is blocked by the operator; every fiftieth sign-in has a wrong password. */
export const blockedEvery = 100
export const wrongEvery = 50

export const loginOf = (user: number): string => `user${user}`

const passwordsMax = 1000
/** Passwords by their number, which passwordNumber tells. */
export const passwords = Array.from({ length: passwordsMax }, (_, n) => `word-${String(n).padStart(4, '0')}`)
/** The same in JavaScript and SQL. */
export const passwordNumber = (user: number): number => (user * 7919) % passwordsMax
export const passwordNumberSql = (user: string): string => `(${user}::int8 * 7919 % ${passwordsMax})::int4`

export const addressOf = (user: number): string => `10.${(user >> 16) & 255}.${(user >> 8) & 255}.${user & 255}`

/** What an Access-Accept says besides the address. */
export const interimSeconds = 300
export const speedMbit = 100
export const rateLimit = '100M/100M'
export const classOf = (user: number): string => `tg1/${user}/${user}`

/** Addresses for so many NAS, one behind another. */
export const nasFirst = '127.0.0.101'
export function nasAddresses(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `127.0.${(101 + n) >> 8}.${(101 + n) & 255}`)
}
