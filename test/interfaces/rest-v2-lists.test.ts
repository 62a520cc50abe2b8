import t from 'tap'
import { SharedDatabase } from '../support/database.ts'
import { type Doors, openDoors, units } from './door.ts'

const shared = await SharedDatabase.open(t)

/**
 * Twelve subscribers of two tariffs, each with an account of its own; written as the ledger writes, so that the program
 * does not block those in debt.
 */
async function provider({ database: { ledger } }: Doors): Promise<void> {
  await ledger.query(
    `INSERT INTO tarifs (id, name, price) VALUES (1, 'Home 100', ${units(500)}), (2, 'Office_50%', ${units(900)})`,
  )
  await ledger.query(`INSERT INTO admin_accounts (id, ostatok, debit, credit)
    SELECT n, (n - 6) * ${units(1)}, greatest(n - 6, 0) * ${units(1)}, greatest(6 - n, 0) * ${units(1)} FROM generate_series(1, 12) AS n`)
  await ledger.query(`INSERT INTO abonents (id, name, contract_number, tarif_id, account_id, organization_id, email, create_date, birth_date)
    SELECT n, 'Abonent ' || chr(96 + n), lpad(n::text, 4, '0'), CASE WHEN n < 12 THEN 1 + n % 2 END, n, 1,
      CASE WHEN n % 3 = 0 THEN 'Mail' || n || '@x.ru' END, timestamptz '2026-01-30 22:30:00+00' + n * interval '1 day',
      date '1990-01-01' + n FROM generate_series(1, 12) AS n`)
  await ledger.query(`SELECT setval('abonents_id_seq', 12)`)
}

const ids = (answer: { body: { results: { id: number }[] } }) => answer.body.results.map(({ id }) => id)

