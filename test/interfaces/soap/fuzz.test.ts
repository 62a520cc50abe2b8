import fc from 'fast-check'
import t from 'tap'
import { readEnvelope } from '../../../src/interfaces/soap/envelope.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { type Answer, envelope, escaped, fiscalNamespace, hashOf, openSoapFixture, userNamespace } from './fixture.ts'

/** Whatever is sent, the answer is a result or a fault with words for people, and the next call is served. */
const fixture = await openSoapFixture(t)
const hash_key = await fixture.staff('root')
const nobody = () => Promise.reject(new Error('No body is larger than a stranger may send.'))
const payer = await fixture.subscriber('000042', 'Иванов Иван')

const pieces = [
  ...[
    '<',
    '>',
    '</',
    '/>',
    '<!',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<?',
    '?>',
    '&',
    ';',
    '&amp;',
    '&#x',
    '&#0;',
    '"',
    "'",
    '=',
  ],
  ...[
    '<!DOCTYPE x [',
    '<!ENTITY a "b">',
    ']>',
    '&a;',
    'xmlns',
    'xmlns:__proto__="x"',
    '__proto__:',
    'constructor',
    'xml:',
    ':',
  ],
  ...['\0', '\ud800', '\ufffe', '\u2028', '😀', 'ы', ' ', '\r\n', '\t', '%s', '../', '0', '-1', '1e999', 'NaN', ';;;;'],
  ...['Envelope', 'Body', 'Header', 'pay_usr_act2', 'hash_key', 'ACT', 'CHECK', 'mustUnderstand="1"', 'xsi:nil="true"'],
]

const valid = fc.constantFrom(
  envelope('get_user_hash', userNamespace, { username: 'root', hash: hashOf('x') }),
  envelope('pay_usr_act2', fiscalNamespace, { hash_key, ACT: 'CHECK', CONTRACT_NUMBER: '42', PAY_OPERATOR: 'x' }),
  envelope('pay_usr_act_import', fiscalNamespace, { hash_key, ACT_LIST: 'x;1;1\n;;;;\n', PAY_OPERATOR: 'x' }),
)

/** A valid message with some places replaced, cut out or doubled. */
const mutated = fc
  .tuple(
    valid,
    fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(30), fc.constantFrom('', ...pieces)), {
      minLength: 1,
      maxLength: 6,
    }),
  )
  .map(([text, changes]) =>
    changes.reduce((now, [at, length, piece]) => {
      const from = Math.floor(at * now.length)
      return now.slice(0, from) + piece + now.slice(from + length)
    }, text),
  )

const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((words) => words.join(''))
const name = fc.constantFrom(
  'hash_key',
  'ACT',
  'CONTRACT_NUMBER',
  'SUM_IN',
  'PAY_OPERATOR',
  'PAY_ID_STR',
  'x',
  'param0',
  'constructor',
)
const value = fc.oneof(
  fc.constantFrom(hash_key, 'PAY', 'CHECK', '42', '1', '0.001', 'x'),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
)

/** Well-formed, with any values in any parameters, more than once perhaps. */
const calls = fc
  .tuple(
    fc.constantFrom('get_user_hash', 'pay_usr_act2', 'pay_usr_act_import', 'toString', '__proto__'),
    fc.array(fc.tuple(name, value), { maxLength: 10 }),
  )
  .map(([operation, children]) => {
    const inside = children.map(([child, text]) => `<${child}>${escaped(text)}</${child}>`).join('')
    return envelope(operation, fiscalNamespace, {}).replace('></op:', `>${inside}</op:`)
  })

const contentTypes = fc.constantFrom(
  ...[
    'text/xml',
    'text/xml; charset=utf-8',
    'text/xml; charset=windows-1251',
    'text/xml; charset=utf-16',
    'text/xml; charset=;',
  ],
  ...['application/soap+xml', 'text/plain', 'multipart/related; boundary=x', 'application/json'],
)

function isWell({ status, text, code, reason, result }: Answer): boolean {
  if (/^\s+at |\.ts\b|node_modules|undefined|\[object/m.test(text)) return false
  return status === 200
    ? result !== null
    : [403, 413, 500].includes(status) && !!code && !/^Server$/.test(code) && !!reason
}

t.test('no body breaks the doors', async (t) => {
  const body = fc.oneof(
    mutated.map((text) => Buffer.from(text)),
    soup.map((text) => Buffer.from(text)),
    calls.map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  )
  const path = fc.constantFrom('/api/', '/api/fiscal/', '/api/1c')
  await fc.assert(
    fc.asyncProperty(path, body, contentTypes, async (where, bytes, contentType) => {
      const answer = await fixture.post(where, bytes, { 'Content-Type': contentType })
      if (!isWell(answer)) throw new Error(JSON.stringify(answer))
    }),
    { numRuns: 500 },
  )
  t.equal(fixture.lines.filter(({ level }) => level === 'error').length, 0, 'and none is an error of ours')
  const check = { hash_key, ACT: 'CHECK', CONTRACT_NUMBER: '42', PAY_OPERATOR: 'x' }
  t.match(await fixture.act(check), { status: 200 })
})

t.test('the reader answers every text', async () => {
  const text = fc.oneof(mutated, soup, calls, fc.string({ unit: anyCharacter, maxLength: 300 }))
  const read = (said: string) => readEnvelope(Buffer.from(said), new TextDecoder('utf-8', { fatal: true }), nobody)
  await fc.assert(
    fc.asyncProperty(text, async (said) => ['call', 'fault'].includes((await read(said)).kind)),
    { numRuns: 5_000 },
  )
})

t.test('only what was answered with OK has moved money', async (t) => {
  const payments = await fixture.rows('SELECT op_summa FROM finance_operations')
  const sum = payments.reduce((total, { op_summa }) => total + BigInt(op_summa), 0n)
  t.equal(await fixture.balance(payer.account), String(sum))
})
