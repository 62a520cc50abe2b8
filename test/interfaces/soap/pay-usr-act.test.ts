import t from 'tap'
import type { AccountCommand } from '../../../src/billing/accounts/messages.ts'
import { systemAuthor } from '../../../src/domain/author.ts'
import { accountId, subscriberId } from '../../../src/domain/ids.ts'
import { rubles } from '../../../src/domain/money.ts'
import { enteredKeys } from '../../../src/domain/money-keys.ts'
import { openSoapFixture } from './fixture.ts'

const fixture = await openSoapFixture(t)
await fixture.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
const hash_key = await fixture.staff('sber', 'cashier', [1, 2])
const sidorov = await fixture.subscriber('000123', 'Сидоров Иван Петрович')
const ruble = 10_000_000_000

const check = (contract: string, over = {}) =>
  fixture.act({ hash_key, ACT: 'CHECK', CONTRACT_NUMBER: contract, SUM_IN: '', PAY_OPERATOR: 'Sber', ...over })
const pay = (contract: string, sum: string, id = '', over = {}) =>
  fixture.act({
    ...{ hash_key, ACT: 'PAY', CONTRACT_NUMBER: contract, SUM_IN: sum, PAY_OPERATOR: 'Sber', PAY_ID_STR: id },
    ...over,
  })

t.test('CHECK shows the contract, half of the name and the balance', async (t) => {
  const found = await check('000123')
  t.match(found, { status: 200, result: 'OK;000123;Сидоров И***;0.00' })
  t.equal((await check('123')).result, found.result, 'without leading zeros')
  t.equal((await check('00000123')).result, found.result, 'with too many')
  t.equal((await check('000123', { SUM_IN: '10,5' })).result, found.result)
  t.equal((await check('000123', { SUM_IN: '0' })).result, found.result)
  t.match(await check('124'), { status: 500, code: 'Client.UnknownContract', reason: /124/ })
  await fixture.subscriber('0500', 'ООО; Рога\nи копыта')
  await fixture.subscriber('00500', 'Иванов')
  t.match(await check('500'), { code: 'Client.UnknownContract' }, 'two could be meant')
  t.equal((await check('0500')).result, 'OK;0500;ООО Р***;0.00', 'nothing of a name breaks the fields')
  t.equal((await check('00500')).result, 'OK;00500;И***;0.00', 'a single word is hidden too')
  await fixture.subscriber('501', 'ООО «Ромашка»')
  t.equal((await check('501')).result, 'OK;501;ООО Р***;0.00')
})

t.test('PAY credits once for an operator and its id, and repeats the first answer', async (t) => {
  const first = await pay('000123', '150,50', 'A-1', { COMMENT_IN: 'касса №5 <&>' })
  t.match(first, { status: 200, result: /^OK;\d+;150\.50$/ })
  t.equal((await pay('123', '49.50', 'A-2')).result?.split(';')[2], '200.00')
  // Two desks may be quicker than the clock.
  await fixture.rows('UPDATE finance_operations SET system_date = (SELECT min(system_date) FROM finance_operations)')
  t.equal((await pay('000123', '150.5', 'A-1')).result, first.result, 'the balance of then')
  t.match(await pay('000123', '150.51', 'A-1'), { status: 500, code: 'Client.PayIdTaken', reason: /another sum/ })
  t.match(await pay('0500', '150.50', 'A-1'), { code: 'Client.PayIdTaken', reason: /another contract/ })
  t.match(await pay('000123', '150.50', 'A-1', { PAY_OPERATOR: 'Qiwi' }), { result: /^OK;\d+;350\.50$/ })
  t.match(await pay('000123', '1', ''), { result: /;351\.50$/ })
  t.match(await pay('000123', '1', ''), { result: /;352\.50$/ }, 'without an id there is no repeat')
  t.equal(await fixture.balance(sidorov.account), String(352.5 * ruble))
  const [operation] = await fixture.rows(
    `SELECT op.*, staff.username FROM finance_operations AS op JOIN staff ON staff.id = owner_id WHERE op_id = $1`,
    [first.result!.split(';')[1]],
  )
  t.match(operation, {
    op_type_id: '40',
    op_summa: String(150.5 * ruble),
    abonent_id: String(sidorov.id),
    operator_name: 'Sber',
    operator_pay_id_str: 'A-1',
    descr: 'касса №5 <&>',
    username: 'sber',
  })
})

t.test('a payment that ends a promise shows the balance without it, the second time too', async (t) => {
  const olga = await fixture.subscriber('P5', 'Обещанная Ольга')
  const promise: AccountCommand = {
    kind: 'activatePromise',
    path: 'prepay',
    subscriberId: subscriberId(olga.id),
    limit: rubles(100),
    until: new Date(Date.now() + 5 * 86_400_000),
  }
  const made = await fixture.accounts.ask(accountId(olga.account), promise, systemAuthor('test'))
  t.match(made, { kind: 'done', account: { balance: rubles(100) } })
  const first = await pay('P5', '500', 'promise')
  t.match(first, { result: /^OK;\d+;500\.00$/ })
  t.equal((await fixture.rows('SELECT FROM finance_operations WHERE abonent_id = $1', [olga.id])).length, 3)
  t.equal((await pay('P5', '500', 'promise')).result, first.result)
  t.match(await pay('P5', '10', 'next'), { result: /;510\.00$/ })
  t.equal((await pay('P5', '500', 'promise')).result, first.result)
})

