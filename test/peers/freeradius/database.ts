import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { daloradiusTables } from '../../../src/billing/moving-in/freeradius/daloradius.ts'
import { ntPasswordHash } from '../../../src/network/radius/wire/ms-chap.ts'
import { cryptHashes } from '../../platform/passwords/hashes.ts'

/** The schema files of FreeRADIUS itself, as Debian's package brings them. */
export const schemaFolder = '/etc/freeradius/3.0/mods-config/sql/main'

type Cell = string | number | null
/** Rows by table; the first row of each names the columns. */
export type Contents = Readonly<Record<string, readonly (readonly Cell[])[]>>

export type Subscriber = {
  readonly username: string
  readonly password: string
  readonly stored: 'clear' | 'nt' | 'hash' | 'crypt' | 'des'
  /** Kopecks. */
  readonly balance: number
  readonly isDisabled: boolean
}

const attributes = ['username', 'attribute', 'op', 'value']
const [, crypt] = cryptHashes.find(([password]) => password === 'secret')!
const [, des] = cryptHashes.find(([password, hash]) => password === 'secret' && !hash.startsWith('$'))!

const plans = [
  { name: 'Home 10', group: 'home10', cost: '450.00', rate: '5M/10M' },
  { name: 'Home 100', group: 'home100', cost: '700.50', rate: '50M/100M' },
] as const

/** What a provider has in FreeRADIUS and daloRADIUS, made by a rule, so that it is the same in every run. */
export function providerOf(count: number): {
  readonly contents: Contents
  readonly subscribers: readonly Subscriber[]
} {
  const subscribers = Array.from({ length: count }, (_, at): Subscriber => subscriberOf(at))
  const radcheck: Cell[][] = [attributes]
  const radreply: Cell[][] = [attributes]
  const radusergroup: Cell[][] = [['username', 'groupname', 'priority']]
  const userinfo: Cell[][] = [['username', 'firstname', 'lastname', 'email', 'mobilephone', 'address', 'city', 'notes']]
  const userbillinfo: Cell[][] = [['id', 'username', 'planname']]
  const invoice: Cell[][] = [['id', 'user_id']]
  const items: Cell[][] = [['invoice_id', 'amount', 'tax_amount']]
  const payment: Cell[][] = [['invoice_id', 'amount']]
  for (const [at, subscriber] of subscribers.entries()) {
    const { username, balance, isDisabled } = subscriber
    const plan = plans[at % 2]!
    radcheck.push([username, ...passwordItem(subscriber)])
    if (at % 7 === 0) radcheck.push([username, 'Simultaneous-Use', ':=', '2'])
    if (at % 11 === 0) radcheck.push([username, 'Calling-Station-Id', '==', macOf(at)])
    if (at % 3 === 0) radreply.push([username, 'Framed-IP-Address', '=', `10.20.${at >> 8}.${at & 255}`])
    if (at % 40 === 0) radreply.push([username, 'Mikrotik-Rate-Limit', '=', '1M/2M 3M/4M'])
    if (at % 50 === 0)
      radreply.push(
        [username, 'Reply-Message', '+=', `Hello, "${username}"`],
        [username, 'Session-Timeout', ':=', '3600'],
      )
    if (isDisabled) radusergroup.push([username, 'daloRADIUS-Disabled-Users', 0])
    radusergroup.push([username, plan.group, 1])
    userinfo.push([
      username,
      'Иван',
      `O'Neil ${at}`,
      `${username}@example.org`,
      `+7 916 ${1_000_000 + at}`,
      'Lenina; 1',
      'Tver',
      'two\nlines',
    ])
    userbillinfo.push([at + 1, username, plan.name])
    // What was billed, with its tax, and what was paid.
    invoice.push([at + 1, at + 1])
    items.push([at + 1, '300.00', '60.10'])
    payment.push([at + 1, ((36_010 + balance) / 100).toFixed(2)])
  }
  const contents = {
    ...{ radcheck, radreply, radusergroup, userinfo, userbillinfo, invoice, invoice_items: items, payment },
    radgroupcheck: [
      ['groupname', 'attribute', 'op', 'value'],
      ['daloRADIUS-Disabled-Users', 'Auth-Type', ':=', 'Reject'],
    ],
    radgroupreply: [
      ['groupname', 'attribute', 'op', 'value'],
      ...plans.flatMap(({ group, rate }) => [
        [group, 'Mikrotik-Rate-Limit', '=', rate],
        [group, 'Framed-Protocol', '=', 'PPP'],
        [group, 'Acct-Interim-Interval', ':=', '120'],
        [group, 'Session-Timeout', '=', '86400'],
      ]),
    ],
    nas: [
      ['nasname', 'shortname', 'type', 'secret', 'description'],
      ['127.0.0.1', 'bras', 'other', 'testing123', 'The only one'],
    ],
    billing_plans: [
      ['planname', 'planrecurring', 'planrecurringperiod', 'plancost'],
      ...plans.map(({ name, cost }) => [name, 'Yes', 'Monthly', cost]),
    ],
    billing_plans_profiles: [['plan_name', 'profile_name'], ...plans.map(({ name, group }) => [name, group])],
  } satisfies Contents
  return { contents, subscribers }
}

