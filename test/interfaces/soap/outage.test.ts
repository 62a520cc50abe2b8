import t from 'tap'
import type { Accounts } from '../../../src/billing/accounts/messages.ts'
import { soapRoutes } from '../../../src/interfaces/soap/routes.ts'
import { systemClock } from '../../../src/platform/actors/clock.ts'
import { silentLog } from '../../../src/platform/log.ts'
import { Unavailable } from '../../../src/platform/unavailable.ts'
import { noDatabase, startServer } from '../../platform/http/parts.ts'
import { fetch } from '../../support/published.ts'
import { envelope, fiscalNamespace, hashOf, openSoapFixture, userNamespace } from './fixture.ts'

const fixture = await openSoapFixture(t)
const hash_key = await fixture.staff('bank')
await fixture.subscriber('1', 'Иванов Иван')
const pay = { hash_key, ACT: 'PAY', CONTRACT_NUMBER: '1', SUM_IN: '5', PAY_OPERATOR: 'x', PAY_ID_STR: 'a' }

/** The doors, over a database or accounts that are away. */
async function ask(pool: unknown, accounts: Pick<Accounts, 'ask'>, path: string, body: string) {
  const routes = soapRoutes({
    pool: pool as typeof fixture.database.pool,
    accounts,
    secrets: fixture.secrets,
    settings: fixture.settings,
    tries: fixture.tries,
    clock: systemClock,
    log: silentLog,
    publicUrl: () => '',
  })
  const { server, base } = await startServer(routes)
  try {
    const response = await fetch(base + path, { method: 'POST', body })
    return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() }
  } finally {
    await server.stop()
  }
}

t.test('with the database away every call is a fault that asks to come again', async (t) => {
  const away = { status: 503, retryAfter: '5', text: /faultcode>soap11env:Server\.Unavailable<.*The database is away/s }
  const signIn = envelope('get_user_hash', userNamespace, { username: 'bank', hash: hashOf('x') })
  t.match(await ask(noDatabase, fixture.accounts, '/api/', signIn), away)
  t.match(await ask(noDatabase, fixture.accounts, '/api/fiscal/', envelope('pay_usr_act2', fiscalNamespace, pay)), away)
})

t.test('a failure of ours reveals nothing about the inside', async (t) => {
  const broken = { ask: () => Promise.reject(new TypeError('secret.internals is not a function')) }
  const answer = await ask(
    fixture.database.pool,
    broken,
    '/api/fiscal/',
    envelope('pay_usr_act2', fiscalNamespace, pay),
  )
  t.match(answer, { status: 500, text: /faultcode>soap11env:Server<.*Internal server error/s })
  t.notMatch(answer.text, /internals|at /)
})

t.test('an interrupted import names the lines to send again, and they are accepted then', async (t) => {
  let left = 1
  const failing: Pick<Accounts, 'ask'> = {
    ask: (...said) =>
      left-- > 0 ? fixture.accounts.ask(...said) : Promise.reject(new Unavailable('database', 'The database is away.')),
  }
  const ACT_LIST = '1;5;c-1;;\n1;5;c-2;;\n1;5;c-3;;'
  const body = envelope('pay_usr_act_import', fiscalNamespace, { hash_key, ACT_LIST, PAY_OPERATOR: 'x' })
  const { status, text } = await ask(fixture.database.pool, failing, '/api/fiscal/', body)
  t.equal(status, 200)
  t.match(text, /Result>OK;1;0;2\n2;Unavailable;.*send this line again\.\n3;Unavailable;/)
  t.match(await fixture.import({ hash_key, ACT_LIST, PAY_OPERATOR: 'x' }), { result: 'OK;2;1;0' })
})
