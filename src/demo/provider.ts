import type { Pool } from 'pg'
import { type Accounts, systemAuthor } from '../accounts/messages.ts'
import { accountId, subscriberId } from '../domain/ids.ts'
import { type Money, rubles } from '../domain/money.ts'
import { operationTypes } from '../domain/operation.ts'
import type { Secrets } from '../storage/secrets.ts'
import { Dice } from './dice.ts'

/** Subscribers of the demo provider. */
export const subscribersMax = 300

/** Every demo login has this password, so that a visitor can ask RADIUS himself. */
export const demoPassword = 'demo'
export const demoNasSecret = 'demo-nas-secret'

export const demoNas = [
  { name: 'bras-north (MikroTik)', ip: '127.0.0.11', type: 'mikrotik' },
  { name: 'bras-south (Cisco)', ip: '127.0.0.12', type: 'cisco' },
  { name: 'bras-east (accel-ppp)', ip: '127.0.0.13', type: 'accel' },
] as const

const tariffs = [
  { name: 'Домашний 50', price: rubles(450), speed: 50, garden: true },
  { name: 'Домашний 100', price: rubles(600), speed: 100, garden: false },
  { name: 'Домашний 300', price: rubles(850), speed: 300, garden: false },
  { name: 'Бизнес 500', price: rubles(4_900), speed: 500, garden: false },
]

const surnames = [
  'Иванов',
  'Смирнов',
  'Кузнецов',
  'Попов',
  'Соколов',
  'Лебедев',
  'Козлов',
  'Новиков',
  'Морозов',
  'Волков',
]
const names = ['Алексей', 'Борис', 'Виктор', 'Григорий', 'Дмитрий', 'Евгений', 'Иван', 'Константин', 'Михаил', 'Павел']
const streets = ['Садовая', 'Лесная', 'Мира', 'Заречная', 'Школьная']
const day = 86_400_000
/** Clients filled in at the same time: many share a commit, few a connection. */
const lanes = 16

/**
 * Fills an empty database with a small provider: tariffs, a pool, NAS, addresses, and subscribers with half a year of
 * receipts and monthly charges, about one in ten of them in debt. The money goes through the accounts' actors as always.
 * Answers false, and changes nothing, where there are subscribers already.
 */
