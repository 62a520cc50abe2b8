import t from 'tap'
import { SharedDatabase } from '../support/database.ts'
import { newSubscriber, openDoors, units } from './door.ts'

const shared = await SharedDatabase.open(t)

t.test('the records of a new provider are created, read back and changed', async (t) => {
  const doors = await openDoors(t, shared)
  const nas = await doors.post('/rest_api/v2/Nas/', {
    name: 'bras',
    ip: '10.9.9.1',
    secret: 's3cret',
    nas_type: 'mikrotik',
  })
  t.match(nas, { status: 201, body: { id: 1, name: 'bras', ip: '10.9.9.1', coa_port: 3799, enabled: true } })
  t.notMatch(nas.text, /secret/, 'a secret is never returned')
  const [stored] = await doors.rows('SELECT secret FROM nas')
  t.not(stored.secret, 's3cret')
  t.equal(doors.parts.secrets.open(stored.secret), 's3cret', 'and stored sealed')
  t.match(doors.parts.access.nas, [{ name: 'bras', secret: 's3cret' }], 'RADIUS is told before the answer')

  const address = `/rest_api/v2/Nas/${nas.body.id}/`
  t.match(await doors.put(address, { realms: 'isp.ru, @' }), { status: 400, body: { realms: [/realms such as/] } })
  t.match(await doors.put(address, { realms: 'isp.ru, !bad.ru' }), { body: { realms: 'isp.ru, !bad.ru' } })
  t.match(doors.parts.access.nas, [{ realms: 'isp.ru, !bad.ru' }])
  t.match(await doors.put(address, { realms: '' }), { body: { realms: null } })

  const { tarif, abonent, login } = await newSubscriber(doors)
  t.match(tarif, { price: 5_000_000_000_000, speed_mbit: 100, upload_mbit: null, radius_reply: [] })
  t.match(abonent, {
    enabled: true,
    deleted: false,
    tarif: tarif.id,
    tarif_id: tarif.id,
    organization: 1,
    block: { b_negbal: false, b_admin: false, b_own: false, b_sys: false },
    attributes: {},
  })
  t.type(abonent.account, 'number', 'an account was made for it')
  t.match(abonent.create_date, /\+03:00$/, 'dates carry the offset of TIME_ZONE')
  t.match(login, { ip: '10.0.0.7', enabled: true, simultaneous_use: 1 })
  t.notOk('password' in login)

  const changed = await doors.put(`/rest_api/v2/Tarif/${tarif.id}/`, {
    name: 'Home 200',
    unknown: 1,
    speed_mbit: '200.5',
  })
  t.match(changed, { status: 200, body: { name: 'Home 200', speed_mbit: 200.5, price: units(500) } })
  t.match(await doors.get(`/rest_api/v2/Tarif/${tarif.id}?fields=id,name`), {
    body: { id: tarif.id, name: 'Home 200' },
  })
  t.same(Object.keys((await doors.get(`/rest_api/v2/Tarif/${tarif.id}/?fields=id,name`)).body), ['id', 'name'])
  t.match(await doors.rows(`SELECT action, diff FROM audit_operations WHERE table_name = 'TARIF' ORDER BY id`), [
    { action: 'create', diff: { price: [null, '500.00'] } },
    { action: 'change', diff: { name: ['Home 100', 'Home 200'], speed_mbit: [100, 200.5] } },
  ])
  t.match(
    await doors.rows(`SELECT diff FROM audit_operations WHERE table_name = 'NAS' ORDER BY id`),
    [{ diff: { secret: [null, '***'] } }],
    'of a secret the audit knows only that it was set',
  )
})

