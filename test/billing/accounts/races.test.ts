import t from 'tap'
import type { AccountCommand, AccountOutcome } from '../../../src/billing/accounts/messages.ts'
import { systemAuthor } from '../../../src/domain/author.ts'
import {
  type AccountId,
  accountId,
  type OperationId,
  type SubscriberId,
  subscriberId,
} from '../../../src/domain/ids.ts'
import { rubles } from '../../../src/domain/money.ts'
import type { Clock } from '../../../src/platform/actors/clock.ts'
import type { Database } from '../../../src/platform/storage/database.ts'
import { SharedDatabase } from '../../support/database.ts'
import { openLedgerFixture, prepareFixture, throwingLog } from '../../support/fixture.ts'
import { violations } from '../../support/invariants.ts'
import { SteadyClock } from '../../support/steady-clock.ts'

const shared = await SharedDatabase.open(t)

/**
 * Each race is run on fifty accounts, both sides in the same moment, half of the time through two programs on one
 * database.
 */
const times = 50
const author = systemAuthor('race')
const dayMs = 86_400_000

type Row = { ostatok: string; promise_pay: string | null; links: number; negbal: boolean; own: boolean; home: string }

type Arena = {
  ask(program: 0 | 1, n: number, command: AccountCommand): Promise<AccountOutcome>
  move(program: 0 | 1, n: number, to: AccountId): Promise<AccountOutcome>
  account(n: number): AccountId
  subscriber(n: number): SubscriberId
  row(n: number): Promise<Row>
  later(ms: number): void
  database: Database
}

async function openArena(t: Parameters<typeof prepareFixture>[0]): Promise<Arena> {
  let ahead = 0
  const clock: Clock = Object.assign(new SteadyClock(), { now: () => new Date(Date.now() + ahead) })
  const given = await prepareFixture(t, { clock, log: throwingLog, shared })
  const { database } = given
  const sql = (text: string) => database.pool.query(text)
  await sql(`INSERT INTO tarifs (id, name, price) VALUES (1, 'Home', ${rubles(500)})`)
  await sql(`INSERT INTO admin_accounts (id) SELECT generate_series(1, ${2 * times})`)
  await sql(`INSERT INTO abonents (id, name, contract_number, account_id, organization_id, tarif_id, create_date)
    SELECT n, 'subscriber ' || n, n::text, n, 1, 1, '2020-01-01' FROM generate_series(1, ${times}) AS n`)
  const programs = [await openLedgerFixture(given), await openLedgerFixture(given)]
  return {
    database,
    ask: (program, n, command) => programs[program]!.accounts.ask(accountId(n), command, author),
    move: (program, n, to) => programs[program]!.accounts.moveSubscriber(subscriberId(n), to, author),
    account: accountId,
    subscriber: subscriberId,
    row: async (n) => {
      const { rows } = await database.pool.query<Row>(
        `SELECT ostatok, promise_pay, (SELECT count(*)::int FROM users_uslugas WHERE abonent_id = abonent.id) AS links,
          coalesce(b_negbal, false) AS negbal, coalesce(b_own, false) AS own, abonent.account_id AS home
        FROM admin_accounts AS account, abonents AS abonent LEFT JOIN abonents_block AS block ON block.abonent_id = abonent.id
        WHERE account.id = $1 AND abonent.id = $1`,
        [n],
      )
      return rows[0]!
    },
    later: (ms) => {
      ahead += ms
    },
  }
}

const post = (sign: 1 | -1, amount: number): AccountCommand => ({
  kind: 'post',
  typeId: sign > 0 ? 7 : 9,
  sign,
  amount: rubles(amount),
  subscriberId: null,
  movedAt: null,
  description: '',
  details: {},
  keys: [],
})
const promise = (id: SubscriberId): AccountCommand => ({
  kind: 'activatePromise',
  subscriberId: id,
  path: 'client',
  limit: null,
  until: null,
})
const numbers = Array.from({ length: times }, (_, index) => index + 1)
const other = (n: number): 0 | 1 => (n % 2 === 0 ? 0 : 1)
const nameOf = (outcome: AccountOutcome) => (outcome.kind === 'refused' ? outcome.reason : outcome.kind)

/** What is true whichever side was first. */
async function settled(arena: Arena) {
  return violations(arena.database.pool, 'committed')
}

t.test('a promise is ended once under a key, and no later one by it', async (t) => {
  const arena = await openArena(t)
  const end: AccountCommand = {
    kind: 'endPromise',
    subscriberId: arena.subscriber(1),
    why: 'cancelled',
    only: null,
    keys: ['phone:1:end'],
  }
  await arena.ask(0, 1, post(-1, 100))
  t.equal(nameOf(await arena.ask(0, 1, promise(arena.subscriber(1)))), 'done')
  t.equal(nameOf(await arena.ask(0, 1, end)), 'done')
  arena.later(60 * dayMs)
  t.equal(nameOf(await arena.ask(0, 1, promise(arena.subscriber(1)))), 'done')
  t.equal(nameOf(await arena.ask(1, 1, end)), 'known')
  t.match(await arena.row(1), { promise_pay: /\d/, links: 1 })
  t.strictSame(await settled(arena), [])
})

