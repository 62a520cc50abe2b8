import type { Pool } from 'pg'
import type { Accounts } from '../billing/accounts/messages.ts'
import { systemAuthor } from '../domain/author.ts'
import { dayOf, firstDay, type Month, monthBefore, monthOf, startOfDay, wholeMonth } from '../domain/calendar.ts'
import { chargeText } from '../domain/charge-words.ts'
import { accountId, subscriberId } from '../domain/ids.ts'
import { chargeKeys } from '../domain/money-keys.ts'
import { type Money, rubles } from '../domain/money.ts'
import { type OperationDetails, operationTypes } from '../domain/operation.ts'
import type { Secrets } from '../platform/secrets/secrets.ts'
import { Dice } from './dice.ts'

/** Subscribers of the demo provider. */
export const subscribersMax = 300

/** Every demo login has this password, so that visitors can send RADIUS requests themselves. */
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
/** The default of TIME_ZONE. */
const zone = 'Europe/Moscow'
/** How many clients are created at the same time: enough to share commits, few enough for the connections. */
const atOnce = 16

/**
 * Fills an empty database with a small provider: tariffs, a pool, NAS, addresses, and subscribers with half a year of
 * receipts and monthly charges, about one in ten of them in debt. Money moves through the account actors as always.
 * Returns false and changes nothing when there are subscribers already.
 */
export async function fillProvider(pool: Pool, accounts: Accounts, secrets: Secrets, now: Date): Promise<boolean> {
  const { rows } = await pool.query('SELECT 1 FROM abonents LIMIT 1')
  if (rows.length > 0) return false
  const dice = new Dice(2026)
  await nameCompany(pool)
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
    const tariff = tariffs[client.tariff]!
    const since = new Date(now.getTime() - client.months * 30 * day)
    const password = secrets.seal(demoPassword)
    const ids = await insertClient(pool, client, { tariffId: tariffIds[client.tariff]!, poolId, since, password })
    await replayHistory(accounts, ids, tariff, client, now)
  }
  // All at once they would wait for a connection longer than the pool allows.
  const waiting = clients.values()
  const work = async () => {
    for (const client of waiting) await fill(client)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return true
}

/** The company's details on printed documents. The numbers belong to no real company. */
async function nameCompany(pool: Pool): Promise<void> {
  await pool.query(`UPDATE organizations SET full_name = 'ООО «Солнечные сети»', inn = '5044000001', kpp = '504401001',
    ogrn = '1025000000001', address = '141506, Московская обл., г. Солнечногорск, ул. Мира, д. 1', phone = '+7 (495) 000-00-00',
    bank_name = 'Банк «Пример», г. Москва', bik = '044500000', settlement_account = '40702810000000000001',
    correspondent_account = '30101810000000000000', director = 'Соколова Е. А.', accountant = 'Лебедев П. И.', vat_rate = 22
    WHERE id = 1 AND full_name IS NULL`)
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

async function insertClient(
  pool: Pool,
  { number, name, home, login }: { number: string; name: string; home: number; login: string },
  { tariffId, poolId, since, password }: { tariffId: number; poolId: number; since: Date; password: string },
): Promise<{ account: number; subscriber: number }> {
  const { rows } = await pool.query(
    `WITH account AS (INSERT INTO admin_accounts (create_date) VALUES ($5) RETURNING id),
      abonent AS (INSERT INTO abonents (name, contract_number, tarif_id, account_id, organization_id, create_date, home_id)
        SELECT $1, $2, $3, account.id, 1, $5, $4 FROM account RETURNING id, account_id),
      login AS (INSERT INTO users (abonent_id, login, password, pool_id) SELECT abonent.id, $6, $7, $8 FROM abonent)
    SELECT id, account_id FROM abonent`,
    [name, number, tariffId, home, since, login, password, poolId],
  )
  return { account: Number(rows[0].account_id), subscriber: Number(rows[0].id) }
}

/**
 * Posts a payment and a charge for each month up to this one; the last payment of a debtor is missing. The charges have
 * the keys of billing_worker, so that it does not charge this month again.
 */
async function replayHistory(
  accounts: Accounts,
  ids: { account: number; subscriber: number },
  { name, price }: { name: string; price: Money },
  { months, isDebtor }: { months: number; isDebtor: boolean },
  now: Date,
): Promise<void> {
  type Posting = {
    typeId: number
    sign: 1 | -1
    amount: Money
    description: string
    movedAt: Date
    details?: OperationDetails
    keys?: string[]
  }
  const post = (posting: Posting) =>
    accounts.ask(
      accountId(ids.account),
      { kind: 'post', subscriberId: subscriberId(ids.subscriber), details: {}, keys: [], ...posting },
      systemAuthor('demo'),
    )
  const { gatewayA, tariffCharge, manualReceipt } = operationTypes
  const details = { operatorName: 'gwa' }
  const online = { typeId: gatewayA, sign: 1, description: 'Оплата через интернет', details } as const
  const charged = lastMonths(monthOf(dayOf(now, zone)), months)
  for (const [at, month] of charged.entries()) {
    const begins = startOfDay(firstDay(month), zone)
    const paidAt = new Date(begins.getTime() - 2 * day)
    const isUnpaid = isDebtor && at === charged.length - 1
    if (!isUnpaid) await post({ ...online, amount: price, movedAt: paidAt })
    const description = chargeText.tariff(name, wholeMonth(month))
    const keys = [chargeKeys.tariff.of(subscriberId(ids.subscriber), month)]
    await post({ typeId: tariffCharge, sign: -1, amount: price, description, movedAt: begins, keys })
  }
  const yesterday = new Date(now.getTime() - day)
  const cash = { typeId: manualReceipt, sign: 1, amount: rubles(100), description: 'Наличные в офисе' } as const
  if (!isDebtor) await post({ ...cash, movedAt: yesterday })
}

/** The months up to the last one, the oldest first. */
function lastMonths(last: Month, count: number): Month[] {
  const months = [last]
  while (months.length < count) months.unshift(monthBefore(months[0]!))
  return months
}
