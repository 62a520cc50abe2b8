import t from 'tap'
import { readActLine, readDay, splitActList } from '../../../src/interfaces/soap/act-list.ts'
import { openSoapFixture } from './fixture.ts'

const fixture = await openSoapFixture(t)
const hash_key = await fixture.staff('bank', 'integration')
const ivan = await fixture.subscriber('000001', 'Иванов Иван')
const petr = await fixture.subscriber('77', 'Петров Пётр')
const send = (lines: readonly string[], end = '\n') =>
  fixture.import({ hash_key, ACT_LIST: lines.join(end), PAY_OPERATOR: 'Банк' })
const ruble = 10_000_000_000

t.test('each line is a payment; faults name their line', async (t) => {
  const lines = [
    '000001;100,50;b-1;2026-01-05;за январь; вторая часть',
    '',
    '77;200;b-2;06.02.2026;',
    '1;10.00;b-3;;',
    '1;1;b-4',
    'nobody;5;b-5;2026-01-05;x',
    '1;0;b-6;2026-01-05;x',
    '1;5;;2026-01-05;x',
    '1;5;b-7;31.02.2026;x',
    'rubbish',
    '77;201;b-2;06.02.2026;other sum',
    '1;200;b-2;;other contract',
    '77;200,00;b-2;;again',
  ]
  const first = await send(lines, '\r\n')
  t.match(first, { status: 200 })
  t.same(first.result?.split('\n'), [
    'OK;4;1;7',
    '6;UnknownContract;There is no contract nobody.',
    '7;BadSum;SUM is rubles above zero with at most two places after a comma or a point.',
    '8;MissingParameter;PAY_ID_STR is empty.',
    '9;BadDate;DATE is YYYY-MM-DD or DD.MM.YYYY.',
    '10;BadParameter;A line is CONTRACT;SUM;PAY_ID_STR;DATE;COMMENT.',
    '11;PayIdTaken;This PAY_ID_STR was taken before with another sum.',
    '12;PayIdTaken;This PAY_ID_STR was taken before for another contract.',
  ])
  t.equal((await send(lines)).result?.split('\n')[0], 'OK;0;5;7', 'the same list again credits nothing')
  t.equal(await fixture.balance(ivan.account), String(111.5 * ruble))
  t.equal(await fixture.balance(petr.account), String(200 * ruble))
  const operations = await fixture.rows(
    `SELECT operator_pay_id_str AS id, op_date, descr, op_type_id, operator_name FROM finance_operations ORDER BY op_id`,
  )
  const of = (id: string) => operations.find((operation) => operation.id === id)
  t.match(of('b-1'), { descr: 'за январь; вторая часть', op_type_id: '40', operator_name: 'Банк' })
  t.equal(of('b-1').op_date.toISOString(), '2026-01-04T21:00:00.000Z', 'the day begins in Moscow')
  t.equal(of('b-2').op_date.toISOString(), '2026-02-05T21:00:00.000Z')
  t.ok(Date.now() - of('b-3').op_date.getTime() < 600_000, 'without a date it is now')
  t.match(of('b-4'), { descr: 'Оплата: Банк' })
})

t.test('an unusual date needs its right, and what was taken before is known all the same', async (t) => {
  const desk = await fixture.staff('desk', 'cashier', [1])
  const tomorrow = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)
  const lines = ['77;1;d-1;2001-01-01', `77;1;d-2;${tomorrow}`, '77;1;d-3;', '77;200;b-2;06.02.2026']
  const ofDesk = () => fixture.import({ hash_key: desk, ACT_LIST: lines.join('\n'), PAY_OPERATOR: 'Банк' })
  const refused = 'DateNotAllowed;A date in the future needs the right "money_dates".'
  const before = BigInt(await fixture.balance(petr.account))
  t.same((await ofDesk()).result?.split('\n'), ['OK;2;1;1', `2;${refused}`])
  t.equal(BigInt(await fixture.balance(petr.account)) - before, BigInt(2 * ruble))
  t.match(await send(lines), { result: 'OK;1;3;0' }, 'who has the right')
  t.match(await ofDesk(), { result: 'OK;0;4;0' })
})

t.test('an id of PAY is known to an import', async (t) => {
  await fixture.act({
    ...{ hash_key, ACT: 'PAY', CONTRACT_NUMBER: '77', SUM_IN: '5', PAY_OPERATOR: 'Банк', PAY_ID_STR: 'both' },
  })
  t.equal((await send(['77;5,00;both;;'])).result, 'OK;0;1;0')
})

t.test('a list of hundreds is imported once, whoever else sends it at the same time', async (t) => {
  const before = BigInt(await fixture.balance(ivan.account))
  const lines = Array.from({ length: 400 }, (_, n) => `${n % 2 === 0 ? '000001' : '77'};1;many-${n};2026-03-01;${n}`)
  const answers = await Promise.all([send(lines), send(lines), send([...lines].reverse())])
  const counts = answers.map(({ result }) => result!.split(';').slice(1).map(Number))
  t.equal(
    counts.reduce((sum, [imported = 0]) => sum + imported, 0),
    400,
  )
  t.ok(counts.every(([imported = 0, duplicates = 0, errors]) => imported + duplicates === 400 && errors === 0))
  t.equal(BigInt(await fixture.balance(ivan.account)) - before, BigInt(200 * ruble))
})

t.test('lines and lists have their limits', async (t) => {
  const text = `${'1;1;x\n'.repeat(10_001)}`
  t.match(await fixture.import({ hash_key, ACT_LIST: text, PAY_OPERATOR: 'Банк' }), { code: 'Client.TooManyLines' })
  t.match(await fixture.import({ hash_key, ACT_LIST: ' \n', PAY_OPERATOR: 'Банк' }), {
    code: 'Client.MissingParameter',
  })
  t.match(await send([`1;1;${'x'.repeat(256)}`]), { result: /^OK;0;0;1\n1;BadParameter/ })
  const huge = await fixture.import({ hash_key, ACT_LIST: 'x'.repeat(1_100_000), PAY_OPERATOR: 'Банк' })
  t.match(huge, { status: 413, code: 'Client.TooLarge' })
})

t.test('days that are none are refused', async (t) => {
  for (const text of [
    '2026-13-01',
    '2026-02-29',
    '30.02.2028',
    '1.1.2026',
    '2026-1-1',
    '20260101',
    '01/02/2026',
    'x',
    '0000-00-00',
  ])
    t.equal(readDay(text), null, text)
  t.equal(readDay('29.02.2028'), '2028-02-29')
  t.same(splitActList('\r\n 1;1;2'), [{ number: 2, text: '1;1;2' }])
  t.match(readActLine('1;1;2', 'x', 'Europe/Moscow'), { contract: '1', payId: '2', movedAt: null })
})
