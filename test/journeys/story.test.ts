import t from 'tap'
import { SimulatedNas } from '../../src/demo/simulated-nas.ts'
import { vendorText } from '../support/attributes.ts'
import { openProgram } from '../support/opened-program.ts'
import { freeUdpPort } from '../support/free-port.ts'
import { Watcher } from '../support/watcher.ts'

const ruble = 10_000_000_000

t.test('money opens and closes the gate, and everybody who watches sees it', async (t) => {
  const program = await openProgram(t)
  const rest = program.rest.bind(program)
  const { http, authPort, acctPort } = program.address

  const disconnected: string[] = []
  let told = () => {}
  const nas = async (ip: string, name: string) => {
    const coaPort = await freeUdpPort(ip)
    const made = await rest('POST', '/rest_api/v2/Nas/', {
      name,
      ip,
      secret: 'testing123',
      nas_type: 'mikrotik',
      coa_port: coaPort,
    })
    t.equal(made.status, 201)
    t.notOk('secret' in made.body, 'a secret is write-only')
    const server = { host: '127.0.0.1', authPort, acctPort }
    const onDisconnected = (login: string) => {
      disconnected.push(`${name} ${login}`)
      told()
    }
    const simulated = new SimulatedNas({ ip, secret: 'testing123', coaPort, server, onDisconnected })
    await simulated.start()
    t.teardown(() => simulated.stop())
    return simulated
  }
  const north = await nas('127.0.0.21', 'north')
  await nas('127.0.0.22', 'south')

  const tariff = await program.create('Tarif', { name: 'Home 100', price: 600 * ruble, speed_mbit: 100 })
  const abonent = await rest('POST', '/rest_api/v2/Abonents/', {
    name: 'Иван',
    contract_number: '000042',
    tarif: tariff.id,
  })
  t.equal(abonent.status, 201)
  t.equal(abonent.body.enabled, true)
  const login = await rest('POST', '/rest_api/v2/Users/', {
    abonent: abonent.body.id,
    login: 'ivan',
    password: 'line-password',
    ip: '10.0.0.5',
  })
  t.equal(login.status, 201)
  t.notOk('password' in login.body)

  const watcher = await new Watcher(http, program.session).open(['sessions', 'blocks', 'finance', 'radius'])
  t.teardown(() => watcher.close())

  const open = await north.signIn('ivan', 'line-password', 'AA-BB-CC-00-00-01')
  if (open.kind !== 'accepted') throw new Error(`Access-Accept expected, got ${JSON.stringify(open)}`)
  t.equal(open.session.ip, '10.0.0.5')
  t.equal(vendorText(open.answer, 14988, 8), '100M/100M')
  await watcher.seen((frame) => frame.type === 'session.started' && frame.session.login === 'ivan')
  t.match(await north.signIn('ivan', 'wrong', 'AA-BB-CC-00-00-01'), { kind: 'rejected' })

  const cut = new Promise<void>((resolve) => {
    told = resolve
  })
  const account = abonent.body.account
  const expense = await rest('POST', '/rest_api/v2/FinanceOperations/', {
    account,
    op_type: 9,
    op_summa: ruble,
    descr: 'роутер',
  })
  t.equal(expense.status, 201)
  t.equal(expense.body.op_summa, -ruble)
  const blocked = await rest('GET', `/rest_api/v2/Abonents/${abonent.body.id}/`)
  t.match(blocked.body, { enabled: false, block: { b_negbal: true, b_admin: false } })
  t.equal((await rest('GET', `/rest_api/v2/AdminAccounts/${account}/`)).body.ostatok, -ruble)
  await cut
  t.strictSame(disconnected, ['north ivan'])
  const closed = await north.signIn('ivan', 'line-password', 'AA-BB-CC-00-00-01')
  t.match(closed, { kind: 'rejected', reason: 'blocked: negative balance' })
  await watcher.seen((frame) => frame.type === 'balance.changed' && frame.balance === '-1.00')
  await watcher.seen((frame) => frame.type === 'block.changed' && frame.b_negbal === true)
  await watcher.seen((frame) => frame.type === 'coa.answered' && frame.result === 'ack')
  await watcher.seen((frame) => frame.type === 'coa.answered' && frame.result === 'nak' && frame.error_cause === 503)
  await watcher.seen((frame) => frame.type === 'session.stopped' && frame.session.login === 'ivan')
  await watcher.seen(
    (frame) => frame.type === 'access.rejected' && frame.login === 'ivan' && /negative/.test(frame.reason),
  )

  const receipt = await rest('POST', '/rest_api/v2/FinanceOperations/', { account, op_type: 7, op_summa: 5 * ruble })
  t.equal(receipt.status, 201)
  t.match(await north.signIn('ivan', 'line-password', 'AA-BB-CC-00-00-01'), { kind: 'accepted' })
  await watcher.seen((frame) => frame.type === 'block.changed' && frame.b_negbal === false)
  await watcher.seen((frame) => frame.type === 'payment.credited' && frame.amount === '5.00')
  t.match((await rest('GET', `/rest_api/v2/Abonents/${abonent.body.id}/`)).body, { enabled: true })
})
