import t from 'tap'
import { query } from '../app/processes.ts'
import { testDatabaseUrl } from '../support/database.ts'
import { FiscalReceiver, takenInSilence } from '../support/fiscal-receiver.ts'
import { reopenProgram } from '../support/opened-program.ts'
import { RunningProgram } from '../support/program.ts'
import { ruble } from '../support/provider.ts'
import { untilAnswer } from '../support/until.ts'

t.test('a program killed between sending a receipt and writing its number down prints it once', async (t) => {
  const receiver = await new FiscalReceiver().start()
  t.teardown(() => receiver.stop())
  const url = await testDatabaseUrl(t)
  const program = await new RunningProgram({ DATABASE_URL: url }).start()
  t.teardown(async () => {
    await program.stop()
    program.remove()
  })
  const made = async (path: string, record: object) => {
    const { status, body } = await program.rest('POST', path, record)
    if (status > 201) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
    return body
  }
  await made('/admin/dictionary/fiscal_configs_crud/', {
    name: 'Registers',
    url: receiver.url,
    login: 'shop',
    password: 'secret',
    group_code: 'isp',
    inn: '7701234567',
    payment_address: 'https://isp.example',
    company_email: 'receipts@isp.example',
    tax_system: 'usn_income',
  })
  const client = await made('/rest_api/v2/Abonents/', { name: 'Ivan', contract_number: '1', email: 'ivan@example.org' })
  const payment = { account: client.account, abonent: client.id, op_type: 7, op_summa: 150 * ruble }
  const { op_id: id } = await made('/rest_api/v2/FinanceOperations/', payment)

  receiver.misbehave('sell', takenInSilence)
  await made(`/admin/Abonents/finops_fiscalize/${id}/`, { confirm: true })
  await receiver.until(() => receiver.receipts.length === 1)
  await program.kill()
  const row = () =>
    query(url, `SELECT state, attempts, uuid FROM fiscal_receipts WHERE op_id = ${id}`).then((rows) => rows[0])
  t.match(await row(), { state: 'waiting', attempts: 1, uuid: null }, 'it looks as if it might not have been sent')

  // Another program would leave it alone until the lease is over.
  await query(url, 'UPDATE fiscal_receipts SET due_at = now()')
  await reopenProgram(t, program)
  t.match(await untilAnswer(row, (now) => now?.state === 'done'), { attempts: 2, uuid: receiver.receipts[0]!.uuid })
  t.equal(receiver.receipts.length, 1, 'printed once')
  t.equal(receiver.count('sell'), 2, 'though sent twice')
  t.match(
    await query(
      url,
      `SELECT kkm_printed, kkm_check_id, kkm_check_retry_num FROM finance_operations WHERE op_id = ${id}`,
    ),
    [{ kkm_printed: true, kkm_check_id: receiver.receipts[0]!.uuid, kkm_check_retry_num: 2 }],
  )
})
