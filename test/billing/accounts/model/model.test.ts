import fc from 'fast-check'
import t from 'tap'
import { AccountStore } from '../../../../src/billing/accounts/account-store.ts'
import { AccountActors } from '../../../../src/billing/accounts/accounts.ts'
import type { AccountCommand, AccountOutcome } from '../../../../src/billing/accounts/messages.ts'
import { billingWorker } from '../../../../src/billing/jobs/billing/worker.ts'
import { blockSweep } from '../../../../src/billing/jobs/block-sweep.ts'
import { verifyLedger } from '../../../../src/billing/jobs/ledger/verification.ts'
import { promiseExpiry } from '../../../../src/billing/jobs/promise-expiry.ts'
import { systemAuthor } from '../../../../src/domain/author.ts'
import { Events } from '../../../../src/domain/events.ts'
import { accountId, type OperationId, operationId, subscriberId } from '../../../../src/domain/ids.ts'
import { moneyFromUnits } from '../../../../src/domain/money.ts'
import { ManualClock } from '../../../support/manual-clock.ts'
import { asUnavailable, type Database } from '../../../../src/platform/storage/database.ts'
import { testDatabase } from '../../../support/database.ts'
import { type Command, moscow, Reference, tariffs } from './reference.ts'

/**
 * Random sequences of all money commands, jobs and jumps of the clock, against the reference model: balances, flags,
 * promises and operation lists agree after every step, as its answer tells them, and after every round, as the rows
 * have them. A seed is one world; some hundred worlds share a database and a clock, so that their turns are committed
 * together as they are in life. `MODEL_SEED=<n>` runs one batch again.
 */
const worldsInBatch = 250
/** One of them with the billing worker, which takes deleted subscribers and removed charges for what they were. */
const batches = 2
const rounds = 12
const unit = 100_000_000n
const day = 86_400_000
const start = new Date('2026-01-29T15:00:00Z')
const author = systemAuthor('model')

const subscriber = fc.integer({ min: 0, max: 2 })
const account = fc.integer({ min: 0, max: 1 })
const kopecks = fc.oneof(fc.integer({ min: 1, max: 150_000 }), fc.constantFrom(50_000, 9_000, 90_000))
const forMs = fc.oneof(
  fc.constant(null),
  fc.integer({ min: 1, max: 20 }).map((days) => days * day),
)
const path = fc.constantFrom('client' as const, 'operator' as const, 'prepay' as const, 'postpay' as const)

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('post' as const),
      account,
      type: fc.constantFrom(7, 9),
      kopecks,
      key: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: null, freq: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('charge' as const),
      subscriber,
      kopecks: fc.constant(50_000),
      key: fc.constantFrom('m1', 'm2', 'm3'),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('promise' as const), subscriber, path }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('endPromise' as const),
      subscriber,
      why: fc.constantFrom('expired' as const, 'cancelled' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('tariff' as const), subscriber, tariff: fc.constantFrom(1, 2, 3, null) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('reverse' as const), account }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('reverseAny' as const), account, nth: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), account, nth: fc.nat(20) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('block' as const),
      subscriber,
      flag: fc.constantFrom('admin' as const, 'own' as const),
      on: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), subscriber, on: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('limit' as const),
      account,
      kopecks: fc.constantFrom(0, -10_000, -50_000, 1_000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('unlimited' as const), account, forMs }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('sleep' as const), account, forMs }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('move' as const), subscriber, to: account }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('sweep' as const), account }) },
)

const round = fc.record({
  commands: fc.array(fc.array(command, { maxLength: 3 }), { minLength: worldsInBatch, maxLength: worldsInBatch }),
  jumpMs: fc.oneof(
    fc.constant(1000),
    fc.integer({ min: 1, max: 40 }).map((hours) => hours * 3_600_000),
    fc.constant(31 * day),
  ),
})

/** One world of a batch: its rows, and the reference beside them. */
class World {
  readonly reference: Reference
  readonly number: number
  readonly history: string[] = []

  constructor(number: number, createdAt: number) {
    this.number = number
    this.reference = new Reference(createdAt)
  }

  account(index: number) {
    return accountId(this.number * 2 + index + 1)
  }

  subscriber(index: number) {
    return subscriberId(this.number * 3 + index + 1)
  }

