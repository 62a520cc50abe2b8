import t from 'tap'
import type { AccountChange } from '../../../src/billing/accounts/account-change.ts'
import type { CommitUnit, CommitVerdict, Statement } from '../../../src/billing/accounts/commit-statement.ts'
import { GroupCommit } from '../../../src/billing/accounts/group-commit.ts'
import type { Account } from '../../../src/domain/account.ts'
import { type Author, systemAuthor } from '../../../src/domain/author.ts'
import { accountId } from '../../../src/domain/ids.ts'
import type { Money } from '../../../src/domain/money.ts'
import { InFlight } from '../../../src/platform/http/in-flight.ts'
import { anAccount } from '../../support/account.ts'
import { ManualClock } from '../../support/manual-clock.ts'

const cashier: Author = { staffId: null, name: 'cashier', address: null }
const night = systemAuthor('billing_worker')

const account = (id: number, balance: bigint): Account =>
  anAccount({ id: accountId(id), balance: balance as Money, receipts: balance as Money, subscribers: [] })

function unit(id: number, author: Author, balance = 0n): CommitUnit {
  const change: AccountChange = {
    before: account(id, 0n),
    after: account(id, balance),
    operation: null,
    operations: [],
    removed: null,
    joined: null,
    keys: [],
    order: null,
    usesEnded: [],
    audits: [],
    effects: [],
  }
  return { changes: [change], effects: [], author, now: new Date(), isTold: false }
}

/** A database that answers when it is told to. Keeps the ids of the accounts of each statement. */
class Server {
  readonly batches: number[][] = []
  readonly #answers: (() => void)[] = []

  send = (statement: Statement): Promise<CommitVerdict> => {
    const ids = statement.values[1]!
    const count = ids.readInt32BE(12)
    this.batches.push(Array.from({ length: count }, (_, n) => Number(ids.readBigInt64BE(24 + n * 12))))
    return new Promise((resolve) => this.#answers.push(() => resolve({ accepted: 't'.repeat(count), refused: null })))
  }

  async answer(): Promise<void> {
    this.#answers.shift()!()
    await aMoment()
  }
}

const aMoment = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(() => resolve())))

t.test('night work leaves a place for who waits, and takes no more than a short batch', async (t) => {
  const server = new Server()
  const commits = new GroupCommit(server.send)
  for (let id = 1; id <= 1000; id++) void commits.commit(unit(id, night))
  await aMoment()
  t.same(
    server.batches.map(({ length }) => length),
    [64],
    'one batch of the job is under way, the other place is free',
  )

  const paid = commits.commit(unit(5000, cashier))
  await aMoment()
  t.equal(server.batches[1]![0], 5000, 'the receipt does not wait for the job')
  t.equal(server.batches[1]!.length, 1 + 16, 'some of the job go along')
  await server.answer()
  await server.answer()
  t.match(await paid, { kind: 'committed' })
  t.equal(server.batches.length, 3)
  t.equal(server.batches[2]!.length, 64)
})

t.test('a batch of a job is written while what follows the one before is done', async (t) => {
  const server = new Server()
  const commits = new GroupCommit(server.send)
  const sentBefore: number[] = []
  for (let id = 1; id <= 128; id++)
    void commits.commit(unit(id, night)).then(() => sentBefore.push(server.batches.length))
  await aMoment()
  t.equal(server.batches.length, 1)
  await server.answer()
  t.same([...new Set(sentBefore)], [2], 'the second was sent before anything followed the first')
  t.equal(sentBefore.length, 64)
  await server.answer()
  t.equal(server.batches.length, 2)
})

t.test('night work lets callers go first, once before each batch', async (t) => {
  const server = new Server()
  const clock = new ManualClock(new Date(0))
  const requests = new InFlight(clock)
  const commits = new GroupCommit(server.send, {}, requests)
  const [page, job] = [{}, {}]
  requests.begin(page)
  for (let id = 1; id <= 300; id++) void commits.commit(unit(id, night))
  await aMoment()
  t.same(server.batches, [], 'a request is being answered, which may never reach the ledger')
  requests.end(page)
  await aMoment()
  t.equal(server.batches.length, 1, 'its answer is out')

  requests.begin(job)
  await server.answer()
  t.equal(server.batches.length, 1, 'the next request goes first again')
  clock.advance(50)
  await aMoment()
  t.equal(server.batches.length, 2, 'but not for ever: it may wait for this very work')
  await server.answer()
  t.equal(server.batches.length, 3, 'nor a second time')
  requests.begin(page)
  await server.answer()
  const paid = commits.commit(unit(5000, cashier))
  await aMoment()
  t.same([server.batches.length, server.batches[3]!.length], [4, 1 + 16], 'a commit of a caller takes some along')
  requests.end(page)
  await server.answer()
  t.match(await paid, { kind: 'committed' })
  t.equal(server.batches.length, 5)
  requests.end(job)
  t.equal(await requests.drain(0), 0)
})

t.test('a turn whose amounts do not fit fails alone', async (t) => {
  const server = new Server()
  const commits = new GroupCommit(server.send)
  const good = commits.commit(unit(1, cashier))
  const bad = commits.commit(unit(2, cashier, 2n ** 63n))
  const rejected = t.rejects(bad, { code: '22003' })
  await aMoment()
  await server.answer()
  t.match(await good, { kind: 'committed' })
  await rejected
  t.same(server.batches, [[1]])
})
