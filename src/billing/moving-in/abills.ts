import { normalMac } from '../../domain/mac.ts'
import { type Money, negated, zero } from '../../domain/money.ts'
import { momentOf, type Present } from './moments.ts'
import { exactRubles, rublesAt, tariffPrice } from './money.ts'
import {
  type MovedLogin,
  type MovedPassword,
  type MovedRecord,
  type MovedSubscriber,
  type MovedTariff,
  plainLogin,
  plainSubscriber,
  type Remark,
  remark,
  type Speed,
} from './records.ts'
import { clear } from './passwords.ts'
import { grouped, type Row, type Tables, textOf, type Wanted } from './tables/tables.ts'

/** The tables of ABillS (db/abills.sql); `tollgate_passwords` is made by the operator, see docs/moving-in.md. */
export const abillsTables: Wanted = {
  users: ['id', 'uid', 'credit', 'credit_date', 'reduction', 'disable', 'company_id', 'bill_id', 'deleted', 'expire'],
  users_pi: [
    ...['uid', 'fio', 'fio2', 'fio3', 'phone', 'email', 'comments', 'contract_id', 'contract_sufix', 'location_id'],
    ...['address_street', 'address_build', 'address_flat', 'city'],
  ],
  users_contacts: ['uid', 'type_id', 'value'],
  bills: ['id', 'deposit'],
  companies: [
    'id',
    'name',
    'bill_id',
    'credit',
    'credit_date',
    'disable',
    'address',
    'phone',
    'email',
    'contract_id',
    'comments',
  ],
  internet_main: ['id', 'uid', 'tp_id', 'logins', 'ip', 'cid', 'disable', 'login', 'vlan', 'speed', 'expire'],
  dv_main: ['uid', 'tp_id', 'logins', 'ip', 'cid', 'disable', 'speed', 'expire'],
  tarif_plans: ['tp_id', 'id', 'name', 'module', 'month_fee', 'day_fee', 'credit'],
  intervals: ['id', 'tp_id'],
  trafic_tarifs: ['id', 'interval_id', 'in_speed', 'out_speed'],
  builds: ['id', 'street_id', 'number'],
  streets: ['id', 'name', 'district_id'],
  districts: ['id', 'name'],
  nas: ['id', 'name', 'ip', 'disable'],
  tollgate_passwords: ['uid', 'service_id', 'password'],
}

/** Kinds of users_contact_types as ABillS brings them. */
const contacts = { phone: ['1', '2'], email: ['9'] } as const
/** States of a service for which money is the reason (internet_main.disable): the balance decides that here. */
const forMoney: ReadonlySet<string> = new Set(['4', '5'])
const onHoliday = '3'

/** What a dump of ABillS says. A company is one subscriber with its users' logins, because they have one account. */
export function* readAbills(tables: Tables, present: Present): Generator<MovedRecord> {
  tables.require(['users', 'bills', 'tarif_plans'], 'dump of ABillS')
  const reading = new Abills(tables, present)
  for (const row of tables.rows('nas')) {
    if (textOf(row, 'disable') === '1') continue
    yield remark(
      `nas "${textOf(row, 'name') ?? row.id}"`,
      'the secrets of NAS stand in clients.conf: move them in by freeradius_files',
    )
  }
  yield* reading.tariffs()
  const users = tables.rows('users').filter((row) => !isSet(row, 'deleted'))
  for (const row of tables.rows('users'))
    if (isSet(row, 'deleted')) yield remark(`uid ${row.uid}`, 'is deleted there and not moved in')
  for (const row of users) if (!isSet(row, 'company_id')) yield* reading.person(row)
  const members = users.filter((row) => isSet(row, 'company_id'))
  for (const [company, rows] of grouped(members, 'company_id')) yield* reading.company(company, rows)
}

class Abills {
  readonly #present: Present
  readonly #tables: Tables
  readonly #balances: ReadonlyMap<string, Money>
  readonly #people: ReadonlyMap<string, Row>
  readonly #contacts: ReadonlyMap<string, readonly Row[]>
  readonly #services: ReadonlyMap<string, readonly Row[]>
  readonly #passwords: ReadonlyMap<string, string>
  readonly #plans: ReadonlyMap<string, Row>
  readonly #places: { readonly [table in 'builds' | 'streets' | 'districts']: ReadonlyMap<string, Row> }
  readonly #contracts = new Map<string, number>()

