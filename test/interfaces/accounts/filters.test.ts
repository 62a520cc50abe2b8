import t from 'tap'
import { organizationId } from '../../../src/domain/ids.ts'
import { spellingsOf } from '../../../src/domain/text.ts'
import { keysByBalance } from '../../../src/interfaces/admin/accounts/by-balance.ts'
import { readFilter } from '../../../src/interfaces/admin/accounts/filter.ts'
import { readKeys } from '../../../src/interfaces/admin/accounts/keys.ts'
import { Kpis } from '../../../src/interfaces/admin/accounts/kpi.ts'
import { drawing } from '../../support/drawing.ts'
import { SharedDatabase } from '../../support/database.ts'
import { base, type Json, openAccountsOffice } from './fixture.ts'

const shared = await SharedDatabase.open(t)

t.test('two letters begin a name in whatever case, as plain SQL finds them', async (t) => {
  const { office, root } = await openAccountsOffice(t, { shared })
  const names = [
    'Иван',
    'иван',
    'ИВАН',
    'иВан',
    'Игорь',
    'Kim',
    'kim',
    '\u212aim',
    'Ñ_o',
    'ñ_o',
    'Ñxo',
    'Ярослав Ив',
    '№ 5',
  ]
  for (const [at, name] of names.entries()) {
    const [{ id }] = await office.rows('INSERT INTO admin_accounts DEFAULT VALUES RETURNING id')
    await office.rows('INSERT INTO abonents (name, contract_number, account_id) VALUES ($1, $2, $3)', [
      name,
      `K-${at}`,
      id,
    ])
  }
  for (const q of ['ив', 'ИВ', 'и', 'ki', 'K', 'ñ_', 'Ñ_', 'я', '№', 'zz'])
    for (const sort of ['id', 'name']) {
      const order = sort === 'id' ? 'account_id' : 'name, id'
      const rows = await office.rows(
        `SELECT account_id FROM abonents WHERE starts_with(lower(name), lower($1)) ORDER BY ${order}`,
        [q],
      )
      const { body } = await root.get(`${base}/accounts_json/?sort=${sort}&q=${encodeURIComponent(q)}`)
      const found = body.items.map(({ id }: Json) => id)
      const expected = rows.map(({ account_id }) => Number(account_id))
      t.same([found, body.kpi.total], [expected, expected.length], `${q} by ${sort}`)
    }
})

t.test('every letter is among the spellings of its lower case', async (t) => {
  const { pool } = await shared.anew()
  const { rows } = await pool.query(
    `SELECT chr(n) AS letter, lower(chr(n)) AS lower FROM generate_series(1, 65535) AS n WHERE n NOT BETWEEN 55296 AND 57343`,
  )
  t.same(
    rows.filter(({ letter, lower }) => !spellingsOf(lower).includes(letter)),
    [],
  )
})

t.test('accounts without a client are counted and found as plain SQL finds them', async (t) => {
  const { pool } = await shared.anew()
  // Of a clock that stands still no counter took long, so none is remembered.
  const kpis = new Kpis(() => 0)
  const draw = drawing(5)
  const accounts: number[] = []
  for (let n = 0; n < 12; n++) {
    const sums = [[0, 0, 0] as const, [5, 5, 0] as const, [-5, 0, 5] as const][n % 3]!
    const made = 'INSERT INTO admin_accounts (ostatok, debit, credit) VALUES ($1, $2, $3) RETURNING id'
    accounts.push(Number((await pool.query(made, [...sums])).rows[0].id))
  }
  const one = () => accounts[draw(accounts.length)]
  const come = (n: number, account = one()) =>
    pool.query('INSERT INTO abonents (name, contract_number, account_id) VALUES ($1, $1, $2)', [
      `n${n} ${account}`,
      account,
    ])
  const deeds: readonly ((n: number) => Promise<unknown>)[] = [
    (n) => come(n),
    (n) => come(n),
    () => pool.query('UPDATE abonents SET account_id = $1 WHERE account_id = $2', [one(), one()]),
    () => pool.query('UPDATE abonents SET deleted = NOT deleted WHERE account_id = $1', [one()]),
    () => pool.query('DELETE FROM abonents WHERE account_id = $1', [one()]),
    (n) => pool.query('INSERT INTO video_objects (name, account_id) VALUES ($1, $2)', [`v${n}`, one()]),
    () => pool.query('DELETE FROM video_objects WHERE account_id = $1', [one()]),
  ]
  const conditions = { '': 'true', debtors: 'ostatok < 0', plus: 'ostatok > 0', without_client: 'true' } as const
  const counted = new Set<number>()
  for (let n = 0; n < 60; n++) {
    await deeds[draw(deeds.length)]!(n)
    // None is left without.
    if (n === 50) for (const account of accounts) await come(account, account)
    for (const [chip, condition] of Object.entries(conditions)) {
      const { rows } = await pool.query(
        `SELECT id FROM admin_accounts AS account WHERE ${condition} AND NOT EXISTS (SELECT FROM abonents WHERE account_id = account.id)
          AND NOT EXISTS (SELECT FROM video_objects WHERE account_id = account.id) ORDER BY id`,
      )
      const asked = readFilter(new URLSearchParams({ chip }), null)
      if ('refused' in asked) throw new Error(chip)
      const page = { limit: 100, offset: 0 }
      const { without_client } = (await kpis.of({ ...asked, page }, (read) => read(pool))).kpi
      t.equal(without_client, rows.length, `${n} ${chip}`)
      counted.add(without_client)
      if (chip === 'without_client')
        t.same(
          await readKeys(pool, asked.filter, asked.sort, page),
          rows.map(({ id }) => id),
        )
    }
  }
  t.ok(counted.size > 5 && counted.has(0))
})

