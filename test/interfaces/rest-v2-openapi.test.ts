import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { newSubscriber, openDoors } from './door.ts'

t.test('the documentation describes what is answered', async (t) => {
  const doors = await openDoors(t)
  await newSubscriber(doors)
  await doors.post('/rest_api/v2/FinanceOperations/', { account: 1, op_type: 7, op_summa: 5 })
  const { status, body: document } = await doors.get('/rest_api/v2/openapi.json')
  t.equal(status, 200)
  t.match(document, { openapi: '3.1.0', servers: [{ url: 'https://billing.example' }] })
  t.equal(Object.keys(document.paths).length, 25)
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: 'openapi', ...document })
  for (const name of ['Abonents', 'Tarif', 'Users', 'FinanceOperations', 'AdminAccounts', 'Usluga']) {
    const validate = ajv.getSchema(`openapi#/components/schemas/${name}`)!
    const { results } = (await doors.get(`/rest_api/v2/${name}/`)).body
    t.ok(results.length > 0)
    for (const record of results) t.ok(validate(record), `${name}: ${JSON.stringify(validate.errors)}`)
    const described = Object.keys(document.components.schemas[name].properties)
    t.same(Object.keys(results[0]), described, `${name}: every field is described, none more`)
  }
  const names = document.paths['/rest_api/v2/AdminAccounts/'].get.parameters.map(({ name }: { name: string }) => name)
  t.equal(new Set(names).size, names.length, 'no parameter twice')
  t.ok(names.includes('limit__exact'))
  for (const path of ['/rest_api/v2/Abonents/', '/rest_api/v2/Abonents/{id}/']) {
    const { parameters, responses } = document.paths[path].get
    t.ok(parameters.some(({ name }: { name: string }) => name === 'If-None-Match'))
    t.match(responses, { 200: { headers: { ETag: {} } }, 304: { headers: { ETag: {} } } })
  }
  t.match(document.components.schemas.UsersCreate, { required: ['abonent', 'login', 'password'] })
  t.notOk('password' in document.components.schemas.Users.properties)
})
