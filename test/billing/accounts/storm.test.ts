import fc from 'fast-check'
import t from 'tap'
import type { AccountCommand, AccountOutcome } from '../../../src/billing/accounts/messages.ts'
import { verifyLedger } from '../../../src/billing/jobs/ledger/verification.ts'
import { inDebt, isBalanced } from '../../../src/domain/account.ts'
import { systemAuthor } from '../../../src/domain/author.ts'
import { isBlocked } from '../../../src/domain/block.ts'
import type { EventOf } from '../../../src/domain/events.ts'
import { type AccountId, accountId, loginId, subscriberId } from '../../../src/domain/ids.ts'
import { moneyFromUnits } from '../../../src/domain/money.ts'
import { operationTypes } from '../../../src/domain/operation.ts'
import { openLedgerFixture, prepareFixture, throwingLog } from '../../support/fixture.ts'
import { violations } from '../../support/invariants.ts'

const author = systemAuthor('storm')
const accountsMax = 6

type Step = { account: number; node: 0 | 1; command: AccountCommand } | { stranger: number; limit: bigint }

const key = fc.integer({ min: 1, max: 8 }).map((n) => `txn:${n}`)
/** The amount follows the key half of the time, so that repeats and conflicts both happen. */
const amount = fc.bigInt({ min: 1n, max: 3_000_000_000_000n })

const command = (account: number): fc.Arbitrary<AccountCommand> =>
  fc.oneof(
    fc
      .record({ sign: fc.constantFrom(1 as const, -1 as const), amount, keys: fc.option(key, { nil: null }) })
      .map((post) => ({
        kind: 'post' as const,
        typeId: post.sign > 0 ? operationTypes.manualReceipt : operationTypes.manualExpense,
        sign: post.sign,
        amount: moneyFromUnits(post.keys ? 70_000_000_000n : post.amount),
        subscriberId: subscriberId(account),
        movedAt: null,
        description: 'storm',
        details: {},
        keys: post.keys ? [`${post.keys}:${account}:${post.sign}`] : [],
      })),
    fc.constant({ kind: 'reverse' as const, operationId: null }),
    fc
      .record({ on: fc.boolean(), reason: fc.constantFrom('operator' as const, 'client' as const, 'system' as const) })
      .map((block) => ({
        kind: 'setBlock' as const,
        subscriberId: subscriberId(account),
        ...block,
      })),
    fc.boolean().map((enabled) => ({ kind: 'setLogin' as const, loginId: loginId(account), enabled })),
    fc
      .bigInt({ min: -(10n ** 12n), max: 10n ** 12n })
      .map((limit) => ({ kind: 'setTerms' as const, terms: { limit: moneyFromUnits(limit) } })),
    fc.constant({ kind: 'sweep' as const }),
  )

const step: fc.Arbitrary<Step> = fc.integer({ min: 1, max: accountsMax }).chain((account) =>
  fc.oneof(
    {
      weight: 30,
      arbitrary: fc.record({
        account: fc.constant(account),
        node: fc.constantFrom(0 as const, 1 as const),
        command: command(account),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        stranger: fc.constant(account),
        limit: fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }),
      }),
    },
  ),
)

t.test('whatever is thrown at the accounts from many sides, every commit keeps the invariants', async (t) => {
  const given = await prepareFixture(t, { log: throwingLog })
  const { database } = given
  const sql = (text: string, values: unknown[] = []) => database.pool.query(text, values)
  await sql(`INSERT INTO admin_accounts (id) SELECT generate_series(1, ${accountsMax})`)
  await sql(`INSERT INTO abonents (id, name, contract_number, account_id, organization_id)
    SELECT n, 'subscriber ' || n, n::text, n, 1 FROM generate_series(1, ${accountsMax}) AS n`)
  await sql(
    `INSERT INTO users (id, abonent_id, login, password) SELECT n, n, 'login' || n, '' FROM generate_series(1, ${accountsMax}) AS n`,
  )

  const broken: unknown[] = []
  const check = ({ after, at }: EventOf<'accountCommitted'>) => {
    const agrees = after.subscribers.every(
      (subscriber) =>
        subscriber.enabled !== isBlocked(subscriber.blocks) && subscriber.blocks.debt === inDebt(after, at),
    )
    if (!isBalanced(after) || !agrees) broken.push(after)
  }
  /** Two programs on one database. */
  const programs = [await openLedgerFixture(given), await openLedgerFixture(given)]
  for (const { events } of programs) events.on('accountCommitted', check)
  const nodes = programs.map(({ accounts }) => accounts)

  const take = async (step: Step): Promise<AccountOutcome | null> => {
    if ('command' in step) return nodes[step.node]!.ask(accountId(step.account), step.command, author)
    await sql('UPDATE admin_accounts SET "limit" = $2 WHERE id = $1', [step.stranger, step.limit.toString()])
    return null
  }

  const outcomes = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120 }), async (steps) => {
      let running = true
      // A reader in between sees only what was committed, so at no moment may it see a violation.
      const watcher = (async () => {
        while (running) broken.push(...(await violations(database.pool, 'committed')))
      })()
      for (const outcome of await Promise.all(steps.map(take))) {
        const name = outcome === null ? 'stranger' : outcome.kind === 'refused' ? outcome.reason : outcome.kind
        outcomes.set(name, (outcomes.get(name) ?? 0) + 1)
      }
      running = false
      await watcher
      // A stranger's new limit is judged by the next turn.
      const settle = async (id: AccountId) => nodes[0]!.ask(id, { kind: 'sweep' }, author)
      for (let id = 1; id <= accountsMax; id++) {
        nodes[0]!.invalidate(accountId(id))
        await settle(accountId(id))
      }
      broken.push(...(await violations(database.pool, 'settled')))
      return broken.length === 0
    }),
    { numRuns: 40 },
  )
  t.strictSame(broken, [])
  const client = await database.pool.connect()
  t.match(await verifyLedger(client), { accounts: accountsMax, broken: 0, faults: [] })
  client.release()
  for (const kind of ['done', 'known', 'stranger', 'alreadyReversed']) t.ok(outcomes.get(kind), `${kind} happened`)
})