  constructor(tables: Tables, present: Present) {
    this.#present = present
    this.#tables = tables
    const by = (table: string, column: string) => new Map(tables.rows(table).map((row) => [row[column] ?? '', row]))
    this.#balances = new Map(tables.rows('bills').map((row) => [row.id ?? '', rublesAt(`bill ${row.id}`, row.deposit)]))
    this.#people = by('users_pi', 'uid')
    this.#contacts = grouped(tables.rows('users_contacts'), 'uid')
    this.#services = grouped(tables.rows(tables.has('internet_main') ? 'internet_main' : 'dv_main'), 'uid')
    this.#plans = by('tarif_plans', 'tp_id')
    this.#places = { builds: by('builds', 'id'), streets: by('streets', 'id'), districts: by('districts', 'id') }
    this.#passwords = new Map(
      tables.rows('tollgate_passwords').map((row) => [`${row.uid} ${row.service_id ?? '0'}`, row.password ?? '']),
    )
    for (const row of [...tables.rows('users_pi'), ...tables.rows('companies')]) {
      const number = textOf(row, 'contract_id')
      if (number !== null) this.#contracts.set(number, (this.#contracts.get(number) ?? 0) + 1)
    }
  }

  *tariffs(): Generator<MovedRecord> {
    const speeds = this.#speeds()
    const used = new Set([...this.#services.values()].flat().map((row) => row.tp_id))
    for (const [id, row] of this.#plans) {
      if (!used.has(id)) continue
      const place = `tariff ${id}`
      const { price, remarks } = tariffPrice(place, row.month_fee)
      const tariff: MovedTariff = {
        ...{ kind: 'tariff', place, name: this.#tariffName(id)!, reply: [], price, speed: speeds.get(id) ?? null },
      }
      yield tariff
      yield* remarks
      if (isMoney(row, 'day_fee')) yield remark(place, 'is charged by the day; the tariff has its monthly fee alone')
      if (isMoney(row, 'credit'))
        yield remark(place, 'gives a credit, which is not carried over; set limits or let promise payments do it')
    }
  }

  *person(row: Row): Generator<MovedRecord> {
    const uid = row.uid ?? ''
    const info = this.#people.get(uid)
    const name = [textOf(info, 'fio'), textOf(info, 'fio2'), textOf(info, 'fio3')].filter(Boolean).join(' ')
    const own = textOf(info, 'contract_id')
    const number = own === null ? uid : `${own}${textOf(info, 'contract_sufix') ?? ''}`
    const place = `uid ${uid}`
    const contact = (kind: keyof typeof contacts) =>
      this.#contacts.get(uid)?.find((one) => contacts[kind].some((type) => type === one.type_id))?.value ??
      textOf(info, kind)
    yield* this.#subscriber(
      {
        ...plainSubscriber(place, this.#isTaken(own) ? uid : number, name || (textOf(row, 'id') ?? uid)),
        ...{
          email: contact('email'),
          phone: contact('phone'),
          address: this.#address(info),
          comment: textOf(info, 'comments'),
        },
      },
      row,
      [row],
    )
  }

  *company(id: string, members: readonly Row[]): Generator<MovedRecord> {
    const row = this.#tables.rows('companies').find((one) => one.id === id)
    const place = `company ${id}`
    if (!row) {
      for (const member of members) yield* this.person(member)
      return
    }
    const own = textOf(row, 'contract_id')
    yield* this.#subscriber(
      {
        ...plainSubscriber(
          place,
          own === null || this.#isTaken(own) ? `company-${id}` : own,
          textOf(row, 'name') ?? place,
        ),
        ...{ company: true, email: textOf(row, 'email'), phone: textOf(row, 'phone'), address: textOf(row, 'address') },
        comment: textOf(row, 'comments'),
      },
      row,
      members,
    )
  }

  /** `payer` has the account and the credit. */
  *#subscriber(whose: MovedSubscriber, payer: Row, members: readonly Row[]): Generator<MovedRecord> {
    const { place } = whose
    const services = members.flatMap((member) => this.#servicesOf(member))
    const [first, ...others] = services
    const tariff = first ? this.#tariffName(first.row.tp_id ?? '') : null
    if (others.some(({ row }) => this.#tariffName(row.tp_id ?? '') !== tariff))
      yield remark(place, 'has services of several tariffs; the subscriber gets the first of them')
    const [logins, remarks] = loginsOf(services, this.#present)
    yield* remarks
    for (const member of members)
      if (isMoney(member, 'reduction')) yield remark(`uid ${member.uid}`, 'the reduction of prices is not carried over')
    const credit = rublesAt(place, payer.credit)
    const until = dateOf(payer.credit_date, this.#present.zone)
    const isOpen = credit > zero && until !== null && until > this.#present.now
    const isBlocked =
      members.every((member) => isSet(member, 'disable') || isPast(member, this.#present)) || isSet(payer, 'disable')
    const isOnHoliday = services.length > 0 && services.every(({ row }) => row.disable === onHoliday)
    yield {
      ...whose,
      ...{ tariff, balance: this.#balances.get(payer.bill_id ?? '') ?? zero, logins },
      limit: credit > zero && until === null ? negated(credit) : null,
      promise: isOpen ? { amount: credit, until } : null,
      blocked: isBlocked ? 'operator' : isOnHoliday ? 'client' : null,
    }
  }

  /** A user without a service is a login without an address. */
  #servicesOf(user: Row): readonly Service[] {
    const uid = user.uid ?? ''
    const rows = this.#services.get(uid) ?? [{}]
    return rows.map((row) => {
      const password = this.#passwords.get(`${uid} ${row.id ?? '0'}`) ?? this.#passwords.get(`${uid} 0`)
      return { user, row, password: password === undefined ? unknownPassword : clear(password) }
    })
  }

  #isTaken(number: string | null): boolean {
    return number !== null && (this.#contracts.get(number) ?? 0) > 1
  }

  /** Of plans with one name, each has its number too. */
  #tariffName(id: string): string | null {
    const name = textOf(this.#plans.get(id), 'name')
    if (name === null) return null
    const isShared = [...this.#plans.values()].filter((row) => textOf(row, 'name') === name).length > 1
    return isShared ? `${name} (${id})` : name
  }

  /** In kbit/s; `in` is towards the client. The first class of traffic counts. */
  #speeds(): ReadonlyMap<string, Speed> {
    const planOf = new Map(this.#tables.rows('intervals').map((row) => [row.id, row.tp_id ?? '']))
    const speeds = new Map<string, Speed>()
    for (const row of this.#tables.rows('trafic_tarifs')) {
      const plan = planOf.get(row.interval_id ?? null)
      const speed = { downKbit: Number(row.in_speed), upKbit: Number(row.out_speed) }
      if (row.id === '0' && plan !== undefined && !speeds.has(plan) && speed.downKbit > 0 && speed.upKbit > 0)
        speeds.set(plan, speed)
    }
    return speeds
  }

  #address(info: Row | undefined): string | null {
    const { builds, streets, districts } = this.#places
    const build = builds.get(info?.location_id ?? '')
    const street = streets.get(build?.street_id ?? '')
    const district = districts.get(street?.district_id ?? '')
    const parts = [
      textOf(district, 'name') ?? textOf(info, 'city'),
      textOf(street, 'name') ?? textOf(info, 'address_street'),
      textOf(build, 'number') ?? textOf(info, 'address_build'),
      textOf(info, 'address_flat'),
    ]
    return parts.filter(Boolean).join(', ') || null
  }
}

type Service = { readonly user: Row; readonly row: Row; readonly password: MovedPassword }

const unknownPassword: MovedPassword = {
  kind: 'unreadable',
  why: 'is encrypted there, and the dump has no table tollgate_passwords for it',
}

/** A further service without a login of its own has none here either. */
function loginsOf(services: readonly Service[], present: Present): readonly [readonly MovedLogin[], readonly Remark[]] {
  const logins: MovedLogin[] = []
  const remarks: Remark[] = []
  for (const { user, row, password } of services) {
    const login = textOf(row, 'login') ?? textOf(user, 'id') ?? ''
    const place = `uid ${user.uid} "${login}"`
    if (logins.some((one) => one.login === login)) {
      remarks.push(remark(place, 'a further service without a login of its own is not carried over'))
      continue
    }
    const cid = textOf(row, 'cid')
    if (cid !== null && normalMac(cid) === null)
      remarks.push(remark(place, 'the CID is not one MAC address and not carried over'))
    if (isMoney(row, 'speed')) remarks.push(remark(place, 'a speed of its own is not carried over: give it a tariff'))
    const state = row.disable ?? '0'
    logins.push({
      ...plainLogin(place, login, password),
      ...{ ip: addressOf(row.ip), mac: cid === null ? null : normalMac(cid) },
      simultaneousUse: Number(row.logins ?? 0) || null,
      vlan: Number(row.vlan ?? 0) || null,
      disabled: isPast(row, present) || (state !== '0' && state !== onHoliday && !forMoney.has(state)),
    })
  }
  return [logins, remarks]
}

const isSet = (row: Row, column: string): boolean => Number(row[column] ?? 0) !== 0
const isMoney = (row: Row, column: string): boolean => (exactRubles(row[column] ?? '0') ?? zero) > zero
const isPast = (row: Row, { now, zone }: Present): boolean => {
  const end = dateOf(row.expire, zone)
  return end !== null && end <= now
}

/** The end of a day; null for MySQL's day of nothing. */
function dateOf(text: string | null | undefined, zone: string): Date | null {
  if (!text || text.startsWith('0000')) return null
  return momentOf(`${text.slice(0, 10)}T23:59:59`, zone)
}

function addressOf(number: string | null | undefined): string | null {
  const value = Number(number ?? 0)
  if (!Number.isInteger(value) || value <= 0 || value > 0xff_ff_ff_ff) return null
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.')
}