t.test('the errors of a body are listed by field, worded as in DRF', async (t) => {
  const doors = await openDoors(t, shared)
  t.same((await doors.post('/rest_api/v2/Tarif/', {})).body, {
    name: ['This field is required.'],
    price: ['This field is required.'],
  })
  const wrong = await doors.post('/rest_api/v2/Users/', {
    abonent_id: 9,
    login: ' ',
    password: 'x'.repeat(129),
    ip: 'nowhere',
    mac: 'zz',
    enabled: 'perhaps',
    simultaneous_use: 0,
    switch_port: 1.5,
    pool: 'a',
    ipv6_prefix: '2001:db8::/129',
    delegated_ipv6_prefix: '10.0.0.0/8',
    radius_reply: [{ name: 'No-Such-Attribute', value: '1' }],
  })
  t.equal(wrong.status, 400)
  t.match(wrong.body, {
    login: ['This field may not be blank.'],
    password: ['Ensure this field has no more than 128 characters.'],
    ip: ['Enter a valid IPv4 or IPv6 address.'],
    mac: ['Enter a valid MAC address.'],
    enabled: ['Must be a valid boolean.'],
    simultaneous_use: ['Ensure this value is greater than or equal to 1.'],
    switch_port: ['A valid integer is required.'],
    pool: ['Incorrect type. Expected pk value, received str.'],
    ipv6_prefix: [/valid network/],
    delegated_ipv6_prefix: ['It must be an IPv6 network such as 2001:db8:1::/64.'],
    radius_reply: [/No-Such-Attribute/],
  })
  const half = await doors.post('/rest_api/v2/Users/', { abonent_id: 9, login: 'a', password: '{NT}0123' })
  t.match(half, { status: 400, body: { password: [/a hash such as \{NT\}…, .*\{CLEAR\}/] } })
  for (const [login, fault] of [
    ['x'.repeat(254), /no more than 253 characters/],
    [`${'я'.repeat(126)}ab`, /at most 253 bytes/],
  ] as const) {
    const long = await doors.post('/rest_api/v2/Users/', { abonent_id: 9, login, password: 'b' })
    t.match(long, { status: 400, body: { login: [fault] } }, 'no User-Name is so long')
  }
  t.same((await doors.post('/rest_api/v2/Users/', { abonent_id: 9, login: 'a', password: 'b' })).body, {
    abonent_id: ['Invalid pk "9" - object does not exist.'],
  })
  t.same((await doors.post('/rest_api/v2/Tarif/', { name: null, price: 1.5, enabled: null })).body, {
    name: ['This field may not be null.'],
    price: ['A valid integer is required.'],
    enabled: ['This field may not be null.'],
  })
  t.same(
    (await doors.post('/rest_api/v2/Tarif/', { name: 'a', price: '500.00', speed_mbit: '500.00' })).body,
    { price: ['A valid integer is required.'] },
    'rubles are not taken for stored units, and other numbers are as in DRF',
  )
  t.same((await doors.post('/rest_api/v2/Homes/', { kind: 'planet', name: 'x' })).body, {
    kind: ['"planet" is not a valid choice.'],
  })
  t.same((await doors.post('/rest_api/v2/Tarif/', [1])).body, {
    non_field_errors: ['Invalid data. Expected a dictionary, but got list.'],
  })
  t.match(await doors.call('POST', '/rest_api/v2/Tarif/', { raw: '{"a":' }), {
    status: 400,
    body: { detail: /^JSON parse error/ },
  })
  t.match(await doors.call('POST', '/rest_api/v2/Tarif/', { raw: 'a', headers: { 'content-type': 'text/plain' } }), {
    status: 415,
    body: { detail: 'Unsupported media type "text/plain" in request.' },
  })
  t.match(await doors.post('/rest_api/v2/Homes/', { kind: 'city', name: 'a\0b' }), {
    status: 400,
    body: { name: ['Null characters are not allowed.'] },
  })
})

