import t from 'tap'
import { type Json, openOffice } from './admin-office.ts'

/** Rows are written by SQL here: what is looked at is how a word that very many have is found. */
const office = await openOffice(t)
const root = await office.staff('root')
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
const north = await office.staff('north', 'viewer', [2])
await office.rows(`INSERT INTO admin_accounts (id) SELECT n FROM generate_series(1, 2600) AS n`)
// Of ten two are Pavlov by name, others have it in their e-mail or address, and some in both.
await office.rows(`INSERT INTO abonents (id, account_id, contract_number, name, email, address, organization_id, deleted)
  SELECT n, n, 'C' || n, CASE WHEN n % 2 = 0 THEN 'Pavlov ' ELSE 'Yegorov ' END || (ARRAY['Anna', 'Ivan', 'Oleg'])[1 + n % 3] || ' ' || n % 700,
    CASE WHEN n % 97 = 0 THEN 'pavlov' || n || '@example.ru' END, CASE WHEN n % 89 = 0 THEN 'Pavlov street ' || n END,
    1 + (n % 2 + n % 5) / 3, n % 50 = 0
  FROM generate_series(1, 2600) AS n`)
await office.rows(
  `INSERT INTO users (abonent_id, login, password) SELECT n, 'pavlov-' || n, '' FROM generate_series(7, 2600, 301) AS n`,
)
await office.rows('VACUUM ANALYZE abonents')

type Caller = typeof root
const truth = async (words: readonly string[], more = 'true'): Promise<number[]> => {
  const text = `lower(concat_ws(' ', name, contract_number, email, address, (SELECT string_agg(login, ' ') FROM users WHERE abonent_id = client.id)))`
  const has = ['true', ...words.map((word) => `strpos(${text}, '${word}') > 0`)].join(' AND ')
  const rows = await office.rows(
    `SELECT id FROM abonents AS client WHERE NOT deleted AND ${has} AND ${more} ORDER BY name, id`,
  )
  return rows.map(({ id }) => Number(id))
}

async function paged(caller: Caller, query: string): Promise<{ ids: number[]; first: Json }> {
  const ids: number[] = []
  let first: Json
  for (let cursor = ''; ; ) {
    const { status, body } = await caller.get(`/admin/Abonents/subscribers/?limit=200&${query}${cursor}`)
    if (status !== 200) throw new Error(JSON.stringify(body))
    first ??= body
    ids.push(...body.items.map(({ id }: Json) => id))
    if (body.next_cursor === null) return { ids, first }
    cursor = `&cursor=${body.next_cursor}`
  }
}

t.test('a word that very many have finds all of them by name, whatever has it, as plain SQL does', async (t) => {
  const all = await truth(['pavlov'])
  t.ok(all.length > 1_200)
  const { ids, first } = await paged(root, 'q=Pavlov')
  t.same(ids, all)
  t.match(first, { total: 1_000, has_more_than_total: true })
  t.same((await paged(root, 'q=pavlov&sort=-name')).ids, all.toReversed())
  const begins = await truth([], `lower(name) LIKE 'pa%'`)
  t.ok(begins.length > 1_200)
  t.same((await paged(root, 'q=PA')).ids, begins, 'a short word begins a name')
  t.same((await paged(root, 'q=avlov+ann')).ids, await truth(['avlov', 'ann']))
})

t.test('a search for what very many have takes its other filters along', async (t) => {
  const ofNorth = await truth(['pavlov'], 'organization_id = 2')
  t.ok(ofNorth.length > 0 && ofNorth.length < (await truth(['pavlov'])).length)
  t.same((await paged(north, 'q=pavlov')).ids, ofNorth)
  t.same((await paged(root, 'q=pavlov&organization=2')).ids, ofNorth)
  t.same((await paged(root, 'q=pavlov&sort=contract_number')).ids.length, (await truth(['pavlov'])).length)
})
