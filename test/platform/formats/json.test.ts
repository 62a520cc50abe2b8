import fc from 'fast-check'
import t from 'tap'
import { bodyValuesMax, isShortened, nestingMax, parseJson, stringifyJson } from '../../../src/platform/formats/json.ts'

const parse = (text: string) => parseJson(Buffer.from(text))
const parsedValue = (text: string) => {
  const parsed = parse(text)
  return parsed.kind === 'parsed' ? parsed.value : parsed
}

t.test('integers beyond 2^53 are read and written without loss', async (t) => {
  t.same(parsedValue('{"op_summa": 9223372036854775807, "n": 12, "x": -9007199254740993}'), {
    op_summa: 9223372036854775807n,
    n: 12,
    x: -9007199254740993n,
  })
  t.equal(stringifyJson({ ostatok: -9223372036854775807n, n: 1 }), '{"ostatok":-9223372036854775807,"n":1}')
})

t.test('any int8 survives the way out and in', async (t) => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (units) => {
      const [back] = parsedValue(stringifyJson([units])) as [bigint | number]
      return BigInt(back) === units
    }),
  )
  t.pass()
})

t.test('any JSON value survives as JSON.parse reads it', async (t) => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
      const text = JSON.stringify(value)
      if (/\d{16}|__proto__|toString/.test(text)) return
      t.strictSame(parsedValue(text), JSON.parse(text))
    }),
    { numRuns: 300 },
  )
})

t.test('what is no JSON is refused in words that do not repeat the body', async (t) => {
  for (const text of ['', '{', '{"password":"hunter2",}', '[1 2]', 'nul', '\u00ff', '{"a":1}}']) {
    const parsed = parse(text)
    t.equal(parsed.kind, 'refused', text)
    if (parsed.kind === 'refused') {
      t.match(parsed.detail, /^JSON parse error - /)
      t.notMatch(parsed.detail, /hunter2/)
    }
  }
  t.equal(parseJson(Buffer.from([0x22, 0xff, 0x22])).kind, 'refused', 'not UTF-8')
})

t.test('deep nesting and endless numbers are refused, not followed', async (t) => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  t.equal(parse(nested(nestingMax)).kind, 'parsed')
  t.match(parse(nested(nestingMax + 1)), { kind: 'refused', detail: /nested deeper/ })
  t.equal(parse('['.repeat(500_000)).kind, 'refused')
  t.equal(parse(`"${'['.repeat(100)}\\"${'{'.repeat(100)}"`).kind, 'parsed', 'brackets in a string do not count')
  t.equal(parse(`{"n":${'9'.repeat(500_000)}}`).kind, 'refused')
  t.equal(parse('[1e999]').kind, 'refused')
})

t.test('many values and runs of digits are counted, not followed', async (t) => {
  const list = (length: number) => `[${Array.from({ length }, (_, n) => n).join(',')}]`
  t.equal(parse(list(bodyValuesMax - 2)).kind, 'parsed')
  t.match(parse(list(bodyValuesMax)), {
    kind: 'refused',
    detail: `JSON parse error - more than ${bodyValuesMax} values`,
  })
  t.equal(parse('{"a":['.repeat(10)).kind, 'refused')
  t.equal(parse(`{${'"a":{},'.repeat(bodyValuesMax)}"b":1}`).kind, 'refused', 'members and empty objects are values')
  t.same(parsedValue(`"${','.repeat(bodyValuesMax)}"`), ','.repeat(bodyValuesMax), 'commas of a text are none')
  t.equal(parseJson(Buffer.from(list(2 * bodyValuesMax)), Infinity).kind, 'parsed', 'what we wrote ourselves')
  t.same(parsedValue('["1234567890123456", 12345678901234567]'), ['1234567890123456', 12345678901234567n])
})

t.test('a member called __proto__ is left out, however it is spelled', async (t) => {
  for (const text of ['{"a":1,"__proto__":{"admin":true}}', '{"a":1,"\\u005f_proto__":{"admin":true}}']) {
    const value = parsedValue(text) as Record<string, unknown>
    t.same(Object.keys(value), ['a'])
    t.equal(Object.assign({}, value).admin, undefined)
    t.ok(isShortened(value))
  }
  const { a } = parsedValue('{"a":{},"b":{"toString":1}}') as { a: object }
  t.notOk(isShortened(a), 'what lost nothing')
})

t.test('what cannot be written as text is left out, what no table can hold is refused', async (t) => {
  for (const text of ['{"a":{"toString":1,"valueOf":1}}', '{"a":{"to\\u0053tring":null}}']) {
    const { a } = parsedValue(text) as Record<string, unknown>
    t.equal(String(a), '[object Object]', text)
  }
  for (const text of ['{"a":"\\ud800"}', '["x\\udfff"]', '{"\\ud83dx":1}'])
    t.match(parse(text), { kind: 'refused', detail: /half a character/ }, text)
  t.same(parsedValue('["\\ud83d\\ude00"]'), ['😀'])
})