t.test('a NAS is of an address or a network, by a NAS-Identifier or without one', async (t) => {
  const doors = await openDoors(t, shared)
  const post = (body: object) => doors.post('/rest_api/v2/Nas/', { name: 'a', secret: 's', ...body })
  t.match(await post({}), { status: 400, body: { ip: ['This field is required.'] } })
  t.match(await post({ ip: '10.0.0.1', network: '10.0.0.0/8' }), { status: 400, body: { network: [/not both/] } })
  t.match(await post({ network: '10.0.0.0/33' }), { status: 400, body: { network: [/valid/] } })
  const wide = await post({
    network: '10.1.2.3/8',
    secret_next: 'the next',
    coa_ip: '10.0.0.9',
    coa_source: '2001:db8::1',
  })
  t.match(wide, {
    status: 201,
    body: {
      ip: null,
      network: '10.0.0.0/8',
      identifier: null,
      coa_ip: '10.0.0.9',
      coa_source: '2001:db8::1',
      asked_ip: null,
      proved_at: null,
      next_proved_at: null,
    },
  })
  t.notMatch(wide.text, /secret|the next/, 'neither secret is returned')
  const [{ secret_next: sealed }] = await doors.rows('SELECT secret_next FROM nas')
  t.equal(doors.parts.secrets.open(sealed), 'the next')
  t.match(await post({ network: '10.0.0.0/8' }), { status: 400, body: { network: [/already exists/] } })
  t.match(await post({ network: '10.0.0.0/8', identifier: 'bras-1' }), { status: 201 })
  t.match(await post({ ip: '10.0.0.1', identifier: 'bras-1' }), { status: 201 })
  t.match(await post({ ip: '10.0.0.1', identifier: 'bras-2' }), { status: 201 })
  t.match(await post({ ip: '10.0.0.1', identifier: 'bras-2' }), { status: 400, body: { ip: [/already exists/] } })
  t.match(doors.parts.access.nas, [
    { ip: null, network: '10.0.0.0/8', secretNext: 'the next', coaIp: '10.0.0.9', coaSource: '2001:db8::1' },
    { identifier: 'bras-1' },
    { ip: '10.0.0.1', identifier: 'bras-1' },
    { ip: '10.0.0.1', identifier: 'bras-2' },
  ])
  const address = `/rest_api/v2/Nas/${wide.body.id}/`
  t.match(await doors.put(address, { ip: '10.0.0.2' }), { status: 400, body: { network: [/not both/] } })
  t.match(await doors.put(address, { ip: '10.0.0.2', network: null, secret: 'the next', secret_next: '' }), {
    status: 200,
    body: { ip: '10.0.0.2', network: null },
  })
  t.match(doors.parts.access.nas, [{ secret: 'the next', secretNext: null }, {}, {}, {}])
})

t.test('duplicates and missing rows are refused under their field', async (t) => {
  const doors = await openDoors(t, shared)
  const { abonent } = await newSubscriber(doors)
  const nas = { name: 'a', ip: '10.0.0.1', secret: 's' }
  await doors.post('/rest_api/v2/Nas/', nas)
  t.match(await doors.post('/rest_api/v2/Nas/', nas), {
    status: 400,
    body: { ip: ['nas with this ip already exists.'] },
  })
  t.match(await doors.post('/rest_api/v2/Abonents/', { name: 'b', contract_number: '1001' }), {
    status: 400,
    body: { contract_number: ['abonents with this contract number already exists.'] },
  })
  t.match(await doors.post('/rest_api/v2/Users/', { abonent: abonent.id, login: 'login1001', password: 'x' }), {
    body: { login: ['users with this login already exists.'] },
  })
  t.match(await doors.put(`/rest_api/v2/Abonents/${abonent.id}/`, { tarif: 99 }), {
    status: 400,
    body: { tarif: ['Invalid pk "99" - object does not exist.'] },
  })
  for (const id of ['0', '99999999999999999999', 'abc', '-1', '1e3']) {
    t.match(await doors.get(`/rest_api/v2/Tarif/${id}/`), { status: 404, body: { detail: 'Not found.' } }, id)
    t.equal((await doors.put(`/rest_api/v2/Tarif/${id}/`, { name: 'x' })).status, 404)
    t.equal((await doors.delete(`/rest_api/v2/Tarif/${id}/`)).status, 404)
  }
})