  async take(accounts: AccountActors, database: Database, command: Command, now: number): Promise<void> {
    if ('nth' in command && !this.reference.lineOf(command)) return
    const asked = await this.#ask(accounts, database, command, now)
    const got = asked.kind === 'refused' ? asked.reason : asked.kind
    this.history.push(`${new Date(now).toISOString()} ${JSON.stringify(command)} → ${got}`)
    const expected = this.reference.take(command, now)
    if (got !== expected)
      throw new Error(`world ${this.number}: ${got}, where the model says ${expected}\n${this.story}`)
    const found = asked.kind === 'refused' ? [] : this.#stepDifferences(asked)
    if (found.length > 0) throw new Error(`world ${this.number} differs: ${JSON.stringify(found)}\n${this.story}`)
  }

  /** After each step the account must be told as the model has it, and what was posted as the model posted it. */
  #stepDifferences(told: Exclude<AccountOutcome, { kind: 'refused' }>): unknown[] {
    const index = told.account.id - this.account(0)
    const account = this.reference.accounts[index]!
    const posted = told.kind === 'done' ? told.operations : []
    const lines = account.lines.slice(account.lines.length - posted.length)
    const is = {
      balance: String(told.account.balance),
      operations: posted.map(({ typeId, amount }) => [typeId, String(amount)]),
      subscribers: told.account.subscribers.map((one) => [
        Number(one.id),
        one.deleted,
        one.enabled,
        one.blocks.debt,
        one.blocks.operator,
        one.blocks.client,
        one.tariffId,
        one.promise && [String(one.promise.limit), one.promise.until.getTime(), one.promise.uslugaId],
      ]),
    }
    const ought = {
      balance: text(this.reference.balance(account)),
      operations: lines.map(({ type, kopecks }) => [type, text(kopecks)]),
      subscribers: [...this.reference.subscribers.entries()]
        .filter(([, one]) => one.account === index)
        .map(([at, one]) => [
          Number(this.subscriber(at)),
          one.deleted,
          !this.reference.isBlocked(one),
          one.flags.negbal,
          one.flags.admin,
          one.flags.own,
          one.tariff,
          one.promise && [text(one.promise.kopecks), one.promise.until, one.promise.usluga],
        ]),
    }
    return JSON.stringify(is) === JSON.stringify(ought) ? [] : [{ is, ought }]
  }

  get story(): string {
    return this.history.join('\n')
  }

  async #ask(accounts: AccountActors, database: Database, command: Command, now: number): Promise<AccountOutcome> {
    if ('subscriber' in command) return this.#askSubscriber(accounts, command)
    const id = this.account(command.account)
    const ask = (message: AccountCommand) => accounts.ask(id, message, author)
    switch (command.kind) {
      case 'post':
        return ask({
          kind: 'post',
          typeId: command.type,
          sign: command.type === 7 ? 1 : -1,
          amount: money(command.kopecks),
          subscriberId: null,
          movedAt: null,
          description: '',
          details: {},
          keys: command.key === null ? [] : [`${this.number}:${command.account}:${command.key}`],
        })
      case 'reverse':
        return ask({ kind: 'reverse', operationId: null })
      case 'reverseAny':
        return ask({ kind: 'reverseAny', operationId: await this.#operationOf(database, command), reason: 'wrong' })
      case 'remove':
        return ask({ kind: 'removeOperation', operationId: await this.#operationOf(database, command) })
      case 'limit':
        return ask({ kind: 'setTerms', terms: { limit: money(command.kopecks) } })
      case 'unlimited':
        return ask({
          kind: 'setTerms',
          terms: { unlimited: command.forMs !== null, unlimitedUntil: moment(command.forMs, now) },
        })
      case 'sleep':
        return ask({ kind: 'setTerms', terms: { sleepUntil: moment(command.forMs, now) } })
      case 'sweep':
        return ask({ kind: 'sweep' })
    }
  }

  async #operationOf(database: Database, command: Extract<Command, { nth: number }>): Promise<OperationId> {
    const { rows } = await database.pool.query<{ op_id: string }>(
      'SELECT op_id FROM finance_operations WHERE account_id = $1 AND chain_seq = $2',
      [this.account(command.account), this.reference.lineOf(command)!.at + 1],
    )
    return operationId(rows[0]!.op_id)
  }

  #askSubscriber(accounts: AccountActors, command: Extract<Command, { subscriber: number }>): Promise<AccountOutcome> {
    const id = this.subscriber(command.subscriber)
    const { account: home } = this.reference.subscribers[command.subscriber]!
    const ask = (message: AccountCommand) => accounts.ask(this.account(home), message, author)
    switch (command.kind) {
      case 'charge':
        return ask({
          kind: 'charge',
          subscriberId: id,
          typeId: 3,
          amount: money(command.kopecks),
          movedAt: null,
          description: '',
          details: {},
          key: `${this.number}:${home}:${command.key}`,
        })
      case 'promise':
        return ask({ kind: 'activatePromise', subscriberId: id, path: command.path, limit: null, until: null })
      case 'endPromise':
        return ask({ kind: 'endPromise', subscriberId: id, why: command.why, only: null })
      case 'tariff':
        return ask({ kind: 'changeTariff', subscriberId: id, tariffId: command.tariff })
      case 'block':
        return ask({
          kind: 'setBlock',
          subscriberId: id,
          reason: command.flag === 'admin' ? 'operator' : 'client',
          on: command.on,
        })
      case 'delete':
        return ask({ kind: 'setDeleted', subscriberId: id, deleted: command.on })
      case 'move':
        return accounts.moveSubscriber(id, this.account(command.to), author)
    }
  }

  /** The rows must say what the model says. */
  differences(rows: Rows): unknown[] {
    const { accounts, subscribers } = this.reference
    const found: unknown[] = []
    const compare = (what: string, got: unknown, expected: unknown) => {
      const [is, ought] = [JSON.stringify(got), JSON.stringify(expected)]
      if (is !== ought) found.push({ what, is, ought })
    }
    accounts.forEach((account, index) => {
      const row = rows.accounts.get(this.account(index))!
      compare(`balance of ${index}`, row.ostatok, text(this.reference.balance(account)))
      const seen = account.lines.filter(({ type }) => type !== 0)
      const lines = seen.map(({ type, kopecks, storno }) => [type, text(kopecks), storno])
      compare(`operations of ${index}`, row.operations ?? [], lines)
    })
    subscribers.forEach((one, index) => {
      const row = rows.subscribers.get(this.subscriber(index))!
      compare(`subscriber ${index}`, row, {
        id: String(this.subscriber(index)),
        account_id: String(this.account(one.account)),
        tarif_id: one.tariff === null ? null : String(one.tariff),
        enabled: !this.reference.isBlocked(one),
        deleted: one.deleted,
        negbal: one.flags.negbal,
        admin: one.flags.admin,
        own: one.flags.own,
        record: this.reference.isBlocked(one),
        promise_pay: one.promise ? text(one.promise.kopecks) : null,
        until: one.promise ? new Date(one.promise.until).toISOString() : null,
        links: one.promise ? [one.promise.usluga] : [],
      })
    })
    return found
  }
}

