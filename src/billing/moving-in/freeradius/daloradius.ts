import { type Money, minus, plus, zero } from '../../../domain/money.ts'
import { exactRubles, rublesAt, tariffPrice } from '../money.ts'
import { type MovedSubscriber, plainSubscriber, type Remark, remark } from '../records.ts'
import { grouped, type Row, type Tables, textOf, type Wanted } from '../tables/tables.ts'

/** What daloRADIUS keeps beside the tables of FreeRADIUS. Numbers of credit cards are not read. */
export const daloradiusTables = {
  userinfo: [
    ...['id', 'username', 'firstname', 'lastname', 'email', 'company', 'workphone', 'homephone', 'mobilephone'],
    ...['address', 'city', 'state', 'country', 'zip', 'notes'],
  ],
  userbillinfo: [
    ...['id', 'username', 'planname', 'contactperson', 'company', 'email', 'phone', 'address', 'city', 'state'],
    ...['country', 'zip', 'notes'],
  ],
  billing_plans: ['id', 'planname', 'planrecurring', 'planrecurringperiod', 'plancost', 'plansetupcost', 'plantax'],
  billing_plans_profiles: ['id', 'plan_name', 'profile_name'],
  invoice: ['id', 'user_id'],
  invoice_items: ['id', 'invoice_id', 'amount', 'tax_amount'],
  payment: ['id', 'invoice_id', 'amount'],
} as const satisfies Wanted

export type Plan = {
  readonly name: string
  readonly price: Money
  readonly groups: readonly string[]
  readonly remarks: readonly Remark[]
}

/** The people, plans and invoices of daloRADIUS; all of it empty where only FreeRADIUS is used. */
export class Daloradius {
  readonly plans: ReadonlyMap<string, Plan>
  readonly #info: ReadonlyMap<string, readonly Row[]>
  readonly #billing: ReadonlyMap<string, readonly Row[]>
  /** By the id of userbillinfo. */
  readonly #balances: ReadonlyMap<string, Money>

  constructor(tables: Tables) {
    this.#info = grouped(tables.rows('userinfo'), 'username')
    this.#billing = grouped(tables.rows('userbillinfo'), 'username')
    this.#balances = balancesOf(tables)
    const profiles = grouped(tables.rows('billing_plans_profiles'), 'plan_name')
    const plans = tables.rows('billing_plans').flatMap((row) => {
      const name = textOf(row, 'planname')
      return name === null ? [] : [planOf(name, row, profiles.get(name) ?? [])]
    })
    this.plans = new Map(plans.map((plan) => [plan.name, plan]))
  }

  usernames(): readonly string[] {
    return [...this.#info.keys(), ...this.#billing.keys()]
  }

  planOf(username: string): string | null {
    return textOf(this.#billing.get(username)?.[0], 'planname')
  }

  /** Whom a user name belongs to. */
  subscriber(place: string, username: string): MovedSubscriber {
    const plain = plainSubscriber(place, username, username)
    const [info] = this.#info.get(username) ?? []
    const [billing] = this.#billing.get(username) ?? []
    if (!info && !billing) return plain
    const first = (...names: readonly string[]) =>
      names.map((name) => textOf(info, name)).find(Boolean) ??
      names.map((name) => textOf(billing, name)).find(Boolean) ??
      null
    const person = [textOf(info, 'firstname'), textOf(info, 'lastname')].filter(Boolean).join(' ')
    const company = first('company')
    const address = ['zip', 'country', 'state', 'city', 'address'].map((name) => first(name)).filter(Boolean)
    return {
      ...plain,
      name: person || company || textOf(billing, 'contactperson') || username,
      company: person === '' && company !== null,
      email: first('email'),
      phone: first('mobilephone', 'homephone', 'workphone', 'phone'),
      address: address.join(', ') || null,
      comment: first('notes'),
      balance: this.#balances.get(billing?.id ?? '') ?? zero,
    }
  }
}

/** What was paid less what was billed with its tax, as daloRADIUS itself shows it. */
function balancesOf(tables: Tables): ReadonlyMap<string, Money> {
  const userOf = new Map(tables.rows('invoice').map((row) => [row.id, row.user_id]))
  const balances = new Map<string, Money>()
  const add = (invoice: string | null | undefined, change: (balance: Money) => Money) => {
    const user = userOf.get(invoice ?? null)
    if (user) balances.set(user, change(balances.get(user) ?? zero))
  }
  for (const row of tables.rows('invoice_items')) {
    const amount = (column: string) => rublesAt(`invoice_items ${row.id}`, row[column])
    add(row.invoice_id, (balance) => minus(minus(balance, amount('amount')), amount('tax_amount')))
  }
  for (const row of tables.rows('payment'))
    add(row.invoice_id, (balance) => plus(balance, rublesAt(`payment ${row.id}`, row.amount)))
  return balances
}

function planOf(name: string, row: Row, profiles: readonly Row[]): Plan {
  const place = `billing_plans "${name}"`
  const groups = profiles.flatMap((profile) => textOf(profile, 'profile_name') ?? [])
  const { price, remarks } = tariffPrice(place, textOf(row, 'plancost'))
  const isMonthly =
    /^yes$/i.test(textOf(row, 'planrecurring') ?? '') && /^monthly$/i.test(textOf(row, 'planrecurringperiod') ?? '')
  if (price !== zero && !isMonthly)
    remarks.push(remark(place, 'is not charged by the month, as tariffs are here: the tariff costs nothing'))
  for (const column of ['plansetupcost', 'plantax']) {
    const value = exactRubles(textOf(row, column) ?? '0')
    if (value !== zero)
      remarks.push(remark(place, `${column === 'plantax' ? 'planTax' : 'planSetupCost'} is not carried over`))
  }
  return { name, price: isMonthly ? price : zero, groups, remarks }
}