t.test('OPTIONS tells the methods there are', async (t) => {
  const doors = await openDoors(t, shared)
  const { tarif } = await newSubscriber(doors)
  for (const path of ['/rest_api/v2/Tarif/', `/rest_api/v2/Tarif/${tarif.id}/`]) {
    const { status, headers } = await doors.call('OPTIONS', path)
    t.equal(status, 200)
    const allowed = headers.get('allow')!.split(', ')
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await doors.call(method, path, { body: {} })
      t.equal(answer.status !== 405, allowed.includes(method), `${method} ${path}`)
    }
  }
})

t.test('a record in use is not deleted, and the answer counts its users', async (t) => {
  const doors = await openDoors(t, shared)
  const { tarif, abonent } = await newSubscriber(doors)
  t.match(await doors.delete(`/rest_api/v2/Tarif/${tarif.id}/`), {
    status: 400,
    body: { non_field_errors: [/1 subscribers/] },
  })
  const city = (await doors.post('/rest_api/v2/Homes/', { kind: 'city', name: 'Тверь' })).body
  const house = (await doors.post('/rest_api/v2/Homes/', { kind: 'house', name: '5', parent: city.id })).body
  t.match(await doors.delete(`/rest_api/v2/Homes/${city.id}/`), {
    status: 400,
    body: { non_field_errors: [/1 addresses/] },
  })
  t.match(await doors.put(`/rest_api/v2/Abonents/${abonent.id}/`, { home_id: house.id, flat: 12 }), {
    status: 200,
    body: { address: 'Тверь, 5, кв. 12', home: house.id, flat: '12' },
  })
  const addressAfter = async (home: number, change: object) => {
    t.equal((await doors.put(`/rest_api/v2/Homes/${home}/`, change)).status, 200)
    return (await doors.get(`/rest_api/v2/Abonents/${abonent.id}/`)).body.address
  }
  t.equal(await addressAfter(city.id, { name: 'Калинин' }), 'Калинин, 5, кв. 12', 'a new name goes on below it')
  t.equal(await addressAfter(house.id, { parent: null }), '5, кв. 12', 'and so does another place')
  t.equal(await addressAfter(house.id, { parent: city.id }), 'Калинин, 5, кв. 12')
  for (const parent of [city.id, house.id])
    t.match(
      await doors.put(`/rest_api/v2/Homes/${city.id}/`, { parent_id: parent }),
      { status: 400, body: { parent_id: ['An address cannot lie in itself.'] } },
      'the nodes remain a tree',
    )
  const pool = (await doors.post('/rest_api/v2/IpPull/', { name: 'p', network: '10.1.0.7/24', gateway: '10.1.0.1' }))
    .body
  t.match(pool, { network: '10.1.0.0/24', netmask: '255.255.255.0', gateway: '10.1.0.1' })
  t.match(await doors.delete(`/rest_api/v2/IpPull/${pool.id}/`), { status: 204, text: '' })
  t.equal((await doors.get(`/rest_api/v2/IpPull/${pool.id}/`)).status, 404)
  await doors.rows(
    `INSERT INTO radius_sessions (login, nas_id, acct_session_id, started_at, updated_at) VALUES ('a', 1, 'x', now(), now())`,
  )
  await doors.post('/rest_api/v2/Nas/', { name: 'a', ip: '10.0.0.1', secret: 's' })
  t.match(await doors.delete('/rest_api/v2/Nas/1/'), { status: 400, body: { non_field_errors: [/1 live sessions/] } })
  await doors.rows('UPDATE radius_sessions SET ended_at = now()')
  t.equal((await doors.delete('/rest_api/v2/Nas/1/')).status, 204)
  for (const id of [30353, -3, -4])
    t.match(
      await doors.delete(`/rest_api/v2/Usluga/${id}/`),
      { status: 400, body: { non_field_errors: [/fixed/] } },
      'promise payments need their services, used or not',
    )
})

