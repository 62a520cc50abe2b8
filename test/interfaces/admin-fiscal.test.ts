import t from 'tap'
import { refundReceipts } from '../../src/billing/fiscal/refund-receipts.ts'
import { systemAuthor } from '../../src/domain/author.ts'
import { accountId, operationId } from '../../src/domain/ids.ts'
import { FiscalReceiver, fault, fiscalConfig, mischief } from '../support/fiscal-receiver.ts'
import { type Json, openOffice } from './admin-office.ts'
import { untilAnswer } from '../support/until.ts'

const receiver = await new FiscalReceiver().start()
t.teardown(() => receiver.stop())
/** Waits of milliseconds, so that every retry comes during the test. */
const waits = { firstMs: 5, maxMs: 40, reportFirstMs: 5, reportMaxMs: 20 }
const office = await openOffice(t, { waits: { fiscal: { timeoutMs: 300, waits } } })
office.fiscal.start()
const root = await office.staff('root')
await office.rows(`INSERT INTO organizations (id, name) VALUES (2, 'North')`)
const ruble = 10_000_000_000

const made = async (path: string, body: object): Promise<Json> => {
  const { status, body: record } = await root.post(path, body)
  if (status !== 200 && status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(record)}`)
  return record
}
const config = { ...fiscalConfig, url: receiver.url, vat: 'vat22' }
const client = await made('/rest_api/v2/Abonents/', { name: 'Иван', contract_number: '0001', sms: '8 (900) 123-45-67' })
const post = async (body: object = {}): Promise<number> => {
  const account = { account: client.account, abonent: client.id }
  return (await made('/rest_api/v2/FinanceOperations/', { ...account, op_type: 7, op_summa: 150 * ruble, ...body }))
    .op_id
}
const fiscalize = (id: number, body: object = { confirm: true }) =>
  root.post(`/admin/Abonents/finops_fiscalize/${id}/`, body)
const retry = (id: number, body: object = {}) => root.post(`/admin/Abonents/finops_fiscal_retry/${id}/`, body)
const shown = async (id: number): Promise<Json> =>
  (await root.get(`/admin/Abonents/finops_fiscal_queue/?op_id=${id}`)).body.items[0]
const kkm = async (id: number): Promise<Json> =>
  (
    await office.rows(
      `SELECT kkm_printed, kkm_storno, kkm_check_id, kkm_check_retry_num, atol_config_id::int FROM finance_operations WHERE op_id = $1`,
      [id],
    )
  )[0]
const comesTo = (id: number, state: string): Promise<Json> =>
  untilAnswer(
    () => shown(id),
    (receipt) => receipt?.state === state,
  )
const sentOf = (id: number) => receiver.receipts.filter(({ externalId }) => externalId.startsWith(`${id}-`))

t.test('without a configuration nothing can be printed', async (t) => {
  t.match(await fiscalize(await post()), { status: 400, body: { error: /no enabled fiscal configuration/ } })
})

let main = 0

t.test('credentials are sealed and never shown; the first of an organization is its default one', async (t) => {
  main = (await made('/admin/dictionary/fiscal_configs_crud/', config)).id
  const { body } = await root.get(`/admin/dictionary/fiscal_configs_crud/${main}/`)
  t.match(body, { ok: true, is_default: true, organization: 1, vat: 'vat22', payment_method: 'full_prepayment' })
  t.notOk('password' in body)
  t.match((await office.rows('SELECT password FROM fiscal_configs'))[0].password, /^sealed2:/)
  const other = await made('/admin/dictionary/fiscal_configs_crud/', { ...config, name: 'Second' })
  t.equal(other.is_default, false)
  t.match(await root.post(`/admin/dictionary/fiscal_configs_crud/${other.id}/`, { is_default: true }), { status: 200 })
  t.match((await root.get(`/admin/dictionary/fiscal_configs_crud/${main}/`)).body, { is_default: false })
  await root.post(`/admin/dictionary/fiscal_configs_crud/${main}/`, { is_default: true })
  t.equal((await root.delete(`/admin/dictionary/fiscal_configs_crud/${other.id}/`)).status, 200)
  for (const wrong of [{ url: 'http://cash.example' }, { inn: '77' }, { vat: 'vat18' }, { tax_system: '' }])
    t.equal((await root.post('/admin/dictionary/fiscal_configs_crud/', { ...config, ...wrong })).status, 400)
  const operator = await office.staff('operator', 'operator', [1])
  t.equal((await operator.get('/admin/dictionary/fiscal_configs_crud/')).status, 403)
})

t.test('what would be sent is shown first, and a confirmed one is printed once', async (t) => {
  const id = await post({ op_summa: 1_234_560_000_000, is_cash: true })
  const preview = await fiscalize(id, {})
  t.match(preview, {
    status: 400,
    body: {
      ok: false,
      needs_confirmation: true,
      receipt: {
        op_id: id,
        direction: 'sell',
        amount: '123.46',
        contact: '+79001234567',
        config: { id: main, name: 'Main registers' },
        request: {
          receipt: { total: 123.46, payments: [{ type: 0 }], items: [{ vat: { type: 'vat22', sum: 22.26 } }] },
        },
      },
    },
  })
  for (const confirm of [false, 0, 'no', null]) t.equal((await fiscalize(id, { confirm })).status, 400)
  t.equal(sentOf(id).length, 0, 'and nothing is sent')
  t.equal(await shown(id), undefined)

  const [one, other] = await Promise.all([fiscalize(id, { confirm: 1 }), fiscalize(id)])
  t.same([one.status, other.status].sort(), [200, 400], 'two who confirm at once queue one')
  const receipt = await comesTo(id, 'done')
  t.match(receipt, { attempts: 1, error: null, next_try: null, staff: 'root', result: { fiscal_document_number: 133 } })
  t.equal(sentOf(id).length, 1)
  t.match(sentOf(id)[0], { direction: 'sell', group: 'isp_main', text: /"total":123\.46/ })
  t.same(await kkm(id), {
    kkm_printed: true,
    kkm_storno: false,
    kkm_check_id: receipt.uuid,
    kkm_check_retry_num: 1,
    atol_config_id: main,
  })
  t.match(await fiscalize(id), { status: 400, body: { error: /printed before/ } })
  t.match(await retry(id), { status: 400, body: { error: /printed before/ } })
  t.match(
    await office.rows(
      `SELECT user_name, diff FROM audit_operations WHERE table_name = 'FINANCE_OPERATIONS' AND action = 'fiscalize' AND object_id = $1`,
      [id],
    ),
    [{ user_name: 'root', diff: { receipt: [null, 'sell'], amount: [null, '123.46'], atol_config: [null, main] } }],
  )
})

t.test('what is no receipt of money is refused in words', async (t) => {
  const cases: [object, RegExp][] = [
    [{ op_type: 9 }, /receipt of money/],
    [{ op_type: 31 }, /receipt of money/],
    [{ isbuhdoc: false }, /isbuhdoc/],
    [{ op_summa: 1_000 }, /kopeck/],
  ]
  for (const [body, words] of cases) t.match(await fiscalize(await post(body)), { status: 400, body: { error: words } })
  t.equal((await fiscalize(987_654)).status, 404)
  t.equal((await fiscalize(await post(), { confirm: true, config_id: 987_654 })).status, 400)
  const mute = await made('/rest_api/v2/Abonents/', { name: 'Немой', contract_number: '0002' })
  const id = await post({ account: mute.account, abonent: mute.id })
  t.match(await fiscalize(id), { status: 400, body: { error: /neither an e-mail/ } })
  await root.put(`/rest_api/v2/Abonents/${mute.id}/`, { email: 'mute@example.org' })
  t.match((await fiscalize(id, {})).body, { needs_confirmation: true, receipt: { contact: 'mute@example.org' } })
  const cashier = await office.staff('cashier', 'cashier', [1])
  t.equal((await cashier.post(`/admin/Abonents/finops_fiscalize/${id}/`)).body.needs_confirmation, true)
  const viewer = await office.staff('viewer', 'viewer', [1])
  t.equal((await viewer.post(`/admin/Abonents/finops_fiscalize/${id}/`, { confirm: true })).status, 403)
})

t.test('whatever goes wrong on the way, a receipt is printed in the end, and once', async (t) => {
  const unwell = Object.entries(mischief)
  for (const [name, deed] of unwell) {
    const id = await post()
    receiver.misbehave('sell', deed)
    t.equal((await fiscalize(id)).status, 200, name)
    const receipt = await comesTo(id, 'done')
    t.equal(receipt.attempts, 2, `${name}: counted`)
    t.equal((await kkm(id)).kkm_check_retry_num, 2, `${name}: and kept with the operation`)
    t.equal(sentOf(id).length, 1, `${name}: printed once`)
  }
  for (const [name, deed] of unwell) {
    if (name === 'takenUnheard') continue
    const id = await post()
    receiver.misbehave('report', deed)
    await fiscalize(id)
    const receipt = await comesTo(id, 'done')
    t.equal(receipt.attempts, 1, `${name} of a report: not sent again`)
    t.equal(sentOf(id).length, 1)
  }
})

t.test('a token that has ended is replaced at once', async (t) => {
  const id = await post()
  receiver.token = 'token-2'
  const tokens = receiver.count('getToken')
  await fiscalize(id)
  t.equal((await comesTo(id, 'done')).attempts, 1)
  t.equal(receiver.count('getToken'), tokens + 1)
  receiver.token = 'token-3'
  receiver.misbehave('getToken', mischief.serverError, mischief.silence)
  const other = await post()
  await fiscalize(other)
  await comesTo(other, 'done')
  t.equal(sentOf(other).length, 1)
})

t.test('wrong credentials wait for an operator, and the reason is shown', async (t) => {
  await root.post(`/admin/dictionary/fiscal_configs_crud/${main}/`, { password: 'wrong' })
  const id = await post()
  await fiscalize(id)
  let receipt = await shown(id)
  while (receipt.error === null) receipt = await shown(id)
  t.match(receipt, { state: 'waiting', error: /Неверный логин или пароль \(12\)/, next_try: String })
  t.notMatch(JSON.stringify(receipt), /wrong|secret/)
  await root.post(`/admin/dictionary/fiscal_configs_crud/${main}/`, { password: 'secret', enabled: false })
  while (!/switched off/.test(receipt.error ?? '')) receipt = await shown(id)
  await root.post(`/admin/dictionary/fiscal_configs_crud/${main}/`, { enabled: true })
  t.equal((await retry(id)).status, 200)
  await comesTo(id, 'done')
})

t.test('a report that is not ready is asked for again', async (t) => {
  const id = await post()
  receiver.misbehave('report', (response) => fault(response, 200, 34, 'Состояние чека не найдено. Попробуйте позднее'))
  const reports = receiver.count('report')
  await fiscalize(id)
  await comesTo(id, 'done')
  t.equal(receiver.count('report'), reports + 2)
})

t.test('a receipt the receiver has lost is sent again under its name', async (t) => {
  const id = await post()
  receiver.misbehave('report', (response) => fault(response, 400, 30, 'Передан некорректный UUID'))
  await fiscalize(id)
  t.equal((await comesTo(id, 'done')).attempts, 2)
  t.equal(sentOf(id).length, 1)
})

t.test('a report about another receipt is not believed', async (t) => {
  const id = await post()
  receiver.misbehave('report', (response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end(
      JSON.stringify({
        uuid: 'x',
        external_id: '1-1',
        status: 'done',
        error: null,
        payload: { fn_number: 'stranger' },
      }),
    )
  })
  await fiscalize(id)
  t.match((await comesTo(id, 'done')).result, { fn_number: '1110000100238211' })
})

t.test('a final refusal is shown, and can be mended and tried under another name', async (t) => {
  const id = await post()
  receiver.misbehave('sell', (response) =>
    // What no column can hold does not keep the refusal from being stored.
    fault(response, 400, 32, '\u0000Ошибка валидации входного чека. Ошибочные поля : inn\ud800'),
  )
  await fiscalize(id)
  t.match(await comesTo(id, 'refused'), { error: /^\ufffd.*Ошибочные поля : inn\ufffd \(32\)/, next_try: null })
  t.match((await root.get('/admin/Abonents/finops_fiscal_queue/?state=refused')).body.items, [{ op_id: id }])
  t.match(
    (await root.get('/admin/Abonents/finops_fiscal_queue/')).body.items,
    [{ op_id: id }],
    'what is done is left out',
  )
  t.equal((await root.get('/admin/Abonents/finops_fiscal_queue/?state=lost')).status, 400)
  t.equal((await kkm(id)).kkm_printed, false)
  t.match(await fiscalize(id), { status: 400, body: { error: /in the queue/ } })
  t.match(await retry(id), { status: 200, body: { ok: true, receipt: { op_id: id, external_id: /-1$/ } } })
  await comesTo(id, 'done')

  const late = await post()
  receiver.misbehave('sell', (_, honest) => {
    honest()
    receiver.states.set(receiver.receipts.at(-1)!.uuid, {
      status: 'fail',
      error: { code: 1, text: 'Превышено время ожидания чека в очереди.', type: 'timeout' },
    })
  })
  await fiscalize(late)
  t.match(await comesTo(late, 'refused'), { error: /время ожидания/ })
  await retry(late)
  t.equal((await comesTo(late, 'done')).external_id.split('-').length, 3)
  t.equal((await kkm(late)).kkm_printed, true)
})

t.test('the receipt of a reversed operation is given back, once', async (t) => {
  const storno = async (id: number): Promise<number> => {
    const command = { kind: 'reverse', operationId: operationId(id) } as const
    const outcome = await office.accounts.ask(accountId(client.account), command, systemAuthor('test'))
    if (outcome.kind !== 'done' || !outcome.operation) throw new Error(JSON.stringify(outcome.kind))
    return outcome.operation.id
  }
  const unprinted = await post()
  await storno(unprinted)
  t.match(await fiscalize(unprinted), { status: 400, body: { error: /never printed/ } })

  const id = await post()
  await fiscalize(id)
  await comesTo(id, 'done')
  const back = await storno(id)
  t.match((await fiscalize(back, {})).body.receipt, {
    op_id: back,
    original_op_id: id,
    direction: 'sell_refund',
    amount: '150.00',
  })
  t.match(await fiscalize(id), { status: 200, body: { receipt: { op_id: back, direction: 'sell_refund' } } })
  await comesTo(back, 'done')
  t.match(sentOf(back), [{ direction: 'sell_refund', total: 150 }])
  t.match(await kkm(back), { kkm_printed: true, kkm_storno: true })
  t.match(await kkm(id), { kkm_printed: true, kkm_storno: true, kkm_check_id: sentOf(id)[0]!.uuid })
  t.match(await fiscalize(back), { status: 400, body: { error: /printed before/ } })

  const slow = await post()
  receiver.misbehave('sell', (_, honest) => {
    honest()
    receiver.states.set(receiver.receipts.at(-1)!.uuid, { status: 'wait', error: null })
  })
  await fiscalize(slow)
  await comesTo(slow, 'sent')
  const slowBack = await storno(slow)
  t.match(await fiscalize(slowBack), { status: 400, body: { error: /on its way/ } })
  receiver.states.clear()
  await comesTo(slow, 'done')
  t.equal((await fiscalize(slowBack)).status, 200)
  await comesTo(slowBack, 'done')

  const waiting = await post()
  // Nothing can be sent until the password can be read again.
  await office.rows(`UPDATE fiscal_configs SET password = 'sealed1:'`)
  await fiscalize(waiting)
  await storno(waiting)
  await root.post(`/admin/dictionary/fiscal_configs_crud/${main}/`, { password: 'secret' })
  t.match(await comesTo(waiting, 'refused'), { attempts: 0, error: /reversed or deleted/ })
  t.equal(sentOf(waiting).length, 0, 'one that was never sent is not sent any more')
})

t.test('the reversal of any payment gives its printed receipt back by itself', async (t) => {
  const handler = refundReceipts({ ...office, timeZone: () => office.settings.get('TIME_ZONE') })
  await office.outbox.start({ refundReceipt: handler })
  const reverse = async (id: number): Promise<number> => {
    const { status, body } = await root.post(`/admin/Abonents/finops_reverse/${id}/`, { reason: 'ошибка' })
    t.equal(status, 200)
    return body.operation.op_id
  }
  const id = await post()
  const unprinted = await post()
  await fiscalize(id)
  await comesTo(id, 'done')
  const back = await reverse(id)
  t.match(await comesTo(back, 'done'), {
    direction: 'sell_refund',
    original_op_id: id,
    amount: '150.00',
    staff: 'root',
  })
  t.equal(sentOf(back).length, 1)
  const effect = (operation: number) =>
    ({ kind: 'refundReceipt', subscriberId: null, operationId: operationId(operation), staffId: null }) as const
  t.same(await handler(effect(back), 1), { receipt: 'alreadyPrinted' }, 'once')
  t.same(await handler(effect(await reverse(unprinted)), 1), { receipt: 'nothingToReturn' })
  t.same(await handler(effect(987_654), 1), { receipt: 'missing' })

  const slow = await post()
  receiver.misbehave('sell', (_, honest) => {
    honest()
    receiver.states.set(receiver.receipts.at(-1)!.uuid, { status: 'wait', error: null })
  })
  await fiscalize(slow)
  await comesTo(slow, 'sent')
  const slowBack = await reverse(slow)
  t.equal(await handler(effect(slowBack), 1), null, 'it waits until the receipt is printed')
  receiver.states.clear()
  await comesTo(slow, 'done')
  t.same(await handler(effect(slowBack), 1), { receipt: 'queued' })
  await comesTo(slowBack, 'done')
})

t.test('the queue shows only what is visible', async (t) => {
  const north = await office.staff('north', 'admin', [2])
  t.same((await north.get('/admin/Abonents/finops_fiscal_queue/?state=done')).body, {
    ok: true,
    items: [],
    has_more: false,
  })
  const [{ op_id }] = (await root.get('/admin/Abonents/finops_fiscal_queue/?state=done&per_page=1')).body.items
  t.equal((await north.post(`/admin/Abonents/finops_fiscal_retry/${op_id}/`)).status, 404)
  t.equal((await north.post(`/admin/Abonents/finops_fiscalize/${op_id}/`)).status, 404)
})
