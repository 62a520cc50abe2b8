import t from 'tap'
import { SharedDatabase } from '../../support/database.ts'
import { fetch } from '../../support/published.ts'
import { base, type Json, openAccountsOffice } from './fixture.ts'

const shared = await SharedDatabase.open(t)

t.test('a list of accounts: chips, counters, search, order and pages', async (t) => {
  const { root, client, move, made, office } = await openAccountsOffice(t, { shared })
  const debtor = await client('Должников Пётр', { sms: '+79001112233' })
  const rich = await client('Богатов Иван')
  const even = await client('Ровный 100%_\\')
  await move(debtor.account, -150)
  await move(rich.account, 1000)
  await made('/rest_api/v2/Users/', { abonent: rich.id, login: 'golden-line', password: 'x' })
  const nobodys = await made(`${base}/accounts_crud/`, {})
  const filmed = await made(`${base}/accounts_crud/`, { comment: 'камеры' })
  await made('/admin/dictionary/video_objects_crud/', { name: 'Ворота', account: filmed.account.id })
  const [a, b, c] = [debtor.account, rich.account, even.account]
  const [d, e] = [nobodys.account.id, filmed.account.id]
  const list = async (query: string): Promise<Json> => (await root.get(`${base}/accounts_json/?${query}`)).body
  const ids = async (query: string) => (await list(query)).items.map((item: Json) => item.id)

  const all = await list('')
  t.strictSame(all.kpi, { total: 5, debtors: 1, without_client: 1, debt_sum: '-150.00', plus_sum: '1000.00' })
  t.match(all, { ok: true, total: 5, has_more: false, show_org: false })
  t.match(all.items[0], {
    id: a,
    balance: '-150.00',
    ostatok: '-150.00',
    debit: '0.00',
    credit: '150.00',
    limit: '0.00',
    currency: 1,
    currency_id: 1,
    currency_code: 'RUB',
    client: { id: debtor.id, name: 'Должников Пётр', enabled: false },
    clients_count: 1,
    organization: 1,
    organization_id: 1,
  })
  t.match(all.items[3], { id: d, client: null, clients_count: 0, organization: null })
  t.equal(all.items[4].video_objects_count, 1)

  t.same(await ids('chip=debtors'), [a])
  t.same(await ids('chip=plus'), [b])
  t.same(await ids('chip=without_client'), [d], 'an account of a video object is no orphan')
  t.strictSame(
    (await list('chip=debtors')).kpi,
    { total: 1, debtors: 1, without_client: 0, debt_sum: '-150.00', plus_sum: '0.00' },
    'counters are over the whole filter',
  )

  t.same(await ids(`q=${b}`), [b], 'by number')
  t.same(await ids('q=ИВАН'), [b], 'by a part of the name in any case')
  t.same(await ids('q=golden'), [b], 'by login')
  t.same(await ids('q=900111'), [a], 'by phone')
  t.same(await ids(`q=${encodeURIComponent(even.contract_number)}`), [c], 'by contract')
  t.same(await ids('q=ворот'), [e], 'by a video object')
  t.same(await ids(`q=${encodeURIComponent('0%_')}`), [c], 'what is typed is no pattern')
  t.same(await ids(`q=${encodeURIComponent('_\\')}`), [], 'two characters begin a name')
  t.same(await ids('q=Бо'), [b])
  t.strictSame((await list('q=nothing')).kpi, {
    total: 0,
    debtors: 0,
    without_client: 0,
    debt_sum: '0.00',
    plus_sum: '0.00',
  })

  t.same(await ids('sort=balance'), [a, c, d, e, b])
  t.same(await ids('sort=-balance'), [b, e, d, c, a])
  t.same(await ids('sort=name'), [b, a, c, d, e], 'accounts of nobody come last')
  t.same(await ids('sort=-name'), [c, a, b, d, e])
  t.same(await ids('sort=-id&chip=without_client'), [d])
  t.same(await ids('sort=name&chip=without_client'), [d])
  t.same(await ids('sort=name&q=ов'), [], 'a short word is looked for where names begin')

  for (const sort of ['id', 'name', '-balance']) {
    const whole = await ids(`sort=${sort}`)
    const first = await list(`sort=${sort}&per_page=2`)
    t.match(first, { has_more: true, total: 5 })
    const second = await list(`sort=${sort}&per_page=2&page=2`)
    const third = await list(`sort=${sort}&per_page=2&page=3`)
    t.equal(third.has_more, false)
    t.same(
      [...first.items, ...second.items, ...third.items].map(({ id }: Json) => id),
      whole,
      sort,
    )
  }
  t.same(await ids('page=9'), [])

  for (const query of ['chip=rich', 'sort=colour', 'page=0', 'per_page=x'])
    t.match(await root.get(`${base}/accounts_json/?${query}`), { status: 400, body: { ok: false } }, query)
  t.same((await office.rows('SELECT count(*)::int AS n FROM abonents'))[0], { n: 3 })
})

