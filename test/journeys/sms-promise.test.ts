import t, { type Test } from 'tap'
import { silentLog } from '../../src/platform/log.ts'
import { openDatabase } from '../../src/platform/storage/database.ts'
import { WebProvider } from '../billing/messages/servers.ts'
import { testDatabaseUrl } from '../support/database.ts'
import { reopenProgram } from '../support/opened-program.ts'
import { type Json, RunningProgram, type TestProgram } from '../support/program.ts'
import { type Client, ruble, signUp } from '../support/provider.ts'
import { fetch } from '../support/published.ts'

const password = 'tell-nobody-of-this'
const phones = ['+7 900 000-00-01', '8 (900) 000-00-02', '89000000003', '9000000003']

async function startFixture(t: Test) {
  const url = await testDatabaseUrl(t)
  const gateway = await WebProvider.start(t)
  const killed = await new RunningProgram({
    DATABASE_URL: url,
    TOLLGATE_SETTING_SYSTEM_API_PASSWORD: password,
    TOLLGATE_SMS_URL: `${gateway.url}/?to={phone}&text={text}`,
  }).start()
  let program: TestProgram = killed
  const database = await openDatabase({ url, log: silentLog, pool: { general: 2, ledger: 1 } })
  t.teardown(async () => {
    await database.close()
    await killed.stop()
    killed.remove()
  })
  const clients = await signUp(program, phones.length)
  for (const [n, { subscriber }] of clients.entries())
    await program.rest('PUT', `/rest_api/v2/Abonents/${subscriber}/`, { sms: phones[n] })
  const sql = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows as Json[]
  // The contract is of today, so the least age would refuse everybody.
  const allow = (settings: Json) => program.rest('POST', '/admin/settings/system/', settings)
  await allow({ LK_PROMISE_PAY_MIN_AGE_DAYS: 0 })
  return {
    killAndStart: async () => {
      await killed.kill()
      program = await reopenProgram(t, killed)
    },
    rest: (method: string, path: string, body?: unknown) => program.rest(method, path, body),
    gateway,
    clients,
    sql,
    allow,
    say: async (text: string, phone = phones[0]!): Promise<Json> => {
      const response = await fetch(`${program.address.http}/system_api/sms/`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-System-Password': password },
        body: JSON.stringify({ phone, text }),
      })
      return await response.json()
    },
    spend: ({ account }: Client, rubles: number) =>
      program.rest('POST', '/rest_api/v2/FinanceOperations/', { account, op_type: 9, op_summa: rubles * ruble }),
    subscriber: async ({ subscriber }: Client) =>
      (await program.rest('GET', `/rest_api/v2/Abonents/${subscriber}/`)).body,
  }
}

