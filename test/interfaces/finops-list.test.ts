import t from 'tap'
import { sourceSql } from '../../src/billing/accounts/operation-source.ts'
import { drawing } from '../support/drawing.ts'
import { fetch } from '../support/published.ts'
import { type Json, openOffice } from './admin-office.ts'

/** Rows are written by SQL here: what is looked at is how they are read. */
const office = await openOffice(t)
const root = await office.staff('root')
const path = '/admin/Abonents/finops_json/'
const list = async (query: string): Promise<Json> => {
  const { status, body } = await root.get(`${path}?${query}`)
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}
const idsOf = ({ items }: Json): number[] => items.map(({ op_id }: Json) => op_id)

const ivan = (await root.post('/rest_api/v2/Abonents/', { name: 'Иванов Иван', contract_number: 'Д-77' })).body
const petr = (await root.post('/rest_api/v2/Abonents/', { name: '100% Пётр_', contract_number: 'Д-78' })).body

type Row = {
  op_date: string
  op_summa?: number
  op_type_id?: number
  descr?: string
  abonent?: Json
  [column: string]: unknown
}

async function written({ abonent = ivan, op_summa = 1, op_type_id = 7, ...row }: Row): Promise<number> {
  const columns = {
    ...row,
    op_summa: op_summa * 1e10,
    op_type_id,
    abonent_id: abonent.id,
    account_id: abonent.account,
    organization_id: 1,
  }
  const names = Object.keys(columns)
  const [made] = await office.rows(
    `INSERT INTO finance_operations (${names.join(', ')}) VALUES (${names.map((_, at) => `$${at + 1}`).join(', ')}) RETURNING op_id`,
    Object.values(columns),
  )
  return Number(made.op_id)
}

const clear = () => office.rows('DELETE FROM finance_operations')

t.test('batches follow each other without a gap or a repeat, to the microsecond', async (t) => {
  await clear()
  const expected: { id: number; date: string }[] = []
  for (let n = 0; n < 173; n++) {
    // Many share a moment or a millisecond.
    const date = `2026-03-01T00:00:00.${String(Math.floor(n / 7) * 3 + 1_000).padStart(6, '0')}+00`
    expected.push({ id: await written({ op_date: date }), date })
  }
  expected.sort((a, b) => (a.date < b.date ? 1 : a.date > b.date ? -1 : b.id - a.id))
  const seen: number[] = []
  let query = 'page=1'
  for (let batch = 0; query !== ''; batch++) {
    const answer = await list(query)
    seen.push(...idsOf(answer))
    t.equal(answer.total, batch === 0 ? 173 : -1)
    t.equal('kpi' in answer, batch === 0)
    t.equal(answer.items.length, batch < 3 ? 50 : 24)
    t.equal(answer.has_more, batch < 3)
    if (batch === 0) {
      // What is made in between belongs to the beginning of the list and moves nothing.
      await written({ op_date: '2026-03-02T00:00:00Z' })
      await written({ op_date: '2026-02-01T00:00:00Z', descr: 'at the end' }).then((id) =>
        expected.push({ id, date: '' }),
      )
    }
    query = answer.next_cursor ? new URLSearchParams(answer.next_cursor).toString() : ''
  }
  t.same(
    seen,
    expected.map(({ id }) => id),
  )
})