type AccountRow = { id: string; ostatok: string; operations: [number, string, boolean][] | null }
type SubscriberRow = { id: string } & Record<string, unknown>
type Rows = { accounts: Map<number, AccountRow>; subscribers: Map<number, SubscriberRow> }

const money = (kopecks: number) => moneyFromUnits(BigInt(kopecks) * unit)
const text = (kopecks: number) => String(BigInt(kopecks) * unit)
const moment = (forMs: number | null, now: number) => (forMs === null ? null : new Date(now + forMs))

async function readRows(database: Database): Promise<Rows> {
  const accounts = await database.pool.query<AccountRow>(`SELECT id, ostatok,
    (SELECT json_agg(json_build_array(op_type_id, op_summa::text, storno) ORDER BY chain_seq)
      FROM finance_operations WHERE account_id = account.id) AS operations FROM admin_accounts AS account`)
  const subscribers =
    await database.pool.query<SubscriberRow>(`SELECT abonent.id, abonent.account_id, abonent.tarif_id, enabled,
      deleted, coalesce(b_negbal, false) AS negbal, coalesce(b_admin, false) AS admin, coalesce(b_own, false) AS own,
      block.abonent_id IS NOT NULL AS record, promise_pay, promise_date_end AS until,
      (SELECT coalesce(json_agg(usluga_id), '[]') FROM users_uslugas WHERE abonent_id = abonent.id) AS links
    FROM abonents AS abonent LEFT JOIN abonents_block AS block ON block.abonent_id = abonent.id`)
  return {
    accounts: new Map(accounts.rows.map((row) => [Number(row.id), row])),
    subscribers: new Map(subscribers.rows.map((row) => [Number(row.id), row])),
  }
}

