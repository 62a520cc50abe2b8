import { randomBytes } from 'node:crypto'
import { loginBytesMax } from '../../domain/login-name.ts'
import type { Client } from '../../platform/storage/sql.ts'

/** What a new subscriber is given where an operator names nothing. */

/** So many of the newest contracts are looked at for the number that goes on. */
const newestMax = 200
/** So many numbers in a row may be taken, as by an import; then the operator names one. */
const takenMax = 10_000
const digitsUsual = 6

/** A number of a contract, between texts that stay. */
type Numbering = { readonly before: string; readonly after: string; readonly digits: number; readonly last: bigint }

/**
 * The next free number of a contract; null: none is near. `pattern` is the setting CONTRACT_NUMBER_PATTERN, and `year`
 * takes the place of {year} in it. Without a pattern the numbers of the newest contracts go on as they are written.
 */
export async function proposeContractNumber(client: Client, pattern: string, year: string): Promise<string | null> {
  const text = `SELECT contract_number FROM abonents ORDER BY id DESC LIMIT ${newestMax}`
  const { rows } = await client.query<{ contract_number: string }>(text)
  const newest = rows.map(({ contract_number }) => contract_number)
  const { before, after, digits, last } =
    pattern === '' ? continued(newest) : following(newest, pattern.replaceAll('{year}', year))
  // Clients sign in by numbers without their leading zeros too, so a number must differ from others by more than these.
  // In their order already, so that they are looked up one by one until one is free, and the others not at all.
  const found = await client.query<{ number: string }>(
    `SELECT number FROM (SELECT next FROM generate_series($1::int8 + 1, $1::int8 + ${takenMax}) AS next ORDER BY next OFFSET 0) AS place,
        concat($2::text, lpad(next::text, greatest($4::int, length(next::text)), '0'), $3::text) AS number
      WHERE NOT EXISTS (SELECT FROM abonents WHERE ltrim(contract_number, '0') = ltrim(number, '0') AND NOT deleted)
      ORDER BY next LIMIT 1`,
    [String(last), before, after, digits],
  )
  return found.rows[0]?.number ?? null
}

/** The numbering of the newest contract that ends in digits. */
function continued(newest: readonly string[]): Numbering {
  const read = newest.map((number) => /^(.*?)(\d{1,15})$/s.exec(number)).find((match) => match !== null)
  if (!read) return { before: '', after: '', digits: digitsUsual, last: 0n }
  const [, before = '', number = ''] = read
  return withLast(newest, { before, after: '', digits: number.length })
}

/** The numbering of a pattern such as `A-{year}/####`. */
function following(newest: readonly string[], pattern: string): Numbering {
  const [, before = '', places = '', after = ''] = /^([^#]*)(#+)([^#]*)$/s.exec(pattern) ?? []
  return withLast(newest, { before, after, digits: places.length })
}

function withLast(newest: readonly string[], numbering: Omit<Numbering, 'last'>): Numbering {
  const { before, after } = numbering
  let last = 0n
  for (const number of newest) {
    if (!number.startsWith(before) || !number.endsWith(after) || number.length <= before.length + after.length) continue
    const digits = number.slice(before.length, number.length - after.length)
    if (/^\d{1,15}$/.test(digits) && BigInt(digits) > last) last = BigInt(digits)
  }
  return { ...numbering, last }
}

const namesakesMax = 50
/** With the longest number behind it, it is still a name that RADIUS carries. */
const proposedMax = loginBytesMax - '-12345678'.length

/** A login that nobody has: the number of the contract in letters that every NAS takes, if need be with a number. */
export async function proposeLogin(client: Client, contract: string): Promise<string> {
  const plain = contract
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .slice(0, proposedMax)
    .replace(/^[._-]+|[._-]+$/g, '')
  const name = plain === '' ? 'client' : plain
  const candidates = [name, ...Array.from({ length: namesakesMax }, (_, at) => `${name}-${at + 2}`)]
  const { rows } = await client.query<{ login: string }>(
    `SELECT candidate AS login FROM unnest($1::text[]) WITH ORDINALITY AS named(candidate, place)
      WHERE NOT EXISTS (SELECT FROM users WHERE login = candidate) ORDER BY place LIMIT 1`,
    [candidates],
  )
  return rows[0]?.login ?? `${name}-${randomBytes(4).toString('hex')}`
}

/** Without signs that look like others when they are read out or written down. */
const signs = 'abcdefghjkmnpqrstuvwxyz23456789'
const passwordLength = 10

/** 49 bits, made of a seed of at least 20 random bytes. */
export const proposePassword = (seed: Buffer = randomBytes(2 * passwordLength)): string =>
  Array.from({ length: passwordLength }, (_, at) => signs[seed.readUInt16BE(2 * at) % signs.length]).join('')