t.test('the operations of a source are found by their days, on every page, as plain SQL finds them', async (t) => {
  await clear()
  // Many days have none of a source, and some have more than a page.
  const draw = drawing(7)
  for (let n = 0; n < 240; n++) {
    const day = draw(3) === 0 ? '2026-03-07' : `2026-0${1 + draw(6)}-${10 + draw(4) * 5}`
    const [op_type_id, descr] = [[24, null] as const, [7, 'cash'] as const, [7, '[legacy] row'] as const][draw(3)]!
    await written({
      op_date: `${day}T${10 + draw(13)}:30:00+03`,
      op_type_id,
      ...(descr !== null && { descr }),
      ...(draw(9) === 0 && { op_type_id: 7, operator_name: 'gwb' }),
    })
  }
  const truth = async (source: string, condition = '') => {
    const rows = await office.rows(
      `SELECT op_id, op_summa FROM finance_operations AS operation WHERE ${sourceSql('operation')} = $1 ${condition}
        ORDER BY op_date DESC, op_id DESC`,
      [source],
    )
    return rows.map(({ op_id }) => Number(op_id))
  }
  for (const source of ['manual', 'legacy', 'gwb', 'other', 'bank']) {
    const all = await truth(source)
    const seen: number[] = []
    let batches = 0
    for (let query: string | null = 'page=1'; query !== null; batches++) {
      const answer: Json = await list(`source=${source}&per_page=7&${query}`)
      if (batches === 0) t.same([answer.total, answer.kpi.total], [all.length, all.length], source)
      seen.push(...idsOf(answer))
      query = answer.next_cursor && new URLSearchParams(answer.next_cursor).toString()
    }
    t.same(seen, all, `${source} by cursors`)
    for (const page of [1, 2, 5, 9]) {
      const expected = all.slice((page - 1) * 7, page * 7)
      t.same(idsOf(await list(`source=${source}&per_page=7&page=${page}`)), expected, `${source}, page ${page}`)
    }
    const within = await truth(source, `AND op_date >= '2026-03-01T00:00+03' AND op_date < '2026-05-16T00:00+03'`)
    const period = 'date_from=2026-03-01&date_to=2026-05-15&per_page=200'
    t.same(idsOf(await list(`source=${source}&${period}`)), within, `${source} of a period`)
  }
})

t.test('the operations of a tariff are found by their days, on every page, as plain SQL finds them', async (t) => {
  await clear()
  const tariff = async (name: string): Promise<number> =>
    Number((await office.rows('INSERT INTO tarifs (name, price) VALUES ($1, 1) RETURNING id', [name]))[0].id)
  const [first, second, unused] = [await tariff('Первый'), await tariff('Второй'), await tariff('Третий')]
  // Ivan had none, then the first one, and has the second one since; Petr has had the first one always.
  await office.rows(
    'UPDATE abonents SET tarif_id = CASE id WHEN $1 THEN $3::int8 ELSE $4::int8 END WHERE id IN ($1, $2)',
    [ivan.id, petr.id, second, first],
  )
  await office.rows('DELETE FROM past_tariffs')
  for (const [until, past] of [
    ['2026-02-20T12:00:00+03', null],
    ['2026-04-15T12:00:00+03', first],
  ])
    await office.rows('INSERT INTO past_tariffs (abonent_id, until, tarif_id) VALUES ($1, $2, $3)', [
      ivan.id,
      until,
      past,
    ])
  const draw = drawing(11)
  for (let n = 0; n < 200; n++) {
    const day = draw(3) === 0 ? '2026-04-15' : `2026-0${1 + draw(6)}-${10 + draw(4) * 5}`
    await written({
      op_date: `${day}T${10 + draw(5)}:${draw(2)}0:00+03`,
      abonent: draw(3) === 0 ? petr : ivan,
      op_type_id: draw(2) === 0 ? 24 : 7,
      op_summa: draw(2) === 0 ? 3 : -2,
    })
  }
  await office.rows(
    `INSERT INTO finance_operations (op_date, op_summa, op_type_id, account_id, organization_id) VALUES ('2026-03-10', 0, 7, $1, 1)`,
    [ivan.account],
  )
  const truth = async (tarif: number, condition = 'true') => {
    const rows = await office.rows(
      `SELECT op_id, op_summa FROM finance_operations AS o LEFT JOIN LATERAL
          (SELECT tarif_id FROM (SELECT until, id, tarif_id FROM past_tariffs WHERE abonent_id = o.abonent_id AND until > o.op_date
            UNION ALL SELECT 'infinity', NULL, tarif_id FROM abonents WHERE id = o.abonent_id) AS had ORDER BY until, id LIMIT 1) AS of ON true
        WHERE coalesce(of.tarif_id, 0) = $1 AND ${condition} ORDER BY op_date DESC, op_id DESC`,
      [tarif],
    )
    return rows.map(({ op_id, op_summa }) => ({ id: Number(op_id), sum: Number(op_summa) / 1e10 }))
  }
  const ids = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id)
  for (const tarif of [0, first, second, unused]) {
    const all = await truth(tarif)
    t.equal(all.length > 10, tarif !== unused)
    const seen: number[] = []
    let query: string | null = 'page=1'
    for (let batches = 0; query !== null; batches++) {
      const answer: Json = await list(`tarif=${tarif}&per_page=7&${query}`)
      const net_sum = all.reduce((sum, row) => sum + row.sum, 0).toFixed(2)
      if (batches === 0) t.match(answer, { total: all.length, kpi: { total: all.length, net_sum } }, `${tarif}`)
      seen.push(...idsOf(answer))
      query = answer.next_cursor && new URLSearchParams(answer.next_cursor).toString()
    }
    t.same(seen, ids(all), `${tarif} by cursors`)
    for (const page of [1, 2, 5, 99])
      t.same(
        idsOf(await list(`tarif=${tarif}&per_page=7&page=${page}`)),
        ids(all.slice((page - 1) * 7, page * 7)),
        `${tarif}, page ${page}`,
      )
    t.same(idsOf(await list(`tarif=${tarif}&per_page=200`)), ids(all), `${tarif} of many days at once`)
    const within = await truth(tarif, `op_date >= '2026-04-10T00:00+03' AND op_date < '2026-04-16T00:00+03'`)
    t.same(idsOf(await list(`tarif=${tarif}&date_from=2026-04-10&date_to=2026-04-15&per_page=200`)), ids(within))
    const ofSource = await truth(tarif, `${sourceSql('o')} = 'bank'`)
    t.same(idsOf(await list(`tarif=${tarif}&source=bank&per_page=200`)), ids(ofSource), `${tarif} of a source`)
    const searched = await list(`tarif=${tarif}&q=${encodeURIComponent('иванов')}&per_page=200`)
    t.same(idsOf(searched), ids(await truth(tarif, `o.abonent_id = ${ivan.id}`)), `${tarif} and a search`)
  }
  await office.rows('DELETE FROM past_tariffs')
})