async function plant(database: Database): Promise<void> {
  const values = Object.entries(tariffs).map(([id, price]) => `(${id}, 'tariff ${id}', ${text(price)})`)
  await database.pool.query(`INSERT INTO tarifs (id, name, price) VALUES ${values.join()}`)
  await database.pool.query('INSERT INTO admin_accounts (id) SELECT generate_series(1, $1)', [worldsInBatch * 2])
  await database.pool.query(
    `INSERT INTO abonents (id, name, contract_number, account_id, organization_id, tarif_id, create_date)
      SELECT n, 'subscriber ' || n, n::text, 2 * ((n - 1) / 3) + 1 + ((n - 1) % 3) / 2, 1, 1, $2
      FROM generate_series(1, $1) AS n`,
    [worldsInBatch * 3, start],
  )
}

const billing = { timeZone: 'Europe/Moscow', mode: 'monthly', chargesPromises: true } as const

/** The months from the one of the last run to this one, but nothing before last month. */
function monthsFrom(from: number, to: number): string[] {
  const days = Array.from({ length: Math.floor((to - from) / day) + 1 }, (_, index) => moscow(from + index * day).month)
  return [...new Set([...days, moscow(to).month])].slice(-2)
}

const seeds = process.env.MODEL_SEED
  ? [Number(process.env.MODEL_SEED)]
  : Array.from({ length: batches }, (_, index) => 2 * Math.floor(Math.random() * 2 ** 30) + (index % 2))

for (const seed of seeds) {
  const bills = seed % 2 === 0
  t.test(`${worldsInBatch} worlds of MODEL_SEED=${seed} do what the model says`, async (t) => {
    const { database } = await testDatabase(t)
    await plant(database)
    const clock = new ManualClock(start)
    const events = new Events((error) => {
      throw error
    })
    const accounts = new AccountActors({ store: new AccountStore(database.ledger), events, clock, asUnavailable })
    t.teardown(() => accounts.stop())
    const jobs = [
      blockSweep(database.pool, accounts),
      promiseExpiry(database.pool, accounts),
      ...(bills ? [billingWorker(database.pool, accounts, () => billing)] : []),
    ]
    let charged = start.getTime()
    const worlds = Array.from({ length: worldsInBatch }, (_, number) => new World(number, start.getTime()))
    const [plan] = fc.sample(fc.array(round, { minLength: rounds, maxLength: rounds }), { seed, numRuns: 1 })
    for (const { commands, jumpMs } of plan!) {
      const now = clock.now().getTime()
      await Promise.all(
        worlds.map(async (world, index) => {
          for (const one of commands[index]!) {
            if (!bills || (one.kind !== 'delete' && one.kind !== 'remove'))
              await world.take(accounts, database, one, now)
          }
        }),
      )
      for (const job of jobs) await job.run(clock.now(), new AbortController().signal)
      for (const { reference } of worlds) {
        reference.sweepAll(now)
        reference.expireAll(now)
        for (const month of bills ? monthsFrom(charged, now) : []) reference.charge(month, now)
        if (bills) reference.forgetUses(now)
      }
      charged = now
      const rows = await readRows(database)
      for (const world of worlds) {
        const found = world.differences(rows)
        if (found.length > 0) throw new Error(`world ${world.number} differs: ${JSON.stringify(found)}\n${world.story}`)
      }
      clock.advance(jumpMs)
    }
    const client = await database.pool.connect()
    const { broken, faults } = await verifyLedger(client).finally(() => client.release())
    t.strictSame([broken, faults], [0, []], 'and the ledger proves itself')
    t.pass(`${plan!.flatMap(({ commands }) => commands.flat()).length} commands`)
  })
}