t.test('a subscriber: access, tariff, folder, attributes, deletion', async (t) => {
  const doors = await openDoors(t, shared)
  const { abonent, login } = await newSubscriber(doors)
  const path = `/rest_api/v2/Abonents/${abonent.id}/`
  t.match(await doors.put(path, { enabled: false }), { body: { enabled: false, block: { b_admin: true } } })
  t.match((await doors.get(`/rest_api/v2/Users/${login.id}/`)).body, { enabled: false }, 'logins follow')
  const second = await doors.post('/rest_api/v2/Users/', { abonent: abonent.id, login: 'second', password: 'x' })
  t.match(second, { status: 201, body: { enabled: false } }, 'a new login of a blocked subscriber is closed too')
  t.match(await doors.put(path, { enabled: 'true' }), { body: { enabled: true, block: { b_admin: false } } })
  t.match((await doors.get(`/rest_api/v2/Users/${second.body.id}/`)).body, { enabled: true })

  t.match(await doors.put(`/rest_api/v2/Users/${login.id}/`, { enabled: false }), { body: { enabled: false } })
  t.match((await doors.get(path)).body, { enabled: true }, 'a login switched off by hand blocks nobody')

  await doors.rows(`INSERT INTO organizations (id, name) VALUES (2, 'Second')`)
  await doors.rows(`INSERT INTO abonent_folders (id, organization_id, name) VALUES (5, 2, 'North')`)
  await doors.rows(
    `INSERT INTO user_attributes (name, type_id, sorm_field_code) VALUES ('Age', 2, 'age'), ('Note', 1, NULL)`,
  )
  t.match(
    await doors.put(path, { parent: 5, attributes: { age: '33', attr_2: 'x' }, organization: 77, promise_pay: 5 }),
    {
      status: 200,
      body: { parent: 5, organization: 2, attributes: { age: 33, attr_2: 'x' }, promise_pay: null },
    },
  )
  t.match(await doors.put(path, { attributes: { age: 'old' } }), {
    status: 400,
    body: { attributes: ['age: A valid integer is required.'] },
  })
  t.match(await doors.put(path, { attributes: { none: 1 } }), {
    status: 400,
    body: { attributes: [/no attribute "none"/] },
  })
  t.same((await doors.put(path, { attributes: { age: null } })).body.attributes, { attr_2: 'x' })

  const tarif = (await doors.post('/rest_api/v2/Tarif/', { name: 'Fast', price: 1 })).body
  const full = (await doors.get(path)).body
  t.match(
    await doors.put(path, { ...full, tarif_id: tarif.id }),
    { status: 200, body: { tarif: tarif.id } },
    'of two names the changed one counts',
  )
  t.match(await doors.rows(`SELECT kind, payload FROM outbox WHERE kind = 'speed'`), [
    { payload: { subscriberId: abonent.id, logins: ['login1001', 'second'] } },
  ])

  t.equal((await doors.delete(path)).status, 204)
  t.match(await doors.get(path), { status: 200, body: { deleted: true } })
  t.match((await doors.get('/rest_api/v2/Abonents/')).body, { count: 0, results: [] }, 'hidden from lists')
  t.match((await doors.get('/rest_api/v2/Abonents/?deleted=true')).body, { count: 1 })
  t.match(
    await doors.post('/rest_api/v2/Abonents/', { name: 'new', contract_number: '1001' }),
    { status: 201 },
    'its number is free',
  )
})

