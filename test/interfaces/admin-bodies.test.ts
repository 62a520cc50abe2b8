import fc from 'fast-check'
import t from 'tap'
import { publishedByProgram } from '../support/published.ts'
import { type Json, newSubscriber, openDoors } from './door.ts'

/**
 * Every write of the office whose body is documented is sent what a program may get wrong and whoever attacks may try:
 * values of another type, of another length, in parts of the body too. Each is carried out or refused; none fails.
 */
const doors = await openDoors(t)
const { document } = publishedByProgram(doors.parts.routes)
await newSubscriber(doors)

const odd = fc.constantFrom<unknown>(
  ...[null, true, false, 0, -1, 1, 1.5, 1e300, 2 ** 53, '', ' ', '0', '1', '-0.00', '1e5', 'NaN', '\u0000', 'x'],
  ...[
    '9'.repeat(20),
    'y'.repeat(300),
    '2026-02-30',
    '9999-12-31',
    '0001-01-01',
    '10.0.0.5',
    '10.0.0.0/8',
    '::1',
    '%_\\',
  ],
  ...[
    'aa:bb:cc:dd:ee:ff',
    '+79990000000',
    'now',
    '[]',
    '{}',
    [],
    {},
    [[]],
    [null],
    ['x'],
    [1, 1],
    [1e300],
    { toString: 1 },
  ],
)

const followed = (schema: Json): Json =>
  schema?.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema

/** Mostly what the schema means, so that something behind the first look at it is reached too. */
function sentAs(sent: Json): fc.Arbitrary<unknown> {
  const schema = followed(sent)
  const meant = meantBy(schema?.anyOf ? schema.anyOf[0] : schema)
  return fc.oneof({ weight: 2, arbitrary: meant }, { weight: 1, arbitrary: odd })
}

function meantBy(sent: Json): fc.Arbitrary<unknown> {
  const schema = followed(sent)
  if (schema?.enum) return fc.constantFrom(...schema.enum)
  const type = Array.isArray(schema?.type) ? schema.type[0] : schema?.type
  if (type === 'object') return bodyOf(schema)
  if (type === 'array') return fc.array(sentAs(schema.items), { maxLength: 3 })
  if (type === 'boolean') return fc.boolean()
  if (type === 'integer' || type === 'number') return fc.integer({ min: 1, max: 4 })
  return fc.constantFrom('1', 'a', '2026-11-26', '5.00', '10.0.0.6', 'aa:bb:cc:dd:ee:01')
}

const bodyOf = (schema: Json): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(
    Object.fromEntries(Object.entries<Json>(schema?.properties ?? {}).map(([name, one]) => [name, sentAs(one)])),
    { requiredKeys: schema?.required ?? [] },
  )

const targets = Object.entries<Json>(document.paths).flatMap(([path, { post }]) => {
  const schema = followed(post?.requestBody?.content['application/json']?.schema)
  return path.startsWith('/admin/') && schema ? [{ path, schema }] : []
})

t.test('no body fails a write of the office', async (t) => {
  for (const { path, schema } of targets) {
    const faults: string[] = []
    await fc.assert(
      fc.asyncProperty(bodyOf(schema), fc.constantFrom('1', '2', '99'), async (body, id) => {
        try {
          const { status } = await doors.post(path.replace(/\{\w+\}/g, id), body)
          if (status >= 500) faults.push(`${status} ${JSON.stringify(body)}`)
        } catch (error) {
          faults.push(`${error} ${JSON.stringify(body)}`)
        }
      }),
      { numRuns: 20, seed: 11 },
    )
    t.strictSame(faults.slice(0, 3), [], path)
  }
})