function subscriberOf(at: number): Subscriber {
  const stored = (['clear', 'clear', 'clear', 'nt', 'hash', at % 12 === 5 ? 'crypt' : 'des'] as const)[at % 6]!
  return {
    username: `user${at}`,
    password: stored === 'crypt' || stored === 'des' ? 'secret' : `pass'word+${at}`,
    stored,
    // Every thirtieth is in debt.
    balance: at % 30 === 29 ? -1234 - at : (at * 7919) % 100_000,
    isDisabled: at % 45 === 44,
  }
}

export const macOf = (at: number): string =>
  `AA-BB-CC-00-${[at >> 8, at & 255].map((byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join('-')}`

function passwordItem({ password, stored }: Subscriber): [attribute: string, op: string, value: string] {
  if (stored === 'clear') return ['Cleartext-Password', ':=', password]
  if (stored === 'nt') return ['NT-Password', ':=', Buffer.from(ntPasswordHash(password)).toString('hex')]
  if (stored === 'crypt' || stored === 'des') return ['Crypt-Password', ':=', stored === 'des' ? des : crypt]
  const salt = Buffer.from('salt')
  const digest = createHash('sha1').update(password).update(salt).digest()
  return ['SSHA-Password', ':=', Buffer.concat([digest, salt]).toString('base64')]
}

/** Makes FreeRADIUS's own tables in PostgreSQL, and beside them those of daloRADIUS, which has none for it. */
export async function fillPostgres(url: string, contents: Contents): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(readFileSync(`${schemaFolder}/postgresql/schema.sql`, 'utf8'))
    for (const [table, columns] of Object.entries(daloradiusTables)) {
      const others = columns.filter((column) => column !== 'id').map((column) => `${column} text`)
      await client.query(`CREATE TABLE ${table} (id serial PRIMARY KEY, ${others.join(', ')})`)
    }
    for (const [table, [columns, ...rows]] of Object.entries(contents)) {
      const values = (index: number) => rows.map((row) => row[index] ?? null)
      const list = columns!.map((_, index) => `$${index + 1}::text[]`).join(', ')
      const types = columns!.map((column) => (['id', 'priority'].includes(String(column)) ? `${column}::int4` : column))
      await client.query(
        `INSERT INTO ${table} (${columns!.join(', ')}) SELECT ${types.join(', ')} FROM unnest(${list}) AS row(${columns!.join(', ')})`,
        columns!.map((_, index) => values(index)),
      )
    }
  } finally {
    await client.end()
  }
}

const quoted = (cell: Cell, escapes: boolean): string =>
  cell === null
    ? 'NULL'
    : typeof cell === 'number'
      ? String(cell)
      : escapes
        ? `'${cell.replace(/[\n\\']/g, (letter) => (letter === '\n' ? '\\n' : `\\${letter}`))}'`
        : `'${cell.replaceAll("'", "''")}'`

/** The rows as INSERT statements: as mysqldump writes them (`escapes`), or as SQLite reads them. */
export const insertsOf = (contents: Contents, tables: readonly string[], escapes: boolean): string =>
  tables
    .map((table) => {
      const [columns, ...rows] = contents[table]!
      const tuples = rows.map((row) => `(${row.map((cell) => quoted(cell, escapes)).join(',')})`)
      return `INSERT INTO ${table} (${columns!.join(', ')}) VALUES ${tuples.join(',\n')};\n`
    })
    .join('')