t.test('a VLAN is from 1 to 4094, and live sessions follow that of their login', async (t) => {
  const doors = await openDoors(t, shared)
  const { abonent, login } = await newSubscriber(doors)
  const path = `/rest_api/v2/Users/${login.id}/`
  const orders = () => doors.rows(`SELECT payload FROM outbox WHERE kind = 'speed' ORDER BY id`)
  t.equal((await doors.get(path)).body.vlan, null)
  for (const vlan of [0, 4095, 'x']) t.match(await doors.put(path, { vlan }), { status: 400, body: { vlan: [String] } })
  t.match(await doors.put(path, { vlan: 4094 }), { status: 200, body: { vlan: 4094 } })
  await doors.put(path, { vlan: 4094, simultaneous_use: 2 })
  t.match(await doors.put(path, { vlan: null }), { status: 200, body: { vlan: null } })
  const order = { subscriberId: abonent.id, logins: [login.login], vlan: 'ofLogin' }
  t.match(await orders(), [{ payload: order }, { payload: order }])
  t.equal((await orders()).length, 2)
  const tarif = await doors.post('/rest_api/v2/Tarif/', { name: 'Office', price: 1, vlan: 120 })
  t.match(tarif, { status: 201, body: { vlan: 120 } })
  t.match(await doors.post('/rest_api/v2/Tarif/', { name: 'x', price: 1, vlan: 4095 }), { status: 400 })
})

t.test('live sessions follow the addresses of their login', async (t) => {
  const doors = await openDoors(t, shared)
  const { abonent, login } = await newSubscriber(doors)
  const path = `/rest_api/v2/Users/${login.id}/`
  const orders = () => doors.rows(`SELECT payload FROM outbox WHERE kind = 'readdress' ORDER BY id`)
  await doors.put(path, { ip: '10.0.0.5', ipv6_prefix: '2001:db8::/64' })
  await doors.put(path, { ip: '10.0.0.5', simultaneous_use: 2, password: 'other' })
  await doors.put(path, { ip: null, delegated_ipv6_prefix: '2001:db8:0:100::/56', mac: 'AA-BB-CC-DD-EE-FF' })
  const told = { kind: 'readdress', subscriberId: abonent.id, logins: [login.login] }
  t.strictSame(
    (await orders()).map(({ payload }) => payload),
    [
      {
        ...told,
        changes: { ip: { is: '10.0.0.5', was: login.ip }, ipv6Prefix: { is: '2001:db8::/64', was: null } },
      },
      {
        ...told,
        changes: {
          ip: { is: null, was: '10.0.0.5' },
          mac: { is: 'aa:bb:cc:dd:ee:ff', was: null },
          delegatedIpv6Prefix: { is: '2001:db8:0:100::/56', was: null },
        },
      },
    ],
  )
})

t.test('a whole record sent back orders only what it changes', async (t) => {
  const doors = await openDoors(t, shared)
  const { abonent, login } = await newSubscriber(doors)
  await doors.post('/rest_api/v2/FinanceOperations/', { account: abonent.account, op_type: 9, op_summa: units(1) })
  const [path, loginPath] = [`/rest_api/v2/Abonents/${abonent.id}/`, `/rest_api/v2/Users/${login.id}/`]
  const debtor = (await doors.get(path)).body
  const closed = (await doors.get(loginPath)).body
  t.match([debtor.enabled, closed.enabled], [false, false])
  t.match(await doors.put(path, { ...debtor, email: 'a@b.ru' }), {
    body: { email: 'a@b.ru', block: { b_negbal: true, b_admin: false } },
  })
  t.equal((await doors.put(loginPath, { ...closed, mac: 'aa:bb:cc:dd:ee:ff' })).status, 200)
  await doors.post('/rest_api/v2/FinanceOperations/', { account: abonent.account, op_type: 7, op_summa: units(1) })
  t.match((await doors.get(path)).body, { enabled: true })
  t.match((await doors.get(loginPath)).body, { enabled: true, mac: 'aa:bb:cc:dd:ee:ff' })
  t.match(
    await doors.put(path, { enabled: false }),
    { body: { block: { b_admin: true } } },
    'naming it alone is an order',
  )
})