export async function fillProvider(pool: Pool, accounts: Accounts, secrets: Secrets, now: Date): Promise<boolean> {
  const { rows } = await pool.query('SELECT 1 FROM abonents LIMIT 1')
  if (rows.length > 0) return false
  const dice = new Dice(2026)
  const tariffIds = await insertTariffs(pool)
  const poolId = await insertNetwork(pool, secrets)
  const homeIds = await insertHomes(pool)
  const clients = Array.from({ length: subscribersMax }, (_, index) => ({
    number: String(index + 1).padStart(6, '0'),
    login: `demo${String(index + 1).padStart(3, '0')}`,
    name: `${dice.pick(surnames)} ${dice.pick(names)}`,
    tariff: dice.pick([0, 0, 1, 1, 1, 2, 2, 3]),
    home: dice.pick(homeIds),
    months: 1 + dice.below(6),
    isDebtor: dice.below(10) === 0,
  }))
  const fill = async (client: (typeof clients)[number]) => {
    const { price } = tariffs[client.tariff]!
    const since = new Date(now.getTime() - client.months * 30 * day)
    const ids = await insertClient(pool, { ...client, tariffId: tariffIds[client.tariff]!, poolId, since, secrets })
    await replayHistory(accounts, ids, price, client.months, client.isDebtor, now)
  }
  // All at once they would wait for a connection longer than anybody may.
  const waiting = clients.values()
  const lane = async () => {
    for (const client of waiting) await fill(client)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return true
}

async function insertTariffs(pool: Pool): Promise<number[]> {
  const ids: number[] = []
  for (const { name, price, speed, garden } of tariffs) {
    const { rows } = await pool.query(
      `INSERT INTO tarifs (name, price, speed_mbit, upload_mbit, enabled, is_public, walled_garden)
      VALUES ($1, $2, $3, $3, true, true, $4) RETURNING id`,
      [name, price.toString(), speed, garden],
    )
    ids.push(Number(rows[0].id))
  }
  return ids
}

async function insertNetwork(pool: Pool, secrets: Secrets): Promise<number> {
  for (const { name, ip, type } of demoNas) {
    await pool.query(
      'INSERT INTO nas (name, ip, secret, nas_type, coa_port, enabled) VALUES ($1, $2, $3, $4, 3799, true)',
      [name, ip, secrets.seal(demoNasSecret), type],
    )
  }
  const { rows } = await pool.query(
    `INSERT INTO ip_pulls (name, network, gateway, enabled) VALUES ('Домашняя сеть', '10.64.0.0/22', '10.64.0.1', true) RETURNING id`,
  )
  return Number(rows[0].id)
}

async function insertHomes(pool: Pool): Promise<number[]> {
  const insert = async (parent: number | null, kind: string, name: string) => {
    const text = 'INSERT INTO homes (parent_id, kind, name) VALUES ($1, $2, $3) RETURNING id'
    return Number((await pool.query(text, [parent, kind, name])).rows[0].id)
  }
  const city = await insert(null, 'city', 'Солнечногорск')
  const ids: number[] = []
  for (const street of streets) {
    const streetId = await insert(city, 'street', street)
    for (let house = 1; house <= 6; house++) ids.push(await insert(streetId, 'house', String(house)))
  }
  return ids
}

type NewClient = {
  number: string
  login: string
  name: string
  home: number
  tariffId: number
  poolId: number
  since: Date
  secrets: Secrets
}

async function insertClient(pool: Pool, client: NewClient): Promise<{ account: number; subscriber: number }> {
  const { rows } = await pool.query(
    `WITH account AS (INSERT INTO admin_accounts (create_date) VALUES ($5) RETURNING id),
      abonent AS (INSERT INTO abonents (name, contract_number, tarif_id, account_id, organization_id, create_date, home_id)
        SELECT $1, $2, $3, account.id, 1, $5, $4 FROM account RETURNING id, account_id),
      login AS (INSERT INTO users (abonent_id, login, password, pool_id) SELECT abonent.id, $6, $7, $8 FROM abonent)
    SELECT id, account_id FROM abonent`,
    [
      client.name,
      client.number,
      client.tariffId,
      client.home,
      client.since,
      client.login,
      client.secrets.seal(demoPassword),
      client.poolId,
    ],
  )
  return { account: Number(rows[0].account_id), subscriber: Number(rows[0].id) }
}

/** A payment and a charge a month; a debtor's last payment never came. */
async function replayHistory(
  accounts: Accounts,
  ids: { account: number; subscriber: number },
  price: Money,
  months: number,
  isDebtor: boolean,
  now: Date,
): Promise<void> {
  const post = (typeId: number, sign: 1 | -1, amount: Money, description: string, daysAgo: number) =>
    accounts.ask(
      accountId(ids.account),
      {
        kind: 'post',
        typeId,
        sign,
        amount,
        subscriberId: subscriberId(ids.subscriber),
        movedAt: new Date(now.getTime() - daysAgo * day),
        description,
        details: {},
        keys: [],
      },
      systemAuthor('demo'),
    )
  for (let month = months; month >= 1; month--) {
    const isUnpaid = isDebtor && month === 1
    if (!isUnpaid) await post(operationTypes.gatewayA, 1, price, 'Оплата через интернет', month * 30 + 2)
    await post(operationTypes.tariffCharge, -1, price, 'Абонентская плата', month * 30 - 1)
  }
  if (!isDebtor) await post(operationTypes.manualReceipt, 1, rubles(100), 'Наличные в офисе', 1)
}