t.test('the expiry of a promise against a payment: the limit is returned once', async (t) => {
  const arena = await openArena(t)
  await Promise.all(
    numbers.map(async (n) => {
      await arena.ask(0, n, post(-1, 100))
      await arena.ask(0, n, promise(arena.subscriber(n)))
    }),
  )
  arena.later(6 * dayMs)
  const expire = (n: number): AccountCommand => ({
    kind: 'endPromise',
    subscriberId: arena.subscriber(n),
    why: 'expired',
    only: null,
  })
  for (const n of numbers) {
    const [expired, paid] = await Promise.all([arena.ask(0, n, expire(n)), arena.ask(other(n), n, post(1, 300))])
    const row = await arena.row(n)
    t.match(
      { ...row, expired: nameOf(expired), paid: nameOf(paid) },
      {
        ostatok: String(rubles(200)),
        promise_pay: null,
        links: 0,
        negbal: false,
        paid: 'done',
        expired: /done|noPromise/,
      },
    )
  }
  t.strictSame(await settled(arena), [])
})

t.test('a reversal against a payment: whichever is first, the sums agree', async (t) => {
  const arena = await openArena(t)
  await Promise.all(numbers.map((n) => arena.ask(0, n, post(1, 100))))
  for (const n of numbers) {
    const [reversed, paid] = await Promise.all([
      arena.ask(0, n, { kind: 'reverse', operationId: null }),
      arena.ask(other(n), n, post(1, 40)),
    ])
    t.equal(nameOf(reversed), 'done')
    t.equal(nameOf(paid), 'done')
    // Either the first receipt was the last operation, or the new one.
    t.ok([rubles(40), rubles(100)].map(String).includes((await arena.row(n)).ostatok))
  }
  t.strictSame(await settled(arena), [])
})

t.test('two reversals of one payment at once: it is reversed once, however old it is', async (t) => {
  const arena = await openArena(t)
  for (const n of numbers) {
    const paid = await arena.ask(0, n, post(1, 100))
    const operation = paid.kind === 'done' ? paid.operation!.id : t.fail('the payment was not taken')
    await arena.ask(0, n, post(1, 40))
    const reversal: AccountCommand = { kind: 'reverseAny', operationId: operation as OperationId, reason: 'twice' }
    const outcomes = await Promise.all([arena.ask(0, n, reversal), arena.ask(other(n), n, reversal)])
    t.strictSame(outcomes.map(nameOf).sort(), ['alreadyReversed', 'done'])
    t.equal((await arena.row(n)).ostatok, String(rubles(40)))
  }
  t.strictSame(await settled(arena), [])
})

t.test('two activations at once give one promise', async (t) => {
  const arena = await openArena(t)
  for (const n of numbers) {
    const outcomes = await Promise.all([
      arena.ask(0, n, promise(arena.subscriber(n))),
      arena.ask(other(n), n, promise(arena.subscriber(n))),
    ])
    t.strictSame(outcomes.map(nameOf).sort(), ['done', 'promiseActive'])
    t.match(await arena.row(n), { links: 1, ostatok: String(rubles(500)), promise_pay: String(rubles(500)) })
  }
  t.strictSame(await settled(arena), [])
})

t.test('a charge against a voluntary block: who is blocked first is not charged', async (t) => {
  const arena = await openArena(t)
  for (const n of numbers) {
    const id = arena.subscriber(n)
    const [charged, blocked] = await Promise.all([
      arena.ask(0, n, {
        kind: 'charge',
        subscriberId: id,
        typeId: 32,
        amount: rubles(500),
        movedAt: null,
        description: '',
        details: {},
        key: `charge:${n}:tariff:2026-11`,
      }),
      arena.ask(other(n), n, { kind: 'setBlock', subscriberId: id, reason: 'client', on: true }),
    ])
    t.equal(nameOf(blocked), 'done')
    const { ostatok, own } = await arena.row(n)
    t.strictSame([own, ostatok], [true, nameOf(charged) === 'done' ? String(rubles(-500)) : '0'])
    t.match(nameOf(charged), /^(done|notChargeable)$/)
  }
  t.strictSame(await settled(arena), [])
})

t.test('a link with force against a payment: no ruble is lost and the access follows the new account', async (t) => {
  const arena = await openArena(t)
  await Promise.all(numbers.map((n) => arena.ask(0, n, post(-1, 50))))
  for (const n of numbers) {
    const target = arena.account(times + n)
    const [moved, paid] = await Promise.all([arena.move(0, n, target), arena.ask(other(n), n, post(1, 20))])
    t.equal(nameOf(moved), 'done')
    t.equal(nameOf(paid), 'done')
    t.match(await arena.row(n), { ostatok: String(rubles(-30)), home: String(target), negbal: false })
  }
  t.strictSame(await settled(arena), [])
})
