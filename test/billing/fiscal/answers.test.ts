import fc from 'fast-check'
import t from 'tap'
import { readReport, readSend, readToken } from '../../../src/billing/fiscal/answers.ts'

const uuid = '2ea26f17-0884-4f08-b120-306fc096a58f'
const error = (code: number, text = 'words') => ({ error: { error_id: 'e', code, text, type: 'system' } })

t.test('what the receiver answers to a receipt that was sent', async (t) => {
  const cases: [number, unknown, string][] = [
    [200, { uuid, status: 'wait', error: null }, 'accepted'],
    [400, { uuid, status: 'wait', ...error(33) }, 'accepted'],
    [400, { status: 'wait', ...error(33) }, 'failed'],
    [400, { uuid, ...error(32) }, 'refused'],
    [400, { uuid: null, status: 'fail', ...error(32) }, 'refused'],
    [415, error(41), 'refused'],
    [401, error(11), 'unauthorized'],
    [401, error(10), 'unauthorized'],
    [401, null, 'unauthorized'],
    [401, error(12), 'failed'],
    [401, error(20), 'failed'],
    [403, error(14), 'failed'],
    [404, null, 'failed'],
    [404, error(40), 'failed'],
    [429, error(0), 'failed'],
    [500, error(50), 'failed'],
    [502, null, 'failed'],
    [503, { uuid, error: null }, 'failed'],
    [200, {}, 'failed'],
    [200, { uuid: '', error: null }, 'failed'],
    [200, { uuid: '../x', error: null }, 'failed'],
    [200, { uuid: 5, error: null }, 'failed'],
    [200, [], 'failed'],
  ]
  for (const [status, body, kind] of cases)
    t.equal(readSend({ status, body }).kind, kind, `${status} ${JSON.stringify(body)}`)
  t.match(readSend({ status: 400, body: error(32, 'Ошибочные поля : inn') }), { error: 'Ошибочные поля : inn (32)' })
})

t.test('what the receiver reports about a receipt', async (t) => {
  const cases: [number, unknown, string][] = [
    [200, { uuid, status: 'done', error: null, payload: { fn_number: '1' }, external_id: '45-1' }, 'done'],
    [200, { uuid, status: 'done', error: null, payload: { fn_number: '1' } }, 'done'],
    [200, { uuid, status: 'done', error: null, payload: null }, 'failed'],
    [200, { uuid, status: 'done', error: null, payload: {}, external_id: '46-1' }, 'failed'],
    [200, { uuid, status: 'wait', error: null, payload: null }, 'waiting'],
    [200, { status: 'wait', ...error(34) }, 'waiting'],
    [400, { status: 'fail', ...error(30) }, 'unknown'],
    [200, { uuid, status: 'fail', ...error(1, 'Превышено время ожидания') }, 'refused'],
    [200, { uuid, status: 'fail', error: null }, 'failed'],
    [401, error(11), 'unauthorized'],
    [500, { status: 'fail', ...error(50) }, 'failed'],
    [400, error(40), 'failed'],
    [200, 'done', 'failed'],
  ]
  for (const [status, body, kind] of cases)
    t.equal(readReport({ status, body }, '45-1').kind, kind, `${status} ${JSON.stringify(body)}`)
})

t.test('a token has to be a text', async (t) => {
  t.same(readToken({ status: 200, body: { token: 'x' } }), { kind: 'token', token: 'x' })
  for (const token of ['', 5, null, 'x'.repeat(5000)])
    t.equal(readToken({ status: 200, body: { token } }).kind, 'failed', typeof token)
  t.match(readToken({ status: 401, body: error(12, 'Неверный логин или пароль') }), { error: /Неверный логин/ })
})

t.test('any answer is read as one of the kinds', async () => {
  const word = fc.constantFrom(
    'uuid',
    'error',
    'status',
    'code',
    'text',
    'payload',
    'external_id',
    'token',
    'done',
    'wait',
  )
  const anything = fc.oneof(fc.jsonValue(), fc.dictionary(word, fc.oneof(word, fc.jsonValue()), { maxKeys: 6 }))
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 599 }), anything, (status, body) => {
      const send = readSend({ status, body }).kind
      const report = readReport({ status, body }, '45-1').kind
      const token = readToken({ status, body }).kind
      return (
        ['accepted', 'refused', 'failed', 'unauthorized'].includes(send) &&
        ['done', 'waiting', 'refused', 'unknown', 'failed', 'unauthorized'].includes(report) &&
        ['token', 'failed'].includes(token)
      )
    }),
    { numRuns: 2000 },
  )
})