t.test('a promise payment by SMS', async (t) => {
  const fixture = await startFixture(t)
  const [one, two, three, four] = fixture.clients as [Client, Client, Client, Client]
  await t.test('ОП shows the conditions, and ДА, after a restart too, accepts the offer', async (t) => {
    await fixture.spend(one, 50)
    t.match(await fixture.subscriber(one), { enabled: false })
    t.match(await fixture.say('ДА'), { status: 'error', reply: /Подтверждать нечего/ })
    const offered = await fixture.say(' оп ')
    t.match(offered, {
      status: 'ok',
      reply: /^Обещанный платёж 600 руб\. на 5 дн\., до \d\d\.\d\d\.\d{4}\. .*ответьте ДА в течение 10 минут\.$/,
    })
    t.match(await fixture.subscriber(one), { promise_pay: null }, 'nothing has moved yet')
    await fixture.killAndStart()
    const taken = await fixture.say('Да!')
    t.match(taken, { status: 'ok', reply: /^Обещанный платёж 600 руб\. действует до \d\d\.\d\d\.\d{4}\.$/ })
    t.match(await fixture.subscriber(one), { enabled: true, promise_pay: 600 * ruble })
    t.match(await fixture.say('ДА'), { status: 'error', reply: /Подтверждать нечего/ }, 'answered once')
    t.match(await fixture.say('ОП'), { status: 'error', reply: /^Обещанный платёж 600 руб\. уже действует до/ })
    t.match(await fixture.sql(`SELECT user_name, address FROM audit_operations WHERE table_name = 'USERS_USLUGA'`), [
      { user_name: 'sms +7 900 000-00-01', address: '127.0.0.1' },
    ])
  })
  await t.test('the reply is the message: no second SMS repeats it', async (t) => {
    await fixture.rest('POST', '/rest_api/v2/FinanceOperations/', {
      account: one.account,
      op_type: 7,
      op_summa: ruble,
    })
    await fixture.gateway.askedTimes(1)
    const { items } = (await fixture.rest('GET', `/admin/messages/?abonent_id=${one.subscriber}`)).body
    t.match(items, [
      { kind: 'payment_credited', channel: 'sms' },
      { kind: 'promise_activated', channel: 'sms', state: 'sent', attempts: 1 },
    ])
    t.equal(fixture.gateway.asked.length, 1)
  })
  await t.test('ДА comes too late after ten minutes', async (t) => {
    t.match(await fixture.say('ОП', phones[1]), { status: 'ok' })
    await fixture.sql(`UPDATE sms_questions SET asked_at = now() - interval '10 minutes 1 second'`)
    t.match(await fixture.say('ДА', phones[1]), { status: 'error', reply: /Подтверждать нечего/ })
    t.match(await fixture.subscriber(two), { promise_pay: null })
  })
  await t.test('a promise that leaves the line closed mentions it before and after', async (t) => {
    await fixture.spend(two, 5000)
    t.match(await fixture.say('ОП', phones[1]), {
      reply: /1200 руб\. .*ответьте ДА.* Доступ откроется только после пополнения/,
    })
    t.match(await fixture.say('ДА', phones[1]), {
      status: 'ok',
      reply: /действует до .*Средств недостаточно, пополните счёт/,
    })
    t.match(await fixture.subscriber(two), { enabled: false, block: { b_negbal: true } })
  })
  await t.test('every refusal has its reason', async (t) => {
    const contract = 'ОП 000003'
    const refusal = async (settings: Json) => {
      await fixture.allow(settings)
      const said = await fixture.say(contract, phones[2])
      t.equal(said.status, 'error')
      return said.reply
    }
    t.equal(
      await refusal({ LK_PROMISE_PAY_MIN_AGE_DAYS: 30 }),
      'Обещанный платёж доступен через 30 дн. после заключения договора.',
    )
    t.equal(
      await refusal({ LK_PROMISE_PAY_MIN_AGE_DAYS: 0, LK_PROMISE_PAY_MIN_DEBT: 100 }),
      'Обещанный платёж доступен при долге от 100 руб.',
    )
    await fixture.allow({ LK_PROMISE_PAY_MIN_DEBT: 0 })
    await fixture.sql(`UPDATE abonents SET promise_last_date = now() - interval '29 days' WHERE id = $1`, [
      three.subscriber,
    ])
    await fixture.rest('POST', '/rest_api/v2/FinanceOperations/', {
      account: three.account,
      op_type: 7,
      op_summa: ruble,
    })
    t.match(await refusal({}), /^Следующий обещанный платёж доступен с \d\d\.\d\d\.\d{4}\.$/)
    await fixture.sql('UPDATE uslugas SET enabled = false WHERE id = 30353')
    t.match(await refusal({ LK_PROMISE_PAY_COOLDOWN_DAYS: 0 }), /сейчас недоступен/)
    await fixture.sql('UPDATE uslugas SET enabled = true WHERE id = 30353')
    t.match(await fixture.say(contract, phones[2]), { status: 'ok' })
    t.match(await fixture.say('ВЫКЛ 000001', phones[2]), { status: 'error', reply: /нескольких договорах/ })
  })
  await t.test('of two contracts with one phone ДА means the one that was asked about', async (t) => {
    t.match(await fixture.say('ОП', phones[2]), {
      status: 'error',
      reply: /нескольких договорах \(000003, 000004\).*ОП 000003/,
    })
    t.match(await fixture.say('ОП 000004', phones[2]), { status: 'ok' })
    t.match(
      await fixture.say('ДА', phones[2]),
      { status: 'error', reply: /000003, 000004.*ДА 000003/ },
      'both were asked about',
    )
    t.match(await fixture.say('ДА 000004', phones[2]), { status: 'ok' })
    t.match(await fixture.subscriber(four), { promise_pay: 600 * ruble })
    t.match(await fixture.subscriber(three), { promise_pay: null })
    const both = await Promise.all([fixture.say('ДА', phones[2]), fixture.say('ДА', phones[2])])
    t.ok(
      both.some(({ status }) => status === 'ok'),
      'two at once',
    )
    const [{ count }] = await fixture.sql(
      `SELECT count(*)::int FROM finance_operations WHERE abonent_id = $1 AND op_type_id = 31`,
      [three.subscriber],
    )
    t.equal(count, 1, 'make one promise')
  })
})