t.test('a subscriber moves to another account', async (t) => {
  const doors = await openDoors(t, shared)
  const { abonent } = await newSubscriber(doors)
  const poor = (await doors.post('/rest_api/v2/AdminAccounts/', { limit: units(10), comment: 'poor' })).body
  t.match(poor, { limit: units(10), ostatok: 0, currency: 1 })
  t.match(await doors.put(`/rest_api/v2/Abonents/${abonent.id}/`, { account: poor.id }), {
    status: 200,
    body: { account: poor.id, account_id: poor.id, enabled: false, block: { b_negbal: true } },
  })
  t.match(await doors.post('/rest_api/v2/Abonents/', { name: 'x', contract_number: '7', account: poor.id }), {
    status: 201,
    body: { enabled: false, block: { b_negbal: true } },
  })
})

t.test(
  'an account: terms are re-evaluated at once, the balance is nobody’s to edit, deletion has its reasons',
  async (t) => {
    const doors = await openDoors(t, shared)
    const { abonent } = await newSubscriber(doors)
    const path = `/rest_api/v2/AdminAccounts/${abonent.account}/`
    t.match(await doors.put(path, { limit: units(1), bonus_score: 7, warn: null }), {
      status: 200,
      body: { limit: units(1), bonus_score: 7, warn: null },
    })
    t.match((await doors.get(`/rest_api/v2/Abonents/${abonent.id}/`)).body, {
      enabled: false,
      block: { b_negbal: true },
    })
    t.match(await doors.put(path, { unlimited: true, unlimited_date: '2099-01-01' }), {
      body: { unlimited: true, unlimited_date: '2099-01-01T00:00:00+03:00' },
    })
    t.match((await doors.get(`/rest_api/v2/Abonents/${abonent.id}/`)).body, {
      enabled: true,
      block: { b_negbal: false },
    })
    for (const name of ['ostatok', 'debit', 'credit']) {
      t.match(await doors.put(path, { [name]: 0 }), { status: 400, body: { [name]: [/cannot be set/] } })
      t.equal((await doors.post('/rest_api/v2/AdminAccounts/', { [name]: 0 })).status, 400)
    }
    await doors.post('/rest_api/v2/FinanceOperations/', { account: abonent.account, op_type: 7, op_summa: 5 })
    await doors.rows(`INSERT INTO video_objects (name, account_id) VALUES ('cam', $1)`, [abonent.account])
    t.match(await doors.delete(path), {
      status: 400,
      body: { non_field_errors: [/subscribers \(1\)/, /finance operations \(1\)/, /video objects \(1\)/] },
    })
    const empty = (await doors.post('/rest_api/v2/AdminAccounts/', {})).body
    t.equal((await doors.delete(`/rest_api/v2/AdminAccounts/${empty.id}/`)).status, 204)
    t.match(
      await doors.rows(`SELECT diff FROM audit_operations WHERE table_name = 'ADMIN_ACCOUNTS' AND action = 'delete'`),
      [{ diff: { ostatok: ['0.00', null] } }],
    )
  },
)

t.test('tickets and cards', async (t) => {
  const doors = await openDoors(t, shared)
  const { abonent } = await newSubscriber(doors)
  const ticket = (await doors.post('/rest_api/v2/Hdsk/', { abonent: abonent.id, subject: 'No link', body: 'help' }))
    .body
  t.match(ticket, { status: 'open', messages: [] })
  t.match(await doors.post(`/rest_api/v2/Hdsk/${ticket.id}/messages/`, { body: 'We look' }), {
    status: 201,
    body: { author: 'staff', body: 'We look' },
  })
  t.match((await doors.get(`/rest_api/v2/Hdsk/${ticket.id}`)).body, {
    messages: [{ author: 'staff', body: 'We look' }],
  })
  t.equal((await doors.post('/rest_api/v2/Hdsk/99/messages/', { body: 'x' })).status, 404)
  const card = await doors.post('/rest_api/v2/Cards/', { serial: 'A1', pin: '1234', nominal: units(100) })
  t.match(card, { status: 201, body: { status: 'new', abonent: null } })
  t.notOk('pin' in card.body)
  t.equal((await doors.delete(`/rest_api/v2/Cards/${card.body.id}/`)).status, 204)
})
