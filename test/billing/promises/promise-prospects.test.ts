import t from 'tap'
import { usualPolicy } from '../../../src/billing/accounts/policy.ts'
import { promiseProspects, standingColumns, type StandingRow } from '../../../src/billing/promises/promise-prospects.ts'
import { moneyFromUnits, moneyOrNull, rubles, zero } from '../../../src/domain/money.ts'
import { offerPromise, promiseBounds, type PromisePolicy } from '../../../src/domain/promise.ts'
import { Parameters } from '../../../src/platform/storage/parameters.ts'
import { SharedDatabase } from '../../support/database.ts'

const now = new Date('2026-11-21T12:00:00.123Z')
const policies: Record<string, PromisePolicy> = {
  usual: usualPolicy.promise,
  'with a smallest debt': { ...usualPolicy.promise, minDebt: rubles(100) },
  'without bounds': { ...usualPolicy.promise, minAgeDays: 0, cooldownDays: 0 },
  'of one limit': { ...usualPolicy.promise, limitOverride: rubles(70) },
}

/** A microsecond before a moment and after it, the moment itself and the next millisecond. */
const around = (moment: Date): string[] => {
  const text = (ms: number, micros: string) => new Date(moment.getTime() + ms).toISOString().replace('Z', `${micros}Z`)
  return [text(-1, '999'), text(0, '000'), text(0, '001'), text(1, '000')]
}

t.test('who has the same standing is offered what the decision of the activation offers each', async (t) => {
  const database = await (await SharedDatabase.open(t)).anew()
  const { youngFrom, coolingFrom } = promiseBounds(usualPolicy.promise, now)
  const created = ['2020-01-01T00:00:00Z', '2026-11-21T12:00:00.123456Z', '2027-01-01T00:00:00Z', ...around(youngFrom)]
  const promised = [null, '2020-01-01T00:00:00Z', ...around(coolingFrom!)]
  const balances = [-7000, -700, -500.01, -499, -100, -99.99, 0, 50].map((sum) => String(Math.round(sum * 100) * 1e8))
  await database.ledger.query(
    `INSERT INTO tarifs (id, name, price) VALUES (1, 'Free', 0), (2, 'Usual', ${rubles(500)});
    INSERT INTO admin_accounts (id, ostatok, debit, credit) SELECT n, sum, greatest(sum, 0), greatest(-sum, 0) FROM unnest('{${balances.join()}}'::int8[]) WITH ORDINALITY AS made (sum, n)`,
  )
  await database.ledger.query(
    `INSERT INTO abonents (id, name, contract_number, account_id, create_date, promise_last_date, tarif_id, deleted, promise_date_end)
      SELECT row_number() OVER (), 'Somebody', row_number() OVER (), account.id, created, promised, tarif, at = 1, CASE WHEN at = 2 THEN created END
      FROM unnest($1::timestamptz[]) AS created, unnest($2::timestamptz[]) AS promised, admin_accounts AS account,
        unnest('{NULL,1,2}'::int8[]) AS tarif, generate_series(0, 2) AS at WHERE at = 0 OR tarif = 2 AND account.id = 1`,
    [created, promised],
  )
  const client = await database.pool.connect()
  t.teardown(() => client.release())
  const { rows: services } = await client.query('SELECT enabled, summa, end_count_days FROM uslugas WHERE id = 30353')
  const { enabled, summa, end_count_days: days } = services[0]
  for (const [name, policy] of Object.entries(policies)) {
    const parameters = new Parameters()
    const columns = standingColumns(policy, now, parameters).join(', ')
    const { rows } = await client.query<StandingRow & Record<string, never>>(
      `SELECT ${columns}, tarif.price, account.ostatok, client.create_date, client.promise_last_date, client.promise_date_end
        FROM abonents AS client JOIN admin_accounts AS account ON account.id = client.account_id
          LEFT JOIN tarifs AS tarif ON tarif.id = client.tarif_id`,
      parameters.values as unknown[],
    )
    t.ok(rows.length > 1_000)
    const prospectOf = await promiseProspects(client, policy, now)
    const answers = new Set<string>()
    const wrong = rows.filter((row) => {
      const { deleted, promise_last_date: lastPromiseAt, promise_date_end: until } = row
      const promise = until && { linkId: null, uslugaId: 30353, limit: zero, until, operationId: null }
      const expected = offerPromise(
        { balance: moneyFromUnits(row.ostatok!), deleted, lastPromiseAt: lastPromiseAt!, promise: promise! },
        { path: 'operator', limit: null, until: null },
        {
          tariffPrice: moneyOrNull(row.price),
          createdAt: row.create_date!,
          service: { enabled, amount: moneyOrNull(summa), days },
        },
        policy,
        now,
      )
      answers.add(expected.kind === 'refused' ? expected.reason : String(expected.offer.limit))
      const found = prospectOf(row)
      return JSON.stringify(found, bigintAsText) !== JSON.stringify(expected, bigintAsText)
    })
    t.same(wrong, [], name)
    t.ok(answers.size > 3, 'offers and refusals')
  }
})

const bigintAsText = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
