import fc from 'fast-check'
import t from 'tap'
import { openProgram } from '../support/opened-program.ts'
import { Phone } from '../support/phone.ts'
import type { Json } from '../support/program.ts'
import { linePassword, signUp } from '../support/provider.ts'
import { fetch } from '../support/published.ts'

const clientsMax = 30
/** Less than the 30 a minute that the limit allows. */
const requestsOfOne = 28

type Shot = { readonly path: string; readonly method: string; readonly query: string; readonly body: Buffer | null }

/** Values that programs trip over, and all that JSON can say. */
const odd = fc.constantFrom(
  ...[null, true, 0, -1, 1e300, 2 ** 53, '', ' ', '0', '-0.00', '1e5', 'NaN', '\u0000', '\ud800', 'x'.repeat(20_000)],
  ...[[], {}, [[]], { toString: 1 }, '9'.repeat(400), '2026-02-30', '0000-00-00', 'year', "'; DROP TABLE abonents; --"],
)
const value = fc.oneof({ weight: 2, arbitrary: odd }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) })

function bodyOf(schema: Json | undefined): fc.Arbitrary<Buffer | null> {
  const names = Object.keys(schema?.properties ?? { any: {} })
  const fields = fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] })
  const others = fc.dictionary(fc.constantFrom('__proto__', 'constructor', 'toString', 'x'), value)
  const text = fc.tuple(fields, others).map(([known, more]) => JSON.stringify({ ...more, ...known }))
  return fc.oneof(
    { weight: 6, arbitrary: text.map((json) => Buffer.from(json)) },
    { weight: 1, arbitrary: text.map((json) => Buffer.from(json.slice(0, -1))) },
    { weight: 1, arbitrary: fc.json().map((json) => Buffer.from(json)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.constantFrom(null, Buffer.from('['.repeat(10_000))) },
  )
}

const queryOf = (operation: Json): fc.Arbitrary<string> => {
  const names = (operation.parameters ?? [])
    .filter((one: Json) => one.in === 'query')
    .map(({ name }: { name: string }) => name)
  const one = fc.tuple(
    fc.constantFrom('zzz', ...names),
    fc.oneof(
      odd.map((one) => (typeof one === 'object' ? JSON.stringify(one) : String(one))),
      fc.string({ maxLength: 20 }),
    ),
  )
  return fc
    .array(one, { maxLength: 4 })
    .map((pairs) =>
      pairs.map(([name, text]) => `${name}=${encodeURIComponent(text.toWellFormed().slice(0, 500))}`).join('&'),
    )
}

const idText = fc.oneof(
  fc.constantFrom('0', '1', '-1', '99999999999999999999', '1.5', '%20', 'x', '%ff'),
  fc.nat().map(String),
)

t.test('whatever is sent, the application has an answer in its shape, and never a 500', async (t) => {
  const program = await openProgram(t)
  const first = await Phone.of(program.address.http)
  const phones: { access: string; left: number }[] = []
  for (const { login } of await signUp(program, clientsMax)) {
    const phone = first.another()
    t.equal((await phone.signIn(login, linePassword)).status, 200)
    phones.push({ access: phone.access, left: requestsOfOne })
  }

  const operations = Object.entries<Json>(first.document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  // A sign-out would only end the shooting.
  const targets = operations.filter(({ path }) => path !== '/auth/logout' && path !== '/openapi.json')
  const shot: fc.Arbitrary<Shot> = fc.constantFrom(...targets).chain(({ path, method, operation }) =>
    fc.record({
      path: idText.map((id) => path.replace('{id}', id)),
      method: fc.constant(method),
      query: queryOf(operation),
      body: method === 'GET' ? fc.constant(null) : bodyOf(operation.requestBody?.content['application/json'].schema),
    }),
  )
  const codes = new Set<string>()
  const fire = async (shot: Shot): Promise<boolean> => {
    const { path, method, query, body } = shot
    const phone = phones.find(({ left }) => left > 0)!
    phone.left--
    const response = await fetch(`${first.base}${path}${query === '' ? '' : `?${query}`}`, {
      method,
      headers: { Authorization: `Bearer ${phone.access}`, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: new Uint8Array(body) }),
    })
    const text = await response.text()
    const answer = JSON.parse(text)
    // A program that a busy machine keeps from its database says so, and is asked again.
    if (response.status === 503) return answer.error === 'payment_unavailable' || fire(shot)
    if (response.status >= 500) throw new Error(`${response.status} ${text}`)
    if (response.status >= 400) {
      if (answer.status !== 'error' || typeof answer.error !== 'string' || typeof answer.message !== 'string')
        throw new Error(`Not the shape of a refusal: ${text}`)
      if (response.status === 401 && !path.startsWith('/auth')) throw new Error(`Signed out: ${text}`)
      codes.add(answer.error)
    }
    return true
  }
  await fc.assert(fc.asyncProperty(shot, fire), { numRuns: clientsMax * requestsOfOne - 200, endOnFailure: true })
  t.ok(codes.has('bad_request') && codes.has('not_found'), [...codes].join(', '))
  t.same(
    program.log.filter(({ level }) => level === 'error'),
    [],
    'nothing failed inside',
  )
})