t.test('the main client is the first by id, deleted or not', async (t) => {
  const { root, client, office } = await openAccountsOffice(t, { shared })
  const first = await client('Ярослав')
  const second = await client('Алексей', { account: first.account })
  const other = await client('Михаил')
  await root.delete(`/rest_api/v2/Abonents/${first.id}/`)
  const { items } = (await root.get(`${base}/accounts_json/?sort=name`)).body
  t.match(items, [
    { id: other.account },
    { id: first.account, clients_count: 2, client: { id: first.id, deleted: true } },
  ])
  const card = (await root.get(`${base}/accounts_get/${first.account}/`)).body
  t.match(card.clients, [
    { id: first.id, is_main: true, deleted: true },
    { id: second.id, is_main: false, deleted: false },
  ])
  t.same(await office.rows('SELECT count(*)::int AS n FROM admin_accounts'), [{ n: 2 }])
})

t.test('each sees the accounts of the allowed organizations', async (t) => {
  const { office, root, client, made, move } = await openAccountsOffice(t, { shared })
  await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North'), (3, 'South')`)
  const folder = async (organization: number) =>
    (await made('/admin/dictionary/folders_crud/', { name: `of ${organization}`, organization })).id
  const [northern, southern] = [await folder(2), await folder(3)]
  const here = await client('Здешний')
  const north = await client('Северный', { parent: northern })
  const south = await client('Южный', { parent: southern })
  const guest = await client('Южный гость', { parent: southern, account: north.account })
  for (const one of [here, north, south]) await move(one.account, -10)
  await made(`${base}/accounts_crud/`, {})
  const northerner = await office.staff('north', 'operator', [2])
  const both = await office.staff('both', 'operator', [1, 3])

  t.match((await root.get(`${base}/accounts_json/`)).body, { kpi: { total: 4, without_client: 1 }, show_org: true })
  const list = async (caller: typeof root, query = ''): Promise<Json> =>
    (await caller.get(`${base}/accounts_json/?${query}`)).body
  t.match(await list(northerner), {
    items: [{ id: north.account, organization_name: 'North' }],
    kpi: { total: 1, debtors: 1, without_client: 0, debt_sum: '-10.00' },
    show_org: false,
  })
  t.match(await list(both), { kpi: { total: 3, debtors: 2, without_client: 1 }, show_org: true })
  t.same(
    (await list(both, 'sort=name')).items.map(({ id }: Json) => id),
    [here.account, south.account, (await list(both, 'chip=without_client')).items[0].id],
  )
  t.same((await list(northerner, 'chip=without_client')).items, [])
  for (const [page, expected] of [
    [1, [north.account]],
    [2, []],
  ] as const)
    t.same(
      (await list(northerner, `sort=name&per_page=1&page=${page}`)).items.map(({ id }: Json) => id),
      expected,
    )
  t.same(
    (await list(northerner, `q=${encodeURIComponent('Южный')}`)).items,
    [],
    'a guest of another organization is no way in',
  )
  t.same((await list(northerner, `q=${south.account}`)).items, [])

  const card = (await northerner.get(`${base}/accounts_get/${north.account}/`)).body
  t.same(
    card.clients.map(({ id }: Json) => id),
    [north.id],
    'the guest is not shown',
  )
  t.match(card, { account: { clients_count: 2 }, organization: { id: 2, name: 'North' } })
  t.equal(guest.account, north.account)
  t.match(await northerner.post(`${base}/accounts_crud/`, {}), { status: 403, body: { code: 'not_yours' } })
})

