import t, { type Test } from 'tap'
import { silentLog } from '../../src/platform/log.ts'
import { openDatabase } from '../../src/platform/storage/database.ts'
import { WebProvider } from '../billing/messages/servers.ts'
import { testDatabaseUrl } from '../support/database.ts'
import { openProgram, reopenProgram } from '../support/opened-program.ts'
import { type Json, RunningProgram, type TestProgram } from '../support/program.ts'
import { fetch } from '../support/published.ts'
import { untilAnswer } from '../support/until.ts'

const password = 'pa55word-of-the-gateway'

/** The client of a program, and SQL beside it. */
async function clientOf(t: Test, program: TestProgram) {
  const url = program.databaseUrl!
  const database = await openDatabase({ url, log: silentLog, pool: { general: 2, ledger: 1 } })
  t.teardown(() => database.close())
  const sql = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows as Json[]
  const client = await program.create('Abonents', { name: 'Ivan', contract_number: '1', sms: '+7 900 123-45-67' })
  const fixture = {
    /** Another one after a restart. */
    program,
    sql,
    pay: (rubles: number) =>
      fixture.program.create('FinanceOperations', {
        account: client.account,
        op_type: 7,
        op_summa: rubles * 10_000_000_000,
      }),
    messages: (is: (items: Json[]) => boolean): Promise<Json[]> =>
      untilAnswer(async () => (await fixture.program.rest('GET', '/admin/messages/')).body.items, is),
  }
  return fixture
}

t.test('a payment is reported by SMS; killed before the answer, it is sent once more and no more', async (t) => {
  const gateway = await WebProvider.start(t)
  const program = new RunningProgram({
    DATABASE_URL: await testDatabaseUrl(t),
    TOLLGATE_SMS_URL: `${gateway.url}/?login=isp&password=${password}&to={phone}&text={text}`,
  })
  t.teardown(async () => {
    await program.stop()
    program.remove()
  })
  const fixture = await clientOf(t, await program.start())
  const paid = Promise.withResolvers<void>()
  const killing = Promise.withResolvers<void>()
  gateway.answer = async () => {
    await paid.promise
    await program.kill()
    killing.resolve()
    return 'silence' as const
  }
  await fixture.pay(100)
  paid.resolve()
  await killing.promise
  const killed = async () =>
    (await fixture.sql('SELECT state, attempts, next_try_at > now() AS later FROM notifications'))[0]
  t.same(await killed(), { state: 'waiting', attempts: 1, later: true }, 'the attempt was counted before it was made')
  gateway.answer = () => ({ status: 500, body: `wrong request: password=${password}` })
  const again = await reopenProgram(t, program)
  t.equal(gateway.asked.length, 1, 'and the next one waits, so that a crash at each start sends nothing for ever')
  await again.stop()
  await fixture.sql('UPDATE notifications SET next_try_at = now()')
  await again.start()
  fixture.program = again
  const [refused] = await fixture.messages(([item]) => item.error !== null)
  t.match(refused, {
    state: 'waiting',
    attempts: 2,
    error: 'The SMS gateway answered 500: wrong request: password=***',
  })
  gateway.answer = () => ({})
  t.match(await fixture.program.rest('POST', `/admin/messages/${refused.id}/retry/`), { status: 200 })
  const [sent] = await fixture.messages(([item]) => item.state === 'sent')
  t.match(sent, {
    kind: 'payment_credited',
    channel: 'sms',
    address: '79001234567',
    text: 'Зачислено 100 руб., баланс 100 руб.',
  })
  await again.stop()
  await again.start()
  await fixture.pay(50)
  await fixture.messages((items) => items.length === 2 && items.every(({ state }) => state === 'sent'))
  t.equal(gateway.asked.length, 4, 'what was sent is not sent again')
  t.notMatch(JSON.stringify(again.log), password)
  // A result is counted once it is stored.
  const metrics = async () => (await fetch(fixture.program.address.metrics)).text()
  const counted = /tollgate_messages_total\{channel="sms",delivery="sent"\} 1/
  t.match(await untilAnswer(metrics, (text) => counted.test(text)), /tollgate_messages_waiting 0/)
})

t.test('without a provider the messages are shown, and the reminders of promises run as jobs', async (t) => {
  const fixture = await clientOf(
    t,
    await openProgram(t, { TOLLGATE_SETTING_SYSTEM_API_PASSWORD: 'tell-nobody-of-this' }),
  )
  await fixture.pay(100)
  const [item] = await fixture.messages(([first]) => first?.error)
  t.match(item, { state: 'waiting', channel: null, error: /TOLLGATE_SMS_URL/ })
  await fixture.sql(`UPDATE abonents SET promise_pay = 5000000000000, promise_date_end = now() + interval '2 hours'`)
  const response = await fetch(`${fixture.program.address.http}/system_api/jobs/push.promise_pay_expiring/run/`, {
    method: 'POST',
    headers: { 'X-System-Password': 'tell-nobody-of-this' },
  })
  t.match(await response.json(), { status: 'ok', result: { promises: 1, told: Number } })
  const items = await fixture.messages(({ length }) => length === 2)
  t.equal(items[0].kind, 'promise_expiring')
})
