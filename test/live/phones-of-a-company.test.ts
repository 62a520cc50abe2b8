import t, { type Test } from 'tap'
import { followEvents } from '../../src/app/event-followers.ts'
import { HeldStatuses } from '../../src/billing/clients/held-statuses.ts'
import { systemAuthor } from '../../src/domain/author.ts'
import { accountId, subscriberId } from '../../src/domain/ids.ts'
import { rubles } from '../../src/domain/money.ts'
import { Phones, phonesPath } from '../../src/live/phones.ts'
import { silentLog } from '../../src/platform/log.ts'
import { startServer } from '../platform/http/parts.ts'
import { BillingFixture } from '../support/billing.ts'
import { SharedDatabase } from '../support/database.ts'
import { LivePhone } from '../support/phone.ts'

const shared = await SharedDatabase.open(t)

const employees = 50

/** Accounts 1, of a company, and 100, of one person, with the phones of all their subscribers connected. */
async function startCompany(t: Test) {
  const fixture = await BillingFixture.open(t, shared, '2026-11-21T09:00:00Z')
  const { ledger } = fixture
  const ids = Array.from({ length: employees }, (_, at) => at + 1)
  for (const id of ids) await fixture.subscriber(id, { account_id: 1 })
  await fixture.subscriber(100)
  const { pool } = ledger.database
  const statuses = new HeldStatuses({ ...ledger, pool })
  const phones = new Phones({
    clock: ledger.clock,
    log: silentLog,
    find: async (token) => ({ subscriberId: subscriberId(token), session: token }),
    going: async (sessions) => new Set(sessions),
    statuses: (ids, language) => statuses.read(ids, language),
    statusAfter: (event) => statuses.committed(event),
    observe: () => {},
  })
  followEvents(ledger.events, { phones })
  const { server, port } = await startServer([], {}, (server) => server.ws(phonesPath, phones.endpoint))
  const connect = (id: number) => new LivePhone(`ws://127.0.0.1:${port}/mobile-api/v1`, 'protocol', String(id), 'ru')
  const company = ids.map(connect)
  const person = connect(100)
  t.teardown(async () => {
    for (const phone of [...company, person]) phone.close()
    phones.stop()
    await server.stop()
  })
  await Promise.all([...company, person].map((phone) => phone.status()))
  let statements = 0
  for (const one of [pool, ledger.database.ledger]) one.on('acquire', () => statements++)
  /** How often a connection of the database was taken until all of these phones had the balance after a payment. */
  const statementsOf = async (account: number, balance: string, concerned: readonly LivePhone[]) => {
    const before = statements
    const details = { movedAt: null, description: 'Payment', details: {}, keys: [] }
    const amount = { kind: 'post', typeId: 7, sign: 1, amount: rubles(1) } as const
    const command = { ...amount, subscriberId: subscriberId(account), ...details }
    await ledger.accounts.ask(accountId(account), command, systemAuthor('test'))
    await Promise.all(concerned.map((phone) => phone.status((status) => status.balance === balance)))
    return statements - before
  }
  return { company, person, statementsOf }
}

t.test('a payment takes as many statements for fifty phones of an account as for one', async (t) => {
  const { company, person, statementsOf } = await startCompany(t)
  // The first turn of an account reads it.
  await statementsOf(100, '1.00', [person])
  await statementsOf(1, '1.00', company)
  const forOne = await statementsOf(100, '2.00', [person])
  t.equal(await statementsOf(1, '2.00', company), forOne)
  t.equal(forOne, 1, 'that of the commit')
  for (const { frames } of [...company, person])
    t.same(
      frames.map(({ type, seq }) => `${type} ${seq}`),
      ['status 1', 'status 2', 'status 3'],
    )
})