t.test('CSV of a filter: BOM, semicolons, no formulas, in the order of the list', async (t) => {
  const { office, root, client, move } = await openAccountsOffice(t, { shared })
  const evil = await client('=HYPERLINK("http://x";"y")', { contract_number: '-5' })
  const plain = await client('Иванов; "Ваня"')
  await move(evil.account, -12)
  await office.rows(`UPDATE admin_accounts SET comment = '@SUM(A1)' WHERE id = $1`, [plain.account])
  const response = await fetch(`${office.base}${base}/accounts_csv/?sort=-id`, { headers: root.headers })
  const bytes = Buffer.from(await response.arrayBuffer())
  t.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8')
  t.match(response.headers.get('content-disposition'), /attachment; filename="accounts\.csv"/)
  t.same([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf])
  const lines = bytes.toString('utf8').slice(1).split('\r\n')
  t.equal(lines.length, 4)
  t.match(lines[0], /^Счёт;Клиент;Договор;Клиентов;Баланс;/)
  t.match(lines[1], `${plain.account};"Иванов; ""Ваня""";${plain.contract_number};1;0.00;0.00;0.00;`)
  t.match(lines[1], /;'@SUM\(A1\)$/)
  t.match(lines[2], `${evil.account};"'=HYPERLINK(""http://x"";""y"")";-5;1;-12.00;0.00;12.00;`)

  const comma = `1;-12,00;0,00;12,00;`
  const inRussian = { ...root.headers, 'Accept-Language': 'ru-RU,ru;q=0.9,en;q=0.8' }
  const ofBrowser = await fetch(`${office.base}${base}/accounts_csv/`, { headers: inRussian })
  t.match(await ofBrowser.text(), comma, 'as a spreadsheet in Russian reads amounts')
  const named = await fetch(`${office.base}${base}/accounts_csv/?language=ru`, { headers: root.headers })
  t.match(await named.text(), comma)
  const english = await fetch(`${office.base}${base}/accounts_csv/?language=en`, { headers: inRussian })
  t.match(await english.text(), '1;-12.00;')
  t.equal((await root.get(`${base}/accounts_csv/?language=xx`)).status, 400)

  const none = await fetch(`${office.base}${base}/accounts_csv/?q=nobody`, { headers: root.headers })
  t.match(await none.text(), /^Счёт;.*\r\n$/)
  t.equal((await root.get(`${base}/accounts_csv/?chip=x`)).status, 400)
})

t.test('a long CSV comes in batches and leaves the database free', async (t) => {
  const { office, root } = await openAccountsOffice(t, { shared })
  await office.rows(`INSERT INTO admin_accounts (comment) SELECT 'n' || n FROM generate_series(1, 2345) AS n`)
  for (let round = 0; round < 3; round++) {
    const response = await fetch(`${office.base}${base}/accounts_csv/`, { headers: root.headers })
    t.equal((await response.text()).split('\r\n').length, 2345 + 2)
  }
  const given = new AbortController()
  const cut = await fetch(`${office.base}${base}/accounts_csv/`, { headers: root.headers, signal: given.signal })
  given.abort()
  await t.rejects(cut.text())
  t.equal((await root.get(`${base}/accounts_json/`)).body.total, 2345)
})