t.test('lists', async (t) => {
  const doors = await openDoors(t, shared)
  await provider(doors)
  const list = (query: string, model = 'Abonents') => doors.get(`/rest_api/v2/${model}/?${query}`)

  t.test('pages are linked as DRF links them', async (t) => {
    const first = (await list('limit=5&name__contains=Abonent+&x=%D0%B0')).body
    t.match(first, {
      count: 12,
      next: 'https://billing.example/rest_api/v2/Abonents/?limit=5&name__contains=Abonent+&offset=5&x=%D0%B0',
      previous: null,
    })
    t.equal(first.results.length, 5)
    const second = (await list('limit=5&offset=5')).body
    t.equal(second.next, 'https://billing.example/rest_api/v2/Abonents/?limit=5&offset=10')
    t.equal(second.previous, 'https://billing.example/rest_api/v2/Abonents/?limit=5')
    const last = (await list('limit=5&offset=10')).body
    t.match(last, { count: 12, next: null, previous: 'https://billing.example/rest_api/v2/Abonents/?limit=5&offset=5' })
    t.match((await list('limit=5&offset=50')).body, { count: 12, next: null, results: [] })
    t.equal(
      (await list('limit=0&offset=-1')).body.results.length,
      12,
      'what is not a limit or an offset counts as not sent',
    )
    t.match((await list('limit=2000&offset=1')).body.previous, /\?limit=1000$/, 'a limit is cut to 1000')
  })

  t.test('every lookup finds what it says', async (t) => {
    const found: Record<string, number[]> = {
      'id=3': [3],
      'pk=3': [3],
      'name=Abonent+c': [3],
      'name__iexact=aBONENT+C': [3],
      'name__contains=ent+c': [3],
      'name__icontains=NT+C': [3],
      'name__startswith=abonent': [],
      'name__istartswith=abonent+c': [3],
      'name__endswith=+c': [3],
      'id__gt=10': [11, 12],
      'id__gte=11.5': [12],
      'id__lt=2': [1],
      'id__lte=1e0': [1],
      'id__in=2,4,,99': [2, 4],
      'id__in=,': [],
      'id__range=2,4': [2, 3, 4],
      'email__isnull=false': [3, 6, 9, 12],
      'email__isnull=True&id__lt=4': [1, 2],
      'email__icontains=mail1': [12],
      'id__iexact=3': [3],
      'id__iexact=03': [],
      'id__iexact=-0': [],
      'id__iexact=3.0': [],
      'id__iexact=9223372036854775808': [],
      'id__iexact=x': [],
      'tarif__iexact=1&id__lt=4': [2],
      'account__ostatok__iexact=-40000000000': [2],
      'account__ostatok__iexact=0': [6],
      'email=Mail3@x.ru': [3],
      'email=mail3@x.ru': [],
      'email__iexact=MAIL3@X.ru': [3],
      'email__istartswith=mAIL1': [12],
      'email__in=Mail3@x.ru,mail6@x.ru,,Mail9@x.ru': [3, 9],
      'create_date__date=2026-02-01': [1],
      'create_date__date=2026-01-31T21:00:00Z': [1],
      'create_date=2026-01-31T22:30:00Z': [1],
      'create_date__gte=2026-02-12': [12],
      'create_date__year=2026&id__lt=3': [1, 2],
      'create_date__year=2025': [],
      'create_date__month=1': [],
      'create_date__month=2&id=1': [1],
      'birth_date=1990-01-03': [2],
      'birth_date__month=1&birth_date__year=1990&id__gte=12': [12],
      'birth_date__range=1990-01-02,1990-01-03': [1, 2],
      'tarif=2&id__lt=4': [1, 3],
      'tarif_id__in=2&id__lt=4': [1, 3],
      'tarif__isnull=1': [12],
      'tarif=77': [],
      'tarif__name__icontains=office_50%25&id__lt=3': [1],
      'tarif__name__icontains=office_5_%25': [],
      'account__ostatok__lt=-40000000000': [1],
      'account__limit=0&id=5': [5],
      'organization__name__icontains=default&id=5': [5],
      'block__b_negbal=false&id=5': [5],
      'block__b_negbal=true': [],
      'company=False&id=1': [1],
      'enabled=1&id=1': [1],
      'id=99999999999999999999999': [],
      'id__lt=99999999999999999999999&id__gt=11': [12],
      'contract_number=0005': [5],
      'id=1&id=2': [2],
      'name=&id=4': [4],
      'no_such_field=1&name__regex=.*&id__lt=2&deleted_date__isnull=0': [1],
    }
    for (const [query, expected] of Object.entries(found)) t.same(ids(await list(query)), expected, query)
    t.same(ids(await list('limit__exact=0&ostatok__gt=50000000000', 'AdminAccounts')), [12])
  })

  t.test('addresses are compared as addresses and searched as text', async (t) => {
    await doors.rows(`INSERT INTO users (id, abonent_id, login, password, ip, mac) VALUES
      (1, 1, 'a', '', '10.0.0.9', 'aabbccddeeff'), (2, 1, 'b', '', '10.0.0.10', NULL)`)
    await doors.rows(`INSERT INTO ip_pulls (id, name, network) VALUES (1, 'p', '10.0.0.0/24')`)
    for (const [query, expected] of Object.entries({
      'ip=10.0.0.9': [1],
      'ip__gt=10.0.0.9': [2],
      'ip__startswith=10.0.0.1': [2],
      'mac=AA-BB-CC-DD-EE-FF': [1],
      'mac__icontains=BB:CC': [1],
      'abonent__tarif__name__startswith=Office&ordering=-id': [2, 1],
    }))
      t.same(ids(await list(query, 'Users')), expected, query)
    t.same(ids(await list('network=10.0.0.0/24', 'IpPull')), [1])
    t.same(ids(await list('netmask=255.255.255.0', 'IpPull')), [1])
  })

  t.test('secrets can neither be read, nor asked for, nor sorted by', async (t) => {
    await doors.rows(`INSERT INTO nas (name, ip, secret) VALUES ('a', '10.0.0.1', 'zz'), ('b', '10.0.0.2', 'aa')`)
    t.same(ids(await list('secret=aa&secret__startswith=z&ordering=secret', 'Nas')), [1, 2])
    t.same(ids(await list('abonent__organization__id=1&password__gt=a', 'Users')), [1, 2])
    t.same((await list('fields=secret', 'Nas')).body.results, [{}, {}])
    t.same((await list('owner__password_hash__startswith=x', 'FinanceOperations')).status, 200)
  })

  t.test('order: as asked for, the key last, nulls as PostgreSQL has them', async (t) => {
    t.same(ids(await list('ordering=-id&limit=3')), [12, 11, 10])
    t.same(ids(await list('ordering=-account__ostatok&limit=2')), [12, 11])
    t.same(ids(await list('ordering=tarif,-id&limit=3')), [10, 8, 6])
    t.same(ids(await list('ordering=-tarif&limit=2')), [12, 1], 'nulls first descending')
    t.same(ids(await list('ordering=nothing,-tarif__name,name__icontains&limit=2')), [12, 1])
    t.same(Object.keys((await list('fields=name,tarif_id,nothing')).body.results[0]), ['name', 'tarif_id'])
  })

  t.test('a bad value is 400 under the parameter as sent', async (t) => {
    const wrong: Record<string, string> = {
      'price__gt=x': 'Enter a number.',
      'price=1e51': 'Ensure this value is less than or equal to 1e+50.',
      'enabled=perhaps': 'Must be a valid boolean.',
      'price__range=1': 'Range query expects two values.',
      'price__in=1,b': 'Enter a number.',
      'name__isnull=2': 'Must be a valid boolean.',
      'name=a%00b': 'Null characters are not allowed.',
      [`name__icontains=${'x'.repeat(1001)}`]: 'Ensure this value has at most 1000 characters (it has 1001).',
    }
    for (const [query, text] of Object.entries(wrong)) {
      t.match(await list(query, 'Tarif'), { status: 400, body: { [query.split('=')[0]!]: [text] } }, query.slice(0, 40))
    }
    t.same(
      (await list('tarif=x&create_date=2026-02-30&create_date__date=z&birth_date=1&account__ostatok__lt=a')).body,
      {
        tarif: ['Select a valid choice. That choice is not one of the available choices.'],
        create_date: ['Enter a valid date/time.'],
        create_date__date: ['Enter a valid date.'],
        birth_date: ['Enter a valid date.'],
        account__ostatok__lt: ['Enter a number.'],
      },
    )
    t.same((await list('kind=planet', 'Homes')).body, {
      kind: ['Select a valid choice. planet is not one of the available choices.'],
    })
  })
})

t.test('a query that takes too long is 503, and leaves the connection usable', async (t) => {
  const doors = await openDoors(t, shared)
  await doors.rows(`ALTER TABLE homes RENAME TO stored_homes`)
  await doors.rows(`CREATE VIEW homes AS SELECT * FROM stored_homes WHERE pg_sleep(10)::text = ''`)
  await doors.rows(`INSERT INTO stored_homes (kind, name) VALUES ('city', 'x')`)
  await t.rejects(doors.get('/rest_api/v2/Homes/?name__icontains=x'), { name: 'Unavailable', reason: 'deadline' })
  t.match(await doors.get('/rest_api/v2/Tarif/'), { status: 200 })
})

t.test('a list with a wrong parameter is refused without asking the database', async (t) => {
  const doors = await openDoors(t, shared)
  let taken = 0
  doors.database.pool.on('acquire', () => taken++)
  t.match(await doors.get('/rest_api/v2/Abonents/?id=x'), { status: 400 })
  t.equal(taken, 0)
  t.match(await doors.get('/rest_api/v2/Abonents/?id=1'), { status: 200 })
  t.ok(taken > 0)
})
