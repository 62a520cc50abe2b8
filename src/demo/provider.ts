import { randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import { type StaffId, staffId } from '../domain/ids.ts'
import { type Money, rubles } from '../domain/money.ts'
import type { Secrets } from '../platform/secrets/secrets.ts'
import { createStaff } from '../platform/staff/staff-table.ts'
import { insertDictionaries } from './dictionaries.ts'
import { demoPassword, housesMax, type Line, ownAddress, type Person } from './people.ts'

export const demoNasSecret = 'demo-nas-secret'

type DemoNas = { readonly name: string; readonly ip: string; readonly type: string; readonly secret: string }

/** Those that are simulated and work. */
export const workingNas = [
  { name: 'bras-north (MikroTik)', ip: '127.0.0.11', type: 'mikrotik', secret: demoNasSecret },
  { name: 'bras-south (Cisco)', ip: '127.0.0.12', type: 'cisco', secret: demoNasSecret },
  { name: 'bras-east (accel-ppp)', ip: '127.0.0.13', type: 'accel', secret: demoNasSecret },
] as const satisfies readonly DemoNas[]

/** Heard last some days ago. */
export const silentNas: DemoNas = {
  name: 'bras-west (Juniper)',
  ip: '127.0.0.14',
  type: 'juniper',
  secret: demoNasSecret,
}
export const silentDays = 3

/** Has another secret than its record, as after a mistake in its configuration. */
export const mistakenNas: DemoNas & { readonly itsSecret: string } = {
  name: 'bras-lake (MikroTik)',
  ip: '127.0.0.15',
  type: 'mikrotik',
  secret: demoNasSecret,
  itsSecret: 'demo-nas-secrte',
}

/** Asks without a record. */
export const unknownNasIp = '127.0.0.19'

export type Tariff = {
  readonly name: string
  readonly price: Money
  readonly speed: number
  readonly garden: boolean
}

export const tariffs: readonly Tariff[] = [
  { name: 'Домашний 50', price: rubles(450), speed: 50, garden: true },
  { name: 'Домашний 100', price: rubles(600), speed: 100, garden: false },
  { name: 'Домашний 300', price: rubles(850), speed: 300, garden: false },
  { name: 'Бизнес 500', price: rubles(4_900), speed: 500, garden: false },
]

/** Charged from the next month on, so that nobody owes anything because of them today. */
const services = [
  { name: 'Постоянный адрес', price: rubles(150) },
  { name: 'Антивирус', price: rubles(99) },
  { name: 'Телевидение', price: rubles(250) },
] as const

const streets = ['Садовая', 'Лесная', 'Мира', 'Заречная', 'Школьная']

/** Who works at the desk besides the first staff user. Nobody knows their passwords. */
const colleagues = [
  { username: 'kassa', role: 'cashier' },
  { username: 'oleg.support', role: 'operator' },
] as const

export type Provider = {
  readonly nas: readonly { readonly id: number; readonly ip: string }[]
  readonly silentNas: number
  readonly cashier: { readonly id: StaffId; readonly name: string }
  readonly support: { readonly id: StaffId; readonly name: string }
  readonly tariffs: readonly number[]
  readonly clients: readonly DemoClient[]
}

export type DemoClient = {
  readonly person: Person
  readonly account: number
  readonly subscriber: number
  readonly since: Date
  readonly logins: readonly (Line & { readonly id: number })[]
}

/** How many clients are created at the same time: enough to share the machine, few enough for the connections. */
const atOnce = 8

/** Writes what an operator would have entered: the company, tariffs, network, houses, colleagues and clients. */
export async function insertProvider(
  pool: Pool,
  secrets: Secrets,
  people: readonly Person[],
  now: Date,
): Promise<Provider> {
  // To stretch their passwords takes a while. Waited for together, so that what fails first is what is told.
  const [[cashier, support], records] = await Promise.all([
    createColleagues(pool),
    insertRecords(pool, secrets, people, now),
  ])
  return { ...records, cashier, support }
}

async function insertRecords(
  pool: Pool,
  secrets: Secrets,
  people: readonly Person[],
  now: Date,
): Promise<Omit<Provider, 'cashier' | 'support'>> {
  await nameCompany(pool)
  const tariffIds = await insertTariffs(pool)
  const nas = await insertNas(pool, secrets, now)
  const pools = await insertPools(pool)
  const houses = await insertHouses(pool)
  const switches = await insertSwitches(pool, secrets, houses)
  const places = { tariffIds, pools, houses, switches, password: secrets.seal(demoPassword) }
  const clients: DemoClient[] = []
  const waiting = people.values()
  const work = async () => {
    for (const person of waiting) clients.push(await insertClient(pool, person, places, now))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  await giveServices(pool, clients)
  await insertDictionaries(pool, secrets)
  clients.sort((a, b) => a.person.index - b.person.index)
  return { nas: nas.working, silentNas: nas.silent, tariffs: tariffIds, clients }
}

async function createColleagues(pool: Pool) {
  const create = async ({ username, role }: (typeof colleagues)[number]) => {
    const made = await createStaff(pool, { username, role, password: randomBytes(18).toString('base64url') })
    if (made.kind === 'refused') throw new Error(`The demo cannot create ${username}: ${made.reason}`)
    return { id: staffId(made.id), name: username }
  }
  return [await create(colleagues[0]), await create(colleagues[1])] as const
}

/** The company's details on printed documents. The numbers belong to no real company. */
async function nameCompany(pool: Pool): Promise<void> {
  await pool.query(`UPDATE organizations SET name = 'Солнечные сети', full_name = 'ООО «Солнечные сети»', inn = '5044000001', kpp = '504401001',
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

/** Every ninth client has a service. */
async function giveServices(pool: Pool, clients: readonly DemoClient[]): Promise<void> {
  for (const [at, { name, price }] of services.entries()) {
    const having = clients.filter(({ person: { index, lot } }) => index % 27 === 9 * at && lot !== 'deleted')
    await pool.query(
      `WITH service AS (INSERT INTO uslugas (name, price, is_public) VALUES ($1, $2, true) RETURNING id)
        INSERT INTO users_uslugas (abonent_id, usluga_id, charged_from)
        SELECT abonent, service.id, date_trunc('month', now()) + interval '1 month' FROM service, unnest($3::int8[]) AS abonent`,
      [name, price.toString(), having.map(({ subscriber }) => subscriber)],
    )
  }
}

async function insertNas(pool: Pool, secrets: Secrets, now: Date) {
  const insert = async ({ name, ip, type, secret }: DemoNas, heardAt: Date | null = null) => {
    const { rows } = await pool.query(
      `INSERT INTO nas (name, ip, secret, nas_type, coa_port, enabled, last_packet_at)
        VALUES ($1, $2, $3, $4, 3799, true, $5) RETURNING id`,
      [name, ip, secrets.seal(secret), type, heardAt],
    )
    return Number(rows[0].id)
  }
  const working = []
  for (const nas of workingNas) working.push({ id: await insert(nas), ip: nas.ip })
  const silent = await insert(silentNas, new Date(now.getTime() - silentDays * 86_400_000))
  await insert(mistakenNas)
  return { working, silent }
}

/** One with plenty of room, one that is nearly used up, and one that waits for its first client. */
async function insertPools(pool: Pool): Promise<{ home: number; narrow: number }> {
  const insert = async (name: string, network: string, gateway: string) => {
    const text = 'INSERT INTO ip_pulls (name, network, gateway, enabled) VALUES ($1, $2, $3, true) RETURNING id'
    return Number((await pool.query(text, [name, network, gateway])).rows[0].id)
  }
  const home = await insert('Домашняя сеть', '10.64.0.0/22', '10.64.0.1')
  const narrow = await insert('Частный сектор', '10.64.8.0/28', '10.64.8.1')
  await insert('Новостройки', '10.64.16.0/24', '10.64.16.1')
  return { home, narrow }
}

async function insertHouses(pool: Pool): Promise<House[]> {
  const insert = async (parent: number | null, kind: string, name: string) => {
    const text = 'INSERT INTO homes (parent_id, kind, name) VALUES ($1, $2, $3) RETURNING id'
    return Number((await pool.query(text, [parent, kind, name])).rows[0].id)
  }
  const city = await insert(null, 'city', 'Солнечногорск')
  const houses = []
  for (const [street, name] of streets.entries()) {
    const streetId = await insert(city, 'street', name)
    for (let number = 1; number <= housesMax / streets.length; number++)
      houses.push({ id: await insert(streetId, 'house', String(number)), street, number })
  }
  return houses
}

/** One in each house. */
async function insertSwitches(pool: Pool, secrets: Secrets, houses: readonly House[]): Promise<number[]> {
  const ids: number[] = []
  for (const { id, street, number } of houses) {
    const { rows } = await pool.query(
      `INSERT INTO switches (name, ip, mac, model, ports_count, home_id, snmp_community) VALUES ($1, $2, $3, $4, 24, $5, $6) RETURNING id`,
      [
        `${streets[street]}, ${number}`,
        `10.200.${street + 1}.${number}`,
        `02:10:00:00:0${street}:0${number}`,
        number % 2 === 0 ? 'D-Link DES-3200-28' : 'Eltex MES2324',
        id,
        secrets.seal('public'),
      ],
    )
    ids.push(Number(rows[0].id))
  }
  return ids
}

/** A place in `streets`, and the number in the street. */
type House = { readonly id: number; readonly street: number; readonly number: number }

type Places = {
  readonly tariffIds: readonly number[]
  readonly pools: { readonly home: number; readonly narrow: number }
  readonly houses: readonly House[]
  readonly switches: readonly number[]
  readonly password: string
}

async function insertClient(pool: Pool, person: Person, places: Places, now: Date): Promise<DemoClient> {
  const since = new Date(now.getTime() - person.days * 86_400_000)
  const house = places.houses[person.house]!
  const { rows } = await pool.query(
    `WITH account AS (INSERT INTO admin_accounts (create_date) VALUES ($5) RETURNING id)
      INSERT INTO abonents (name, contract_number, tarif_id, account_id, organization_id, create_date, home_id, flat, sms, email, company, address)
        SELECT $1, $2, $3, account.id, 1, $5, $4, $6, $7, $8, $9, $10 FROM account RETURNING id, account_id`,
    [
      person.name,
      person.contract,
      places.tariffIds[person.tariff],
      house.id,
      since,
      String(person.flat),
      person.phone,
      person.email,
      person.isCompany,
      `ул. ${streets[house.street]}, д. ${house.number}, кв. ${person.flat}`,
    ],
  )
  const subscriber = Number(rows[0].id)
  const logins = []
  for (const [at, line] of person.logins.entries()) {
    const { address, login } = line
    const answer = await pool.query(
      `INSERT INTO users (abonent_id, login, password, pool_id, ip, mac, switch_id, switch_port)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
      [
        subscriber,
        login,
        places.password,
        address === 'own' ? null : places.pools[address],
        address === 'own' ? ownAddress(person) : null,
        null,
        places.switches[person.house],
        1 + ((person.flat + at) % 24),
      ],
    )
    logins.push({ ...line, id: Number(answer.rows[0].id) })
  }
  return { person, account: Number(rows[0].account_id), subscriber, since, logins }
}