t.test('pages without a cursor, and what cannot be read', async (t) => {
  await clear()
  const ids: number[] = []
  for (let n = 0; n < 7; n++) ids.unshift(await written({ op_date: `2026-03-01T00:00:0${n}Z` }))
  t.same(idsOf(await list('per_page=3&page=2')), ids.slice(3, 6))
  t.match(await list('per_page=3&page=2'), { total: -1, page: 2, has_more: true })
  t.match(await list('per_page=7'), { total: 7, has_more: false, next_cursor: null })
  const cursor = 'after_date=2026-03-01T00:00:03Z'
  t.same(idsOf(await list(`${cursor}&after_id=${ids[3]}`)), ids.slice(4))
  t.same(idsOf(await list(`${cursor}&after_id=999999`)), ids.slice(3), 'rows of the same moment with smaller ids')
  const wrong = [
    'after_date=x&after_id=1',
    cursor,
    'after_id=5',
    'page=0',
    'per_page=-1',
    'source=nobody',
    'op_type=x',
    'date_from=1',
    'date_to=2026-02-30',
    'abonent_id=x',
  ]
  for (const query of wrong)
    t.match(await root.get(`${path}?${query}`), { status: 400, body: { ok: false, error: String } }, query)
})

t.test('filters', async (t) => {
  await clear()
  const rows: Record<string, number> = {
    gwa: await written({ op_date: '2026-03-01T12:00:00+03', operator_name: 'gwa', txn: 'T-1', op_type_id: 23 }),
    legacy: await written({ op_date: '2026-03-02T12:00:00+03', descr: '[legacy] Остаток', op_summa: 5 }),
    charge: await written({ op_date: '2026-03-03T12:00:00+03', op_type_id: 32, op_summa: -7, abonent: petr }),
    cash: await written({
      op_date: '2026-03-04T12:00:00+03',
      op_type_id: 40,
      number: 'N-5',
      operator_pay_id_str: 'PAY-9',
    }),
    change: await written({
      op_date: '2026-03-05T12:00:00+03',
      op_type_id: 33,
      op_summa: 0,
      descr: 'Смена тарифа: a → 50%',
      isbuhdoc: false,
    }),
  }
  const all = Object.keys(rows).reverse()
  const found = async (query: string) =>
    idsOf(await list(query)).map((id) => Object.keys(rows).find((name) => rows[name] === id))
  t.same(await found(''), all)
  t.same(await found('q=&op_type=&source=&date_from=&date_to='), all, 'a form with empty fields')
  for (const source of ['gwa', 'legacy', 'tariff_change']) t.equal((await found(`source=${source}`)).length, 1, source)
  t.same(await found('source=monthly'), ['charge'])
  t.same(await found('source=other'), ['cash'])
  t.same(await found('source=manual'), [])
  t.same(await found('op_type=32'), ['charge'])
  t.same(await found('op_type=32,40'), ['cash', 'charge'])
  t.same(await found(`abonent_id=${petr.id}`), ['charge'])
  t.same(await found(`account_id=${ivan.account}&op_type=23`), ['gwa'])
  t.same(await found('q=иванов&op_type=23'), ['gwa'], 'a name, in any case')
  t.same(await found('q=д-78'), ['charge'], 'a contract')
  t.same(await found('q=остаток'), ['legacy'], 'a text')
  t.same(await found(`q=${rows.cash}`), ['cash'], 'a number')
  t.same(await found('q=T-1'), ['gwa'], 'a transaction')
  t.same(await found('q=PAY-9'), ['cash'])
  t.same(await found('q=N-5'), ['cash'])
  t.same(await found('q=50%25'), ['change'], 'a percent sign is itself')
  t.same(await found('q=р_'), ['charge'], 'and so is _')
  t.same(await found('date_from=2026-03-03'), ['change', 'cash', 'charge'])
  t.same(await found('date_to=2026-03-02'), ['legacy', 'gwa'], 'all of the last day')
  t.same(await found('date_from=2026-03-02&date_to=2026-03-02'), ['legacy'])
  t.same(await found('date_to=2026-03-02T09:00:00Z'), ['legacy', 'gwa'])
  t.same(await found('date_to=2026-03-02T08:59:59Z'), ['gwa'])
  const [{ op_date }] = (await list('source=gwa')).items
  t.equal(op_date, '2026-03-01T12:00:00+03:00', 'moments are of TIME_ZONE')
  t.match((await list('')).kpi, { total: 5, income_sum: '7.00', expense_sum: '-7.00', net_sum: '0.00' })
  t.match((await list('date_from=2026-03-02&date_to=2026-03-03')).kpi, {
    total: 2,
    income_sum: '5.00',
    expense_sum: '-7.00',
    net_sum: '-2.00',
  })

  const payLog = (await root.get('/admin/reports/PayLog/?format=json')).body
  t.same(
    idsOf(payLog),
    idsOf(await list('')).filter((id) => id !== rows.change),
    'PayLog leaves out what is no financial document',
  )
  t.equal(payLog.total, 4)
  t.equal((await root.get('/admin/reports/PayLog/')).body.total, 4, 'JSON for who asks for nothing')
  t.equal((await root.get('/admin/reports/PayLog/?format=pdf')).status, 400)
})

