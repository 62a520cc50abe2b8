import type { Pool } from 'pg'
import type { Base } from '../../src/app/base.ts'
import type { Ledger } from '../../src/app/ledger.ts'
import { billingPolicy } from '../../src/app/office.ts'
import type { AccountCommand, Accounts } from '../../src/billing/accounts/messages.ts'
import { billingWorker } from '../../src/billing/jobs/billing/worker.ts'
import { systemAuthor } from '../../src/domain/author.ts'
import { accountId, subscriberId } from '../../src/domain/ids.ts'
import { formatRubles, moneyFromUnits } from '../../src/domain/money.ts'
import type { SharedDatabase } from './database.ts'
import { type Given, openLedgerFixture, prepareFixture, throwingLog } from './fixture.ts'
import { SteadyClock } from './steady-clock.ts'

type Teardown = Parameters<typeof prepareFixture>[0]

/** What a statement of the account shows: `-600.00 Абонплата Home за ноябрь 2026`. */
export type Line = string

const going = new AbortController().signal

/** The hour is set by hand, while waits for the database take their time. */
class SetClock extends SteadyClock {
  hour: Date

  constructor(hour: Date) {
    super()
    this.hour = hour
  }

  override now = (): Date => this.hour
}

/** The names of the worker's statements. */
const names = new Map<string, string>()

/**
 * Months of nights pass here in a second, and most of each would be spent on planning the same statements for a few rows:
 * they are prepared under names.
 */
const planningOnce = (pool: Pool): Pool =>
  Object.assign(Object.create(pool), {
    query: (query: { readonly text: string; readonly values: unknown[] }) => {
      const { text } = query
      if (!names.has(text)) names.set(text, `worker-${names.size}`)
      return pool.query({ ...query, name: names.get(text)! })
    },
  })

/**
 * The billing worker over the program's ledger on a real database, with a clock that is set by hand. Subscriber n is on
 * account n.
 */
export class BillingFixture {
  readonly clock: SetClock
  readonly ledger: Base & Ledger
  readonly #given: Given

  private constructor(clock: SetClock, given: Given, ledger: Base & Ledger) {
    this.clock = clock
    this.#given = given
    this.ledger = ledger
  }

