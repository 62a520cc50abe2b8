import t from 'tap'
import { type Json, openOffice } from './admin-office.ts'

const office = await openOffice(t)
const root = await office.staff('root')
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
const north = await office.staff('north', 'viewer', [2])
const path = '/admin/Abonents/subscribers/'

const made = async (fields: object): Promise<Json> => (await root.post('/rest_api/v2/Abonents/', fields)).body
const ivanov = await made({
  name: 'Иванов Иван',
  contract_number: '100001',
  sms: '8 900 123-45-67',
})
const petrov = await made({ name: 'Петров Пётр', contract_number: '100002' })
const sidorov = await made({ name: 'Сидоров Семён', contract_number: '100003' })
await office.rows(`UPDATE abonents SET address = 'Тверь, Мира 5' WHERE id = $1`, [ivanov.id])
await root.post('/rest_api/v2/Users/', { abonent: petrov.id, login: 'petrov-line', password: 'x', ip: '10.0.0.7' })
await root.post(`/admin/Abonents/accounts_payment/${ivanov.account}/`, { amount: '150' })
await root.post(`/admin/Abonents/accounts_payment/${petrov.account}/`, {
  amount: '10',
  kind: 'adjustment',
  op_type_id: 9,
})
await root.post(`/admin/abonents/block/${sidorov.id}/`)

const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

const names = async (query: string, caller = root) =>
  (await caller.get(`${path}?${query}`)).body.items.map(({ name }: Json) => name.split(' ')[0])

t.test('a page has what an operator looks for, and says how many there are', async (t) => {
  const { status, body } = await root.get(path)
  t.equal(status, 200)
  t.same([body.total, body.has_more_than_total, body.next_cursor], [3, false, null])
  t.match(body.items, [
    { name: 'Иванов Иван', balance: '150.00', blocks: [], enabled: true, online: false, phone: '8 900 123-45-67' },
    { name: 'Петров Пётр', balance: '-10.00', blocks: ['debt'] },
    { name: 'Сидоров Семён', blocks: ['operator'], last_payment_at: null },
  ])
  t.match(body.items[0].last_payment_at, /^\d{4}-/)
})

t.test('quick filters and words find their subscribers', async (t) => {
  await office.rows(
    `INSERT INTO homes (id, parent_id, kind, name) VALUES (1, NULL, 'city', 'Тверь'), (2, 1, 'street', 'Мира'), (3, 2, 'house', '5'), (4, 2, 'house', '7')`,
  )
  await office.rows('UPDATE abonents SET home_id = 3 WHERE id = $1', [ivanov.id])
  for (const [home, found] of [
    [1, ['Иванов']],
    [3, ['Иванов']],
    [4, []],
  ])
    t.same(await names(`home=${home}`), found, 'a house, or all houses of a city')
  t.same(await names('show=debtors'), ['Петров'])
  t.same(await names('show=blocked'), ['Петров', 'Сидоров'])
  t.same(await names('show=online'), [])
  t.same(await names('show=promised'), [])
  t.same(await names('show=deleted'), [])
  const wanted: readonly (readonly [q: string, found: readonly string[]])[] = [
    ['иванов и', ['Иванов']],
    ['иванов ив', ['Иванов']],
    ['се си', ['Сидоров']],
    ['се', []],
    ['иванов ва', []],
    ['иван иванов', ['Иванов']],
    ['мира тверь', ['Иванов']],
    ['100003', ['Сидоров']],
    ['petrov-line', ['Петров']],
    ['+7 (900) 123-45-67', ['Иванов']],
    ['89001234567', ['Иванов']],
    ['си', ['Сидоров']],
    ['иванов петров', []],
    ['100%', []],
  ]
  for (const [q, found] of wanted) t.same(await names(new URLSearchParams({ q }).toString()), found, q)
})

t.test('a search by the best match begins with the surname that was typed first, as the search box does', async (t) => {
  const zaitsev = await made({ name: 'Зайцев Пётр Сидорович', contract_number: '100004' })
  const asked = new URLSearchParams({ q: 'сидор', sort: 'match' })
  t.same(await names(asked.toString()), ['Сидоров', 'Зайцев'])
  t.same(await names(`${asked}&limit=1`), ['Сидоров'])
  t.equal((await root.get(`${path}?${asked}&limit=1`)).body.next_cursor, null, 'one page')
  t.same(await names('sort=match'), ['Зайцев', 'Иванов', 'Петров', 'Сидоров'], 'without words by name')
  const { body } = await root.get(`/admin/search/?${new URLSearchParams({ q: 'сидоров' })}`)
  t.equal(body.groups[0].items[0].title, 'Сидоров Семён')
  await office.rows('DELETE FROM abonents WHERE id = $1', [zaitsev.id])
})

t.test('pages follow one another without a gap, in each order', async (t) => {
  for (const sort of ['name', '-name', 'contract_number', '-contract_number', 'id', '-id']) {
    const found: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { body }: Json = await root.get(`${path}?sort=${sort}&limit=1&cursor=${cursor}`)
      t.equal('total' in body, found.length === 0, 'the number is counted once')
      found.push(...body.items.map(({ contract_number }: Json) => contract_number))
      cursor = body.next_cursor
    }
    const inOrder = ['100001', '100002', '100003']
    t.same(found, sort.startsWith('-') ? inOrder.reverse() : inOrder, sort)
  }
})

t.test('what cannot be read is refused', async (t) => {
  const wrong = ['show=some', 'sort=balance', 'limit=0', 'tarif=x', 'cursor=abc', `cursor=${forged([1, 2])}`]
  for (const query of [...wrong, `cursor=${forged(['a\0', 1])}`, `cursor=${forged(['a', 1.5])}`])
    t.equal((await root.get(`${path}?${query}`)).status, 400, query)
})

t.test('staff of one organization see their own', async (t) => {
  t.same(await names('', north), [])
  t.equal((await north.get(`${path}${ivanov.id}/`)).status, 404)
  await office.rows('UPDATE abonents SET organization_id = 2 WHERE id = $1', [sidorov.id])
  t.same(await names('', north), ['Сидоров'])
  t.equal((await north.get(`${path}${sidorov.id}/`)).body.subscriber.organization_name, 'North')
})

t.test('the card has account, logins and blocks', async (t) => {
  const { body } = await root.get(`${path}${petrov.id}/`)
  t.match(body, {
    ok: true,
    sessions: [],
    subscriber: {
      name: 'Петров Пётр',
      account_id: petrov.account,
      balance: '-10.00',
      blocks: ['debt'],
      online: false,
      logins: [{ login: 'petrov-line', ip: '10.0.0.7', mac: null }],
    },
  })
  t.notMatch(JSON.stringify(body), /password/)
  for (const id of [987_654, 'x', '0']) t.equal((await root.get(`${path}${id}/`)).status, 404)
})

t.test('a deleted subscriber is in the list of those alone', async (t) => {
  await root.delete(`/rest_api/v2/Abonents/${petrov.id}/`)
  t.same(await names('show=deleted'), ['Петров'])
  t.same(await names(''), ['Иванов', 'Сидоров'])
})
