import t from 'tap'
import { SharedDatabase } from '../support/database.ts'
import { newSubscriber, openDoors, units } from './door.ts'

const shared = await SharedDatabase.open(t)

const xml = { headers: { 'content-type': 'application/xml' } }

t.test('REST v1 shows the records of v2 as JSON and as XML', async (t) => {
  const doors = await openDoors(t, shared)
  const { abonent, tarif } = await newSubscriber(doors, 'Иванов & <Co>')

  const list = await doors.get('/rest_api/Abonents/?format=json&name__icontains=иванов')
  t.equal(list.status, 200)
  t.same(Object.keys(list.body), ['count', 'results'])
  const { body: record } = await doors.get(`/rest_api/v2/Abonents/${abonent.id}/`)
  t.same(list.body.results, [record], 'the record of v2')
  t.same((await doors.get(`/rest_api/Abonents/${abonent.id}/`)).body, record, 'JSON without a format')

  const shown = await doors.get(`/rest_api/Abonents/?format=xml&fields=id,name,email,enabled`)
  t.equal(
    shown.text,
    '<?xml version="1.0" encoding="utf-8"?>\n<response><count>1</count><results><item>' +
      `<id>${abonent.id}</id><name>Иванов &amp; &lt;Co&gt;</name><email nil="true"/><enabled>true</enabled></item></results></response>\n`,
  )
  const accepted = await doors.get(`/rest_api/Tarif/${tarif.id}/?fields=price`, { headers: { accept: 'text/xml' } })
  t.match(accepted.text, `<response><price>${units(500)}</price></response>`)
  t.equal((await doors.get('/rest_api/Tarif/?format=yaml')).status, 404, 'a format nobody writes')
  t.match((await doors.get('/rest_api/Tarif/99/?format=xml')).text, '<response><detail>Not found.</detail></response>')
})

t.test('REST v1 takes XML', async (t) => {
  const doors = await openDoors(t, shared)
  const write = (method: string, path: string, raw: string) => doors.call(method, path, { ...xml, raw })
  const made = await write(
    'POST',
    '/rest_api/Tarif/?format=xml',
    `<?xml version="1.0" encoding="UTF-8"?><!-- new --><tarif><name>Дом &#38; <![CDATA[<100>]]></name><price>9007199254740993</price>
      <enabled>true</enabled><description nil="true"/><speed_mbit>10.5</speed_mbit>
      <radius_reply><item><name>Filter-Id</name><value>x</value></item></radius_reply></tarif>`,
  )
  t.equal(made.status, 201, made.text)
  t.match(made.text, '<name>Дом &amp; &lt;100&gt;</name><price>9007199254740993</price>')
  const { results } = (await doors.get('/rest_api/v2/Tarif/')).body
  t.match(results[0], {
    price: 9007199254740993n,
    description: null,
    radius_reply: [{ name: 'Filter-Id', value: 'x' }],
  })
  const changed = await write('PUT', '/rest_api/Tarif/1/', '<r><radius_reply/><is_public>1</is_public></r>')
  t.match(changed, { status: 200, body: { radius_reply: [], is_public: true, price: 9007199254740993n } })
  const wrong = await write('PATCH', '/rest_api/Tarif/1/?format=xml', '<r><price>x</price></r>')
  t.match(wrong, { status: 400, text: '<response><price><item>A valid integer is required.</item></price></response>' })

  const whole = (await doors.get('/rest_api/Tarif/1/?format=xml')).text
  t.match(await write('PUT', '/rest_api/Tarif/1/', whole), { status: 200 }, 'what it writes it reads')
  t.equal((await doors.call('DELETE', '/rest_api/Tarif/1/')).status, 204)
})

t.test('hostile XML is refused in words', async (t) => {
  const doors = await openDoors(t, shared)
  const refused = [
    '<!DOCTYPE r [<!ENTITY a "b">]><r><name>&a;</name></r>',
    '<r><name>&unknown;</name></r>',
    '<r><name>&#0;</name></r>',
    '<r><name>&amp</name></r>',
    '<r>',
    '<r></s>',
    '<r/><r/>',
    'text',
    '<r a="1" a="2"/>',
    '<?xml version="1.0" encoding="windows-1251"?><r/>',
    '<?php echo 1 ?><r/>',
    `${'<a>'.repeat(50)}${'</a>'.repeat(50)}`,
    `<r>${'<a/>'.repeat(20_000)}</r>`,
    '<r><![CDATA[ never closed </r>',
    '<r><item>1</item></r>',
  ]
  for (const raw of refused) {
    const { status, text } = await doors.call('POST', '/rest_api/Tarif/', { ...xml, raw })
    t.equal(status, 400, `${raw.slice(0, 60)}: ${text.slice(0, 100)}`)
  }
  const long = `<r>${' '.repeat(500_000)}<!--${'-'.repeat(1)}${'x-'.repeat(200_000)}--></r>`
  t.equal((await doors.call('POST', '/rest_api/Tarif/', { ...xml, raw: long })).status, 400, 'long and without a name')
})
