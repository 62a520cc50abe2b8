import fc from 'fast-check'
import t from 'tap'
import type { Field, Model } from '../../src/platform/records/model.ts'
import { lookupNames } from '../../src/platform/records/filters.ts'
import { models } from '../../src/interfaces/rest/models/index.ts'
import { anyCharacter } from '../support/any-character.ts'
import { SharedDatabase } from '../support/database.ts'
import { newSubscriber, openDoors } from './door.ts'

const shared = await SharedDatabase.open(t)

/** Names that mean something, and names that nearly do. */
const pathOf = (model: Model, depth = 0): fc.Arbitrary<string> =>
  fc.constantFrom<Field>(...model.fields).chain((field) => {
    const own = fc.constantFrom(field.name, `${field.name}_id`)
    const target = field.target?.()
    return target && depth < 4
      ? fc.oneof(
          own,
          pathOf(target, depth + 1).map((rest) => `${field.name}__${rest}`),
        )
      : own
  })

const value = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.string({ maxLength: 12 }),
  fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }).map(String),
  fc.double().map(String),
  fc.integer().map((n) => `1e${n}`),
  fc.integer({ min: -20, max: 20 }).map((n) => `.5e${n}`),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc
    .tuple(fc.integer({ min: 0, max: 9999 }), fc.integer({ min: 0, max: 13 }), fc.integer({ min: 0, max: 32 }))
    .map(([y, m, d]) => [String(y).padStart(4, '0'), String(m).padStart(2, '0'), String(d).padStart(2, '0')].join('-')),
  fc.constantFrom(
    ...['true', 'False', '1', '0', 'null', ',', '1,2', ',,', 'a,b', '%', '_', '\\', "'", '"', ';--', '$1', '$1::int8'],
    ...['9999-12-31', '0001-01-01', '9999-12-31T23:59:59+15:59', '0001-01-01T00:00:00+15:00', '2026-01-01T24:00:00Z'],
    ...[
      '10.0.0.1',
      '::1',
      '10.0.0.0/33',
      '::/129',
      'fe80::1%eth0',
      'aa:bb:cc:dd:ee:ff',
      'aabb.ccdd.eeff',
      'Infinity',
      'NaN',
      '-0',
    ],
  ),
  fc.ipV4(),
  fc.ipV6(),
)

const parameter = (model: Model) =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(
        fc
          .tuple(pathOf(model), fc.constantFrom('', ...lookupNames, 'regex'))
          .map(([path, lookup]) => (lookup ? `${path}__${lookup}` : path)),
        value,
      ),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom('limit', 'offset', 'fields', 'format', '__proto__', 'constructor'), value),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(
        fc.constant('ordering'),
        fc
          .array(pathOf(model), { maxLength: 4 })
          .map((paths) => paths.map((path, at) => (at % 2 ? `-${path}` : path)).join(',')),
      ),
    },
    { weight: 1, arbitrary: fc.tuple(fc.string({ maxLength: 10 }), value) },
  )

const request = fc
  .constantFrom(...models)
  .chain((model) => fc.tuple(fc.constant(model.name), fc.array(parameter(model), { maxLength: 5 })))

t.test('any combination of query parameters answers 200 or 400', async (t) => {
  const doors = await openDoors(t, shared)
  await newSubscriber(doors)
  const seen = new Set<number>()
  await fc.assert(
    fc.asyncProperty(request, async ([name, parameters]) => {
      const { status, body } = await doors.get(`/rest_api/v2/${name}/?${new URLSearchParams(parameters)}`)
      seen.add(status)
      if (status === 400 && Object.values(body).every((texts) => typeof (texts as string[])[0] === 'string')) return
      if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`)
    }),
    { numRuns: 500 },
  )
  t.same([...seen].sort(), [200, 400])
})

t.test('each lookup of each field of each model is a query that PostgreSQL runs', async (t) => {
  const doors = await openDoors(t, shared)
  const values = ['1', '2026-01-02', '10.0.0.1', '1,2']
  for (const model of models) {
    for (const { name, choices } of model.fields) {
      for (const sent of [...values, ...(choices ?? [])]) {
        const asked = lookupNames.map((lookup) => `${name}__${lookup}`)
        const ask = (names: readonly string[]) => {
          const query = new URLSearchParams(names.map((one): [string, string] => [one, sent]))
          return doors.get(`/rest_api/v2/${model.name}/?${query}&ordering=-${name}`)
        }
        // All at once. An answer of 400 names those that the field or the value is not for; the others then run.
        let { status, body } = await ask(asked)
        const refused = status === 400 ? Object.keys(body) : []
        if (refused.length > 0) ({ status } = await ask(asked.filter((one) => !refused.includes(one))))
        if (status !== 200)
          throw new Error(`${model.name} ${name} ${sent}: ${status}, refused were ${refused.join(', ')}`)
      }
    }
  }
  t.pass('all ran')
})

/** Bodies that nearly fit. */
const sentValue = fc.oneof(fc.jsonValue({ maxDepth: 2 }), value, fc.bigInt(), fc.integer(), fc.boolean())

t.test('any body answers 201 or 400', async (t) => {
  const doors = await openDoors(t, shared)
  const { abonent } = await newSubscriber(doors)
  await fc.assert(
    fc.asyncProperty(
      fc
        .constantFrom(...models)
        .chain((model) =>
          fc.tuple(
            fc.constant(model),
            fc.dictionary(fc.constantFrom(...model.fields.map(({ name }) => name)), sentValue, { maxKeys: 8 }),
          ),
        ),
      async ([model, sent]) => {
        const helped = Object.fromEntries(
          model.fields
            .filter((field) => field.required && sent[field.name] === undefined && field.name.length % 2 === 0)
            .map((field) => [field.name, field.kind === 'relation' ? abonent.id : `x${Math.random()}`]),
        )
        const { status, body } = await doors.post(`/rest_api/v2/${model.name}/`, { ...helped, ...sent })
        if (status !== 201 && status !== 400) throw new Error(`${status}: ${JSON.stringify(body)}`)
      },
    ),
    { numRuns: 500 },
  )
  t.pass('all answered')
})

t.test('any change of a record answers 200 or 400', async (t) => {
  const doors = await openDoors(t, shared)
  const { abonent } = await newSubscriber(doors)
  await doors.post('/rest_api/v2/Nas/', { name: 'n', ip: '10.0.0.1', secret: 's' })
  await doors.post('/rest_api/v2/Homes/', { kind: 'city', name: 'c' })
  await doors.post('/rest_api/v2/FinanceOperations/', { account: abonent.account, op_type: 7, op_summa: 1 })
  const changed = models.filter(({ name }) => !['Cards', 'Hdsk', 'IpPull', 'Switch', 'Usluga'].includes(name))
  await fc.assert(
    fc.asyncProperty(
      fc
        .constantFrom(...changed)
        .chain((model) =>
          fc.tuple(
            fc.constant(model),
            fc.dictionary(fc.constantFrom(...model.fields.map(({ name }) => name)), sentValue, { maxKeys: 4 }),
          ),
        ),
      async ([model, sent]) => {
        const path = `/rest_api/v2/${model.name}/`
        const { results } = (await doors.get(`${path}?limit=1`)).body
        const { status, body } = await doors.put(`${path}${results[0][model.key]}/`, sent)
        if (status !== 200 && status !== 400) throw new Error(`${status}: ${JSON.stringify(body)}`)
      },
    ),
    { numRuns: 250 },
  )
  t.pass('all answered')
})
