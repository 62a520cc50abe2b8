import t from 'tap'
import pg from 'pg'
import { abonents } from '../../src/interfaces/rest/models/abonents.ts'
import { readFilters } from '../../src/platform/records/filters.ts'
import { Joins } from '../../src/platform/records/paths.ts'
import { Parameters } from '../../src/platform/storage/parameters.ts'
import { testDatabaseUrl } from '../support/database.ts'

t.test(
  'filters of a subscriber find whole texts and parts of them, in their case, by the index on parts',
  async (t) => {
    const database = new pg.Client({ connectionString: await testDatabaseUrl(t) })
    await database.connect()
    t.teardown(() => database.end())
    // An empty table is read as a whole otherwise.
    await database.query('SET enable_seqscan = off; SET enable_indexscan = off')
    for (const filter of ['email', 'email__contains', 'address__startswith', 'name__endswith', 'sms__icontains']) {
      const parameters = new Parameters()
      const joins = new Joins()
      const read = readFilters(abonents, new URLSearchParams({ [filter]: 'A_b%c' }), joins, parameters)
      if (read.kind === 'wrong') throw new Error(JSON.stringify(read.errors))
      const text = `EXPLAIN SELECT FROM abonents AS this WHERE ${read.conditions.join(' AND ')}`
      const { rows } = await database.query<{ 'QUERY PLAN': string }>(text, parameters.values)
      t.match(rows.map((row) => row['QUERY PLAN']).join('\n'), /Bitmap Index Scan on abonents_trigrams/, filter)
    }
  },
)