t.test('a deleted operation or a subscriber who left does not make a repeat a new payment', async (t) => {
  const anna = await fixture.subscriber('A77', 'Аннина Анна')
  const first = await pay('A77', '100', 'gone')
  await pay('A77', '5', 'later')
  const id = first.result!.split(';')[1]
  await fixture.rows('DELETE FROM finance_operations WHERE op_id = $1', [id])
  t.match(await pay('A77', '100', 'gone'), { result: new RegExp(`^OK;${id};`) })
  t.match(await pay('A77', '101', 'gone'), { code: 'Client.PayIdTaken' })
  await fixture.rows('UPDATE abonents SET deleted = true WHERE id = $1', [anna.id])
  t.match(await pay('A77', '5', 'later'), { result: /^OK;\d+;105\.00$/ })
  t.match(await pay('A77', '5', 'another'), { code: 'Client.UnknownContract' })
  t.equal(await fixture.balance(anna.account), String(105 * ruble))
})

t.test('what staff enter stops no payment of a cash desk, but the same receipt is not taken twice', async (t) => {
  const [petr, thief] = [await fixture.subscriber('000777', 'Петров'), await fixture.subscriber('000778', 'Ловкачев')]
  const enter = (to: typeof petr, payId: string) => {
    const names = { operatorName: 'Sber', operatorPayId: payId }
    const receipt: AccountCommand = {
      kind: 'post',
      typeId: 7,
      sign: 1,
      amount: rubles(100),
      subscriberId: subscriberId(to.id),
      movedAt: null,
      description: '',
      details: names,
      keys: enteredKeys(accountId(to.account), rubles(100), names),
    }
    return fixture.accounts.ask(accountId(to.account), receipt, systemAuthor('cashier'))
  }
  t.match(await enter(thief, 'next-1'), { kind: 'done' })
  t.match(await pay('000777', '100', 'next-1'), { result: /^OK;\d+;100\.00$/ }, 'taken for somebody else before')
  t.match(await enter(petr, 'late-1'), { kind: 'done' })
  t.match(
    await pay('000777', '100', 'late-1'),
    { result: /^OK;\d+;200\.00$/ },
    'entered by hand while the desk was away',
  )
  t.match(await pay('000777', '100', 'next-1'), { result: /^OK;\d+;100\.00$/ }, 'a repeat')
  t.match(
    await pay('000778', '100', 'next-1'),
    { code: 'Client.PayIdTaken', reason: /another contract/ },
    'what the desk itself has said comes before what staff entered under the same id',
  )
  t.equal(await fixture.balance(petr.account), String(200 * ruble))
})

t.test('what cannot be paid is a fault with a code and a text', async (t) => {
  for (const sum of ['0', '-1', '0,00', '1.234', '1e3', '1 000', 'сто', '1,000.50', '99999999999999999999', '∞'])
    t.match(await pay('000123', sum, 'bad'), { status: 500, code: 'Client.BadSum' }, sum)
  t.match(await pay('000123', '922337203.00', 'bad'), { code: 'Client.BadSum', reason: /beyond/ })
  t.match(await pay('000123', '', 'bad'), { code: 'Client.MissingParameter', reason: /SUM_IN/ })
  t.match(await check('000123', { SUM_IN: 'x' }), { code: 'Client.BadSum' })
  t.match(await pay('', '1'), { code: 'Client.MissingParameter', reason: /CONTRACT_NUMBER/ })
  t.match(await pay('000123', '1', '', { PAY_OPERATOR: ' ' }), { code: 'Client.MissingParameter' })
  t.match(await pay('000123', '1', '', { ACT: 'REFUND' }), { code: 'Client.BadAct' })
  t.match(await pay('000123', '1', 'x'.repeat(256)), { code: 'Client.BadParameter' })
  t.equal((await fixture.rows(`SELECT FROM money_keys WHERE key LIKE '%:Sber:bad'`)).length, 0)
  t.match(await pay('000123', '1.5000', 'zeros'), { result: /^OK;/ }, 'zeros beyond the kopeck are nothing')
})

t.test('contracts of another organization are not found', async (t) => {
  await fixture.rows(`INSERT INTO organizations (id, name) VALUES (3, 'South')`)
  await fixture.subscriber('S1', 'Южный Олег', 3)
  await fixture.subscriber('N1', 'Северный Олег', 2)
  t.match(await check('S1'), { code: 'Client.UnknownContract' })
  t.match(await pay('S1', '1', 'south'), { code: 'Client.UnknownContract' })
  t.match(await check('N1'), { result: 'OK;N1;Северный О***;0.00' })
})