  /** `settings` by name, as texts. */
  static async open(
    t: Teardown,
    shared: SharedDatabase,
    now: string,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<BillingFixture> {
    const clock = new SetClock(new Date(now))
    const first = Object.entries(settings).map(([name, value]) => [`TOLLGATE_SETTING_${name}`, value])
    const given = await prepareFixture(t, { clock, log: throwingLog, env: Object.fromEntries(first), shared })
    const fixture = new BillingFixture(clock, given, await openLedgerFixture(given))
    await fixture.sql(
      `INSERT INTO tarifs (id, name, price) VALUES (1, 'Home', 6000000000000), (2, 'Fast', 9000000000000), (3, 'Free', 0)`,
    )
    return fixture
  }

  get accounts() {
    return this.ledger.accounts
  }

  get database() {
    return this.ledger.database
  }

  async sql(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    return (await this.database.pool.query(text, values)).rows
  }

  /** The accounts of another program on the same database. */
  async otherAccounts(): Promise<Accounts> {
    return (await openLedgerFixture(this.#given)).accounts
  }

  /** A subscriber with an account and one login; on tariff 1, unless `columns` of abonents say otherwise. */
  async subscriber(id: number, columns: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await this.sql('INSERT INTO admin_accounts (id) VALUES ($1)', [id])
    const all = {
      id,
      name: `subscriber ${id}`,
      contract_number: String(id),
      account_id: id,
      organization_id: 1,
      tarif_id: 1,
      create_date: '2020-01-01T00:00:00Z',
      ...columns,
    }
    await this.#insert('abonents', all)
    await this.sql('INSERT INTO users (abonent_id, login, password) VALUES ($1, $2, $3)', [id, `login${id}`, ''])
  }

  /** A service of the catalogue. */
  usluga(columns: Readonly<Record<string, unknown>>): Promise<number> {
    return this.#insert('uslugas', { name: 'IPTV', price: 0, ...columns })
  }

  /** A service of a subscriber. */
  link(subscriber: number, usluga: number, columns: Readonly<Record<string, unknown>> = {}): Promise<number> {
    const row = { abonent_id: subscriber, usluga_id: usluga, create_date: '2020-01-01T00:00:00Z', ...columns }
    return this.#insert('users_uslugas', row)
  }

  async #insert(table: string, columns: Readonly<Record<string, unknown>>): Promise<number> {
    const names = Object.keys(columns)
    const places = names.map((_, at) => `$${at + 1}`)
    const [row] = await this.sql(
      `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join(', ')}) VALUES (${places.join(', ')}) RETURNING id`,
      Object.values(columns),
    )
    return Number(row!.id)
  }

  /** Switches a service of a subscriber off at a moment. The database itself notes its own time. */
  async switchOff(link: number, at: string): Promise<void> {
    const before = await this.sql('SELECT id FROM ended_uses')
    await this.sql('UPDATE users_uslugas SET enabled = false WHERE id = $1', [link])
    await this.sql('DELETE FROM ended_uses WHERE link_id = $1 AND id <> ALL($2)', [link, before.map(({ id }) => id)])
    await this.sql(
      `INSERT INTO ended_uses (abonent_id, link_id, begins_at, ends_at)
        SELECT abonent_id, id, greatest(create_date, charged_from), $2 FROM users_uslugas
        WHERE id = $1 AND greatest(create_date, charged_from) < $2`,
      [link, at],
    )
  }

  /** And on again. */
  async switchOn(link: number, at: string): Promise<void> {
    await this.sql('UPDATE users_uslugas SET enabled = true WHERE id = $1', [link])
    await this.sql('UPDATE users_uslugas SET charged_from = $2 WHERE id = $1', [link, at])
  }

  at(now: string): void {
    this.clock.hour = new Date(now)
  }

  run(accounts: Accounts = this.accounts, signal: AbortSignal = going) {
    return billingWorker(planningOnce(this.database.pool), accounts, () => billingPolicy(this.ledger.settings)).run(
      this.clock.now(),
      signal,
    )
  }

  ask(id: number, command: AccountCommand) {
    return this.accounts.ask(accountId(id), command, systemAuthor('test'))
  }

  block = (id: number, reason: 'client' | 'operator' | 'system', on: boolean) =>
    this.ask(id, { kind: 'setBlock', subscriberId: subscriberId(id), reason, on })

  remove = (id: number, deleted = true) => this.ask(id, { kind: 'setDeleted', subscriberId: subscriberId(id), deleted })

  sleep = (id: number, until: string) =>
    this.sql('UPDATE admin_accounts SET sleep_date = $2 WHERE id = $1', [id, until])

  freeze = (id: number, until: string) => this.ask(id, { kind: 'setTerms', terms: { sleepUntil: new Date(until) } })

  wake = (id: number) => this.ask(id, { kind: 'setTerms', terms: { sleepUntil: null } })

  tariff = (id: number, tariffId: number | null) =>
    this.ask(id, { kind: 'changeTariff', subscriberId: subscriberId(id), tariffId })

  /** As somebody else would write them. */
  set(id: number, columns: Readonly<Record<string, unknown>>) {
    const sets = Object.keys(columns).map((name, at) => `${name} = $${at + 2}`)
    return this.sql(`UPDATE abonents SET ${sets.join(', ')} WHERE id = $1`, [id, ...Object.values(columns)])
  }

  /** The statement of a subscriber, oldest first. */
  async lines(id: number): Promise<Line[]> {
    const rows = await this.sql(
      'SELECT op_type_id, op_summa, descr FROM finance_operations WHERE abonent_id = $1 ORDER BY op_id',
      [id],
    )
    return rows.map(({ op_summa, descr }) => `${formatRubles(moneyFromUnits(String(op_summa)))} ${descr}`)
  }
}