t.test('who sees some organizations is shown and counted what plain SQL finds, in every order', async (t) => {
  const { pool } = await shared.anew()
  await pool.query(`INSERT INTO organizations (id, name) VALUES (2, 'North'), (3, 'South')`)
  await pool.query(
    `INSERT INTO admin_accounts (id, ostatok, debit, credit, "limit")
      SELECT n, balance, greatest(balance, 0), greatest(-balance, 0), n % 4 FROM (SELECT n, n * 7919 % 9 - 4 AS balance FROM generate_series(1, 90) AS n) AS made`,
  )
  // Some accounts are of nobody, some of several, and some clients are of no organization, which is the default one.
  await pool.query(
    `INSERT INTO abonents (name, contract_number, account_id, organization_id)
      SELECT 'Name ' || n * 31 % 17, 'K-' || n, 1 + n * 7 % 80, nullif(n % 4, 0) FROM generate_series(1, 120) AS n`,
  )
  const orders = { id: 'id', '-id': 'id DESC', balance: 'ostatok, id', '-limit': '"limit" DESC, id DESC' }
  const byName = { name: 'name IS NULL, name, client, id', '-name': 'name IS NULL, name DESC, client DESC, id' }
  const chips = { '': 'true', debtors: 'ostatok < 0' }
  const searches = {
    '': 'true',
    'name 1': `EXISTS (SELECT FROM abonents WHERE account_id = account.id AND name LIKE 'Name 1%')`,
  }
  for (const visible of [[2], [3, 2], [1, 3]].map((ids) => ids.map(organizationId)))
    for (const [sort, order] of Object.entries({ ...orders, ...byName }))
      for (const [chip, isOfChip] of Object.entries(chips))
        for (const [q, isFound] of Object.entries(searches)) {
          const seen = `coalesce(organization_id, 1) = ANY ($1::int8[])`
          const { rows } = await pool.query(
            `SELECT account.id, ostatok FROM admin_accounts AS account LEFT JOIN LATERAL (SELECT id AS client, name, organization_id
                FROM abonents WHERE account_id = account.id ORDER BY abonents.id LIMIT 1) AS main ON true
              WHERE ${seen} AND ${isOfChip} AND ${isFound.replace('name LIKE', `${seen} AND name LIKE`)} ORDER BY ${order}`,
            [visible],
          )
          const asked = readFilter(new URLSearchParams({ q, chip, sort }), visible)
          if ('refused' in asked) throw new Error(sort)
          const told = `${visible} ${sort} ${chip} ${q}`
          for (const page of [
            { limit: 200, offset: 0 },
            { limit: 5, offset: 4 },
          ]) {
            const expected = rows.slice(page.offset, page.offset + page.limit).map(({ id }) => id)
            const { kpi, keys } = await new Kpis().of({ ...asked, page }, (read) => read(pool))
            t.same([kpi.total, kpi.debtors], [rows.length, rows.filter(({ ostatok }) => ostatok < 0).length], told)
            t.same(keys ?? expected, expected, `${told}, found with the counters`)
            t.same(await readKeys(pool, asked.filter, asked.sort, page), expected, told)
          }
        }
})

