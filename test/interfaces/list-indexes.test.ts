import pg from 'pg'
import t, { type Test } from 'tap'
import { defaultOrganization } from '../../src/domain/ids.ts'
import { walkToPage } from '../../src/interfaces/admin/accounts/common-words.ts'
import { readFilters as readOperationFilters } from '../../src/interfaces/admin/finops/filters.ts'
import { ListFilters } from '../../src/interfaces/admin/list-filters.ts'
import { cardDictionary } from '../../src/interfaces/admin/provider/dictionaries/cards.ts'
import { changesText } from '../../src/interfaces/admin/reports/subscribers.ts'
import { searchSql } from '../../src/interfaces/admin/subscribers/list-filters.ts'
import { abonents } from '../../src/interfaces/rest/models/abonents.ts'
import { readFilters } from '../../src/platform/records/filters.ts'
import { Joins } from '../../src/platform/records/paths.ts'
import { searchRecords } from '../../src/platform/records/search.ts'
import { Parameters } from '../../src/platform/storage/parameters.ts'
import { testDatabaseUrl } from '../support/database.ts'
import { planOf } from '../support/plan.ts'

async function openDatabase(t: Test): Promise<pg.Client> {
  const database = new pg.Client({ connectionString: await testDatabaseUrl(t) })
  await database.connect()
  t.teardown(() => database.end())
  // An empty table is read as a whole otherwise.
  await database.query('SET enable_seqscan = off')
  return database
}

async function planOfFilter(database: pg.Client, filter: string, value: string): Promise<string> {
  const parameters = new Parameters()
  const read = readFilters(abonents, new URLSearchParams({ [filter]: value }), new Joins(), parameters)
  if (read.kind === 'wrong') throw new Error(JSON.stringify(read.errors))
  return planOf(database, `SELECT FROM abonents AS this WHERE ${read.conditions.join(' AND ')}`, parameters.values)
}

t.test('a parent of an operation is looked up each way by itself', async (t) => {
  const database = await openDatabase(t)
  const filters = readOperationFilters(new URLSearchParams({ q: 'INV-5' }), null, { newest: 21 })
  if ('refused' in filters) throw new Error('The search was refused.')
  const text = `SELECT FROM finance_operations AS operation WHERE ${filters.conditions}`
  const plan = await planOf(database, text, filters.values)
  for (const index of ['finance_operations_number', 'finance_operations_pay_id', 'money_keys_pkey'])
    t.match(plan, index)
})

t.test('what a search of operations finds beside texts has an index each', async (t) => {
  const database = await openDatabase(t)
  const filters = readOperationFilters(new URLSearchParams({ q: '5' }), null)
  if ('refused' in filters) throw new Error('The search was refused.')
  const ways = filters.search!.ways.map((way) => `SELECT FROM finance_operations AS operation WHERE ${way}`)
  const plan = await planOf(database, ways.join(' UNION ALL '), filters.values)
  for (const index of ['abonent', 'number', 'txn', 'pay_id', 'pkey']) t.match(plan, `finance_operations_${index}`)
  t.notMatch(plan, 'Seq Scan on finance_operations')
})

t.test('whole texts and parts of them, in their case, are found by the index on parts', async (t) => {
  const database = await openDatabase(t)
  await database.query('SET enable_indexscan = off')
  for (const filter of ['address', 'email__contains', 'address__startswith', 'name__endswith', 'sms__icontains']) {
    const plan = await planOfFilter(database, filter, 'A_b%c')
    t.match(plan, /Bitmap Index Scan on abonents_trigrams/, filter)
  }
})

t.test('whose an e-mail address is, in whatever case, is found by its own index', async (t) => {
  const database = await openDatabase(t)
  await database.query('SET enable_bitmapscan = off')
  for (const filter of ['email', 'email__iexact', 'email__in', 'email__startswith', 'email__istartswith']) {
    const plan = await planOfFilter(database, filter, 'A@b.c,D')
    t.match(plan, /Index Scan using abonents_email .*\n\s+Index Cond: .*lower\(email\)/, filter)
  }
})

t.test('names that begin so are counted by an index alone', async (t) => {
  const database = await openDatabase(t)
  await database.query('SET enable_bitmapscan = off')
  for (const filter of ['name__istartswith', 'name__startswith']) {
    const parameters = new Parameters()
    const read = readFilters(abonents, new URLSearchParams({ [filter]: 'Iv' }), new Joins(), parameters)
    if (read.kind === 'wrong') throw new Error(JSON.stringify(read.errors))
    const text = `SELECT count(*), min(id + 0) FROM abonents AS this WHERE ${read.conditions.join(' AND ')} AND NOT deleted`
    const plan = await planOf(database, text, parameters.values)
    t.match(plan, /Index Only Scan using abonents_name(_lower)? .*\n\s+Index Cond/, filter)
  }
})

t.test('a part of the serial of a card is found by the index on parts', async (t) => {
  const database = await openDatabase(t)
  await database.query('SET enable_indexscan = off')
  const plans: string[] = []
  const client = {
    query: async (text: string, values: unknown[]) => {
      plans.push(await planOf(database, text, values))
      return database.query(text, values)
    },
  }
  const search = { ...cardDictionary, text: '47_1', page: 1, perPage: 10 }
  await searchRecords(client as never, cardDictionary.model, search, null)
  t.match(plans[0], /Bitmap Index Scan on cards_trigrams/)
})

t.test('who came is counted month by month along the index of dates, of some organizations too', async (t) => {
  const database = await openDatabase(t)
  await database.query('SET enable_bitmapscan = off')
  for (const visible of [null, [defaultOrganization]]) {
    const plan = await planOf(database, changesText(visible), [visible, ['2026-01-01', '2026-02-01']])
    t.match(plan, /Index Only Scan using abonents_live_create_date .*\n\s+Index Cond: .*create_date >=.*create_date </)
  }
})

t.test('a subscriber in whatever state is found by two letters along indexes', async (t) => {
  const database = await openDatabase(t)
  const filters = new ListFilters()
  const text = `SELECT client.id FROM abonents AS client WHERE ${searchSql(filters, 'iv')}`
  const plan = await planOf(database, text, [...filters.values])
  t.match(plan, 'abonents_name_lower')
  t.match(plan, 'abonents_trigrams')
  t.notMatch(plan, 'Seq Scan')
})

t.test('accounts are looked through for a common word one by one along indexes', async (t) => {
  const database = await openDatabase(t)
  const plans: string[] = []
  const client = {
    query: async ({ text, values }: { text: string; values: unknown[] }) => {
      plans.push(await planOf(database, text, values))
      return { rows: [{ found: 1_000 }] }
    },
  }
  const page = { limit: 51, offset: 0 }
  for (const q of ['17', 'ив', 'иванов'])
    await walkToPage(client as never, { q, chip: 'debtors', visible: null }, { by: 'id', isDescending: true }, page)
  t.equal(plans.length, 6)
  for (const [at, plan] of plans.entries()) {
    t.notMatch(plan, /Seq Scan|hashed/)
    if (at % 2 === 0) continue
    t.match(plan, 'Backward using admin_accounts_pkey')
    for (const index of ['abonents_account', 'users_abonent']) t.match(plan, index)
  }
})