t.test('a search finds and adds up what plain SQL does, of few clients and of many', async (t) => {
  await clear()
  // More clients than are looked up one by one.
  await office.rows(`WITH account AS (INSERT INTO admin_accounts (ostatok) SELECT 0 FROM generate_series(1, 1001) RETURNING id)
    INSERT INTO abonents (name, contract_number, account_id) SELECT 'Many ' || id, 'M-' || id, id FROM account`)
  const [many] = await office.rows(`SELECT id, account_id AS account FROM abonents WHERE name LIKE 'Many%' LIMIT 1`)
  const draw = drawing(3)
  const one = <T>(of: readonly T[]): T => of[draw(of.length)]!
  for (let n = 0; n < 60; n++)
    await written({
      op_date: `2026-03-${10 + draw(10)}T00:00:00Z`,
      op_summa: one([-2, 1, 3]),
      abonent: one([ivan, petr, many]),
      descr: one(['', 'Оплата [txn:5]', 'ИВАНОВ платит 100%', 'x_5', 'many happy returns', 'ничего']),
      ...{ number: one([null, '5', 'x_']), txn: one([null, '5', 't-1']), operator_pay_id_str: one([null, '5', 'PAY']) },
    })
  const holds = (column: string) => `strpos(lower(${column}), lower($1)) > 0`
  const equals = ['number', 'txn', 'operator_pay_id_str', 'op_id::text'].map((column) => `${column} = $1`)
  for (const q of ['5', 't-1', 'PAY', 'pay', 'x_', '100%', 'иванов', 'many', 'Д-7', 'M-', 'zz'])
    for (const from of ['', '2026-03-15']) {
      const found = await office.rows(
        `SELECT op_id::int4, op_summa FROM finance_operations LEFT JOIN abonents AS client ON client.id = abonent_id
          WHERE (${[...['name', 'contract_number', 'descr'].map(holds), ...equals].join(' OR ')})
            AND op_date >= coalesce(nullif($2, ''), '2000-01-01')::timestamptz ORDER BY op_date DESC, op_id DESC`,
        [q, from],
      )
      const answer = await list(String(new URLSearchParams({ q, date_from: from, per_page: '100' })))
      const net = found.reduce((sum, { op_summa }) => sum + Number(op_summa), 0) / 1e10
      t.same(
        [idsOf(answer), answer.total, Number(answer.kpi.net_sum)],
        [found.map(({ op_id }) => op_id), found.length, net],
        `${q} from ${from}`,
      )
      const asked = String(new URLSearchParams({ q, date_from: from, per_page: '3', totals: '0' }))
      const [first, ...ids] = await batches(asked)
      t.same(ids, idsOf(answer), `${q} from ${from}, by batches without sums`)
      const told = { total: first.total, kpi: first.kpi?.total, more: first.has_more_than_total }
      const isCommon = found.length > 3
      t.same(told, { total: found.length, kpi: isCommon ? undefined : found.length, more: isCommon || undefined })
    }
  await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'Elsewhere')`)
  const elsewhere = await office.staff('elsewhere', 'operator', [2])
  t.same((await elsewhere.get(`${path}?q=many&totals=0`)).body.items, [], 'of other organizations nothing is found')
  t.match((await elsewhere.get(`${path}?organization_id=1`)).body, { items: [], total: 0, kpi: { net_sum: '0.00' } })
})

/** The first batch and the ids of all of them. */
async function batches(query: string): Promise<[first: Json, ...ids: number[]]> {
  const first = await list(query)
  const ids = idsOf(first)
  for (let next = first.next_cursor; next; ) {
    const batch = await list(`${query}&${new URLSearchParams(next)}`)
    ids.push(...idsOf(batch))
    next = batch.next_cursor
  }
  return [first, ...ids]
}

t.test('a day is a day of TIME_ZONE', async (t) => {
  await clear()
  const before = await written({ op_date: '2026-03-31T20:59:59.999999Z' })
  const after = await written({ op_date: '2026-03-31T21:00:00Z' })
  t.same(idsOf(await list('date_from=2026-04-01&date_to=2026-04-01')), [after])
  t.same(idsOf(await list('date_from=2026-03-31&date_to=2026-03-31')), [before])
})

const file = async (address: string, init: RequestInit = {}) => {
  const response = await fetch(office.base + address, { headers: { ...root.headers }, ...init })
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

t.test('reports as CSV: a byte order mark, semicolons, and nothing a spreadsheet would run', async (t) => {
  await clear()
  await written({
    op_date: '2026-03-01T12:34:56.789+03',
    descr: '=HYPERLINK("http://evil")',
    op_summa: -12.5,
    op_type_id: 9,
  })
  await written({ op_date: '2026-03-02T12:00:00+03', descr: 'Оплата; «наличные»\nвторая строка', storno: true })
  await written({ op_date: '2026-03-03T12:00:00+03', isbuhdoc: false, descr: 'service' })
  const { status, headers, bytes } = await file('/admin/Abonents/download_operations/')
  t.same([status, headers.get('content-type')], [200, 'text/csv; charset=utf-8'])
  t.equal(headers.get('content-disposition'), 'attachment; filename="operations.csv"')
  t.same([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf])
  const text = bytes.toString().slice(1)
  t.match(text, /^Операция;Дата;Записана;Сумма;Тип;Источник;Договор;Абонент;/)
  t.match(text, /2026-03-01 12:34:56;[^;]+;-12\.50;Ручное списание;Ручной ввод;Д-77;Иванов Иван;/)
  t.match(text, `"'=HYPERLINK(""http://evil"")"`)
  t.match(text, '"Оплата; «наличные»\nвторая строка"')
  t.match(text, /service/)
  const payLog = (await file('/admin/reports/PayLog/?format=csv&date_from=2026-03-02')).bytes.toString()
  t.equal(payLog.split('\r\n').length, 3, 'titles, one row, an end')
  t.notMatch(payLog, /service/)
  const comma = (await file('/admin/reports/PayLog/?format=csv&language=ru&date_from=2026-03-01')).bytes.toString()
  t.match(comma, /;-12,50;Ручное списание;/, 'as a spreadsheet in Russian reads amounts')
  const none = (await file('/admin/Abonents/download_operations/?date_from=2030-01-01')).bytes.toString()
  t.match(none, /^\ufeffОперация;[^\n]*\r\n$/, 'a report of nothing has its titles')
  t.equal((await file('/admin/Abonents/download_operations/?format=json')).status, 400)
  t.equal((await file('/admin/Abonents/download_operations/?source=x')).status, 400)
})

t.test('reports as XLSX', async (t) => {
  const { headers, bytes } = await file('/admin/reports/PayLog/?format=xlsx')
  t.equal(headers.get('content-disposition'), 'attachment; filename="paylog.xlsx"')
  t.equal(headers.get('content-type'), 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
  t.equal(bytes.toString('latin1', 0, 2), 'PK')
  t.ok(bytes.includes('xl/worksheets/sheet1.xml'))
})

t.test('two reports at a time; one that is left frees its connection', async (t) => {
  // Few, and long: what counts is how many bytes a report has.
  const long = 4_000
  await office.rows(
    `INSERT INTO finance_operations (op_date, op_summa, op_type_id, account_id, organization_id, descr)
      SELECT now() - n * interval '1 second', 1, 7, $1, 1, repeat(md5(n::text), 200) FROM generate_series(1, $2::int4) AS n`,
    [ivan.account, long],
  )
  const address = '/admin/Abonents/download_operations/'
  t.equal((await file(address, { method: 'HEAD' })).status, 200)
  // 26 MB each, of which nobody reads more than what the sockets hold.
  const leaving = new AbortController()
  const open = (format: string) =>
    fetch(`${office.base}${address}?format=${format}`, { headers: { ...root.headers }, signal: leaving.signal })
  const held = [await open('csv'), await open('csv')]
  t.same(
    held.map(({ status }) => status),
    [200, 200],
  )
  const refused = await file(`${address}?format=xlsx`)
  t.same([refused.status, refused.headers.get('retry-after')], [503, '1'])
  t.same(JSON.parse(refused.bytes.toString()).ok, false)
  leaving.abort()
  await Promise.allSettled(held.map((response) => response.arrayBuffer()))
  let whole = await file(address)
  while (whole.status === 503) whole = await file(address)
  t.same([whole.status, whole.bytes.toString().split('\r\n').length], [200, long + 3 + 2])
})