t.test('accounts in the order of their balances, as plain SQL has them, whatever a sample says', async (t) => {
  const { pool } = await shared.anew()
  const chips = { '': 'true', debtors: 'ostatok < 0', plus: 'ostatok > 0' } as const
  // Balances of many accounts each, and more of them below zero.
  await pool.query(
    `INSERT INTO admin_accounts (ostatok, debit, credit)
      SELECT balance, greatest(balance, 0), greatest(-balance, 0) FROM (SELECT n * 7919 % 60 - 40 AS balance FROM generate_series(1, 500) AS n) AS made`,
  )
  const missed = new Map<string, number>()
  for (const kept of ['as it is', 'twice as many']) {
    // A sample of which twice as many rows were expected is far from the truth.
    if (kept !== 'as it is')
      await pool.query(`INSERT INTO row_counts (table_name, bucket, rows) VALUES ('admin_accounts', 0, 500)`)
    for (const [chip, condition] of Object.entries(chips))
      for (const sort of ['balance', '-balance'])
        for (const [limit, offset] of [
          [11, 0],
          [11, 1],
          [31, 90],
          [101, 150],
          [51, 333],
          [20, 480],
          [20, 499],
          [20, 600],
        ] as const) {
          const asked = readFilter(new URLSearchParams({ chip, sort }), null)
          if ('refused' in asked) throw new Error(chip)
          const direction = sort === 'balance' ? 'ASC' : 'DESC'
          const { rows } = await pool.query(
            `SELECT id FROM admin_accounts WHERE ${condition} ORDER BY ostatok ${direction}, id ${direction} LIMIT ${limit} OFFSET ${offset}`,
          )
          const expected = rows.map(({ id }) => id)
          const page = { limit, offset }
          t.same(await readKeys(pool, asked.filter, asked.sort, page), expected, `${chip} ${sort} ${offset} ${kept}`)
          const found = await keysByBalance(pool, { chip: asked.filter.chip, ...asked.sort }, page)
          if (found === null) missed.set(kept, (missed.get(kept) ?? 0) + 1)
        }
  }
  t.equal(missed.get('as it is'), undefined, 'none of them had to be sorted as a whole')
  t.ok(missed.get('twice as many'), 'some had to be')
})

t.test('a page without counters is that of the whole list, and has them where it had to find all', async (t) => {
  const { office, root } = await openAccountsOffice(t, { shared })
  await office.rows(
    `INSERT INTO admin_accounts (id, ostatok, debit, credit, "limit", create_date)
      SELECT n, balance, greatest(balance, 0), greatest(-balance, 0), n % 4, timestamptz '2026-01-01' + n * 7 % 30 * interval '1 day'
      FROM (SELECT n, n * 7919 % 9 - 4 AS balance FROM generate_series(1, 60) AS n) AS made`,
  )
  // Some accounts are of nobody and some of many; logins and video objects have words of their own.
  await office.rows(
    `INSERT INTO abonents (id, name, contract_number, account_id, email, deleted)
      SELECT n, CASE n % 3 WHEN 0 THEN 'ИВАНОВ ' WHEN 1 THEN 'Петров ' ELSE 'Кто-то ' END || n, 'K-' || n,
        CASE n % 3 WHEN 0 THEN 1 + n * 7 % 20 WHEN 1 THEN 15 + n * 7 % 20 ELSE 1 + n * 7 % 50 END, CASE WHEN n % 500 = 0 THEN 'iv' || n || '@x' END, n % 9 = 0
      FROM generate_series(1, 3100) AS n`,
  )
  await office.rows(
    `INSERT INTO users (abonent_id, login, password) SELECT n, 'line' || n, '' FROM generate_series(1, 80) AS n WHERE n % 2 = 0`,
  )
  await office.rows(
    `INSERT INTO video_objects (name, account_id) SELECT 'иванов gate', n FROM generate_series(50, 60) AS n`,
  )
  const list = async (query: object): Promise<Json> => {
    const { status, body } = await root.get(`${base}/accounts_json/?${new URLSearchParams({ ...query })}`)
    if (status !== 200) throw new Error(JSON.stringify(body))
    return body
  }
  const common = new Set(['иванов', 'ив', 'k-1'])
  const told = { soon: 0, counted: 0 }
  for (const sort of ['id', '-limit', 'create_date', 'name', '-balance'])
    for (const chip of sort === 'id' ? ['', 'debtors', 'without_client'] : ['', 'debtors'])
      for (const q of ['', ...common, 'gate', '17', 'zz'])
        for (const at of ['1', '2']) {
          const asked = { sort, chip, q, page: at, per_page: '4' }
          const whole = await list(asked)
          const { kpi, total, ...page } = await list({ ...asked, totals: '0' })
          t.same([idsOf(page), page.has_more], [idsOf(whole), whole.has_more], JSON.stringify(asked))
          const isWalked = common.has(q) && !/name|balance/.test(sort) && chip !== 'without_client' && whole.has_more
          const isSoon = q === '' || isWalked
          t.strictSame([kpi, total], isSoon ? [undefined, undefined] : [whole.kpi, whole.total], JSON.stringify(asked))
          told[isSoon ? 'soon' : 'counted']++
        }
  t.ok(told.soon > 50 && told.counted > 50)
})

const idsOf = ({ items }: Json): number[] => items.map(({ id }: Json) => id)
