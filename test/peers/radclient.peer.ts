// needs radclient from freeradius-utils
import t from 'tap'
import { query } from '../app/processes.ts'
import { openProgram } from '../support/opened-program.ts'
import { ruble } from '../support/provider.ts'
import { radclient } from '../support/radclient.ts'

const secret = 'testing123'
const login = 'ivan'
const password = 'line pass"word'
const signed = 'Message-Authenticator = 0x00'
const named = `User-Name = "${login}"`
/** As radclient's own language wants it. */
const quoted = JSON.stringify(password)

t.test('radclient and Tollgate understand each other', async (t) => {
  const program = await openProgram(t)
  const { authPort, acctPort } = program.address
  await program.create('Nas', { name: 'peer', ip: '127.0.0.1', secret, nas_type: 'mikrotik' })
  const tariff = await program.create('Tarif', { name: 'Home 100', price: 600 * ruble, speed_mbit: 100 })
  const abonent = await program.create('Abonents', { name: 'Ivan', contract_number: '1', tarif: tariff.id })
  await program.create('Users', { abonent: abonent.id, login, password, ip: '10.0.0.5', simultaneous_use: 2 })
  const auth = (...attributes: readonly string[]) => radclient(authPort, 'auth', [named, ...attributes])
  const pap = () => auth(`User-Password = ${quoted}`, signed)

  await t.test('PAP, CHAP and MS-CHAP open the line with address and speed', async (t) => {
    const ways = { PAP: 'User-Password', CHAP: 'CHAP-Password', 'MS-CHAP': 'MS-CHAP-Password' }
    for (const [way, attribute] of Object.entries(ways)) {
      const answer = await auth(`${attribute} = ${quoted}`, signed)
      t.equal(answer.received, 'Access-Accept', way, { answer })
      t.match(answer.attributes, { 'Framed-IP-Address': '10.0.0.5', 'Mikrotik-Rate-Limit': '100M/100M' }, way)
      t.match(answer.attributes['Message-Authenticator'], /^0x[0-9a-f]{32}$/, way)
      if (way === 'MS-CHAP') t.match(answer.attributes['MS-CHAP-MPPE-Keys'], /^0x/)
    }
  })

  await t.test('Proxy-State comes back, and an unknown secret is not answered', async (t) => {
    const answer = await auth(`User-Password = ${quoted}`, 'Proxy-State = 0x0102', signed)
    t.match(answer, { received: 'Access-Accept', attributes: { 'Proxy-State': '0x0102' } })
    const unheard = await radclient(authPort, 'auth', [named, `User-Password = ${quoted}`, signed], {
      secret: 'another',
      retries: 1,
    })
    t.equal(unheard.received, null)
  })

  await t.test('a wrong password and an unknown login are rejected alike, each way of asking', async (t) => {
    const answers = [
      await auth('User-Password = "wrong"', signed),
      await auth('CHAP-Password = "wrong"', signed),
      await auth('MS-CHAP-Password = "wrong"', signed),
      await radclient(authPort, 'auth', ['User-Name = "nobody"', `User-Password = ${quoted}`, signed]),
    ]
    for (const answer of answers) t.equal(answer.received, 'Access-Reject', 'rejected', { answer })
    t.equal(new Set(answers.map(({ attributes }) => attributes['Reply-Message'])).size, 1)
  })

  await t.test('Status-Server is answered on both ports', async (t) => {
    t.equal((await radclient(authPort, 'status', [signed])).received, 'Access-Accept')
    t.equal((await radclient(acctPort, 'status', [signed])).received, 'Accounting-Response')
  })

  await t.test('Start, Interim-Update and Stop become one session', async (t) => {
    const account = (status: string, ...more: readonly string[]) =>
      radclient(acctPort, 'acct', [
        named,
        `Acct-Status-Type = ${status}`,
        'Acct-Session-Id = "peer-1"',
        'Framed-IP-Address = 10.0.0.5',
        'Calling-Station-Id = "02-00-00-00-00-01"',
        ...more,
      ])
    const octets = (more: number) => [`Acct-Input-Octets = ${more}`, 'Acct-Input-Gigawords = 1']
    const sessions = () =>
      query(
        program.databaseUrl!,
        `SELECT login, host(framed_ip) AS ip, session_time, input_octets, ended_at IS NOT NULL AS ended, end_reason
        FROM radius_sessions WHERE acct_session_id = 'peer-1'`,
      )
    t.equal((await account('Start')).received, 'Accounting-Response')
    t.match(await sessions(), [{ login, ip: '10.0.0.5', ended: false }])
    t.equal((await account('Interim-Update', 'Acct-Session-Time = 300', ...octets(7))).received, 'Accounting-Response')
    t.match(await sessions(), [{ session_time: '300', input_octets: '4294967303', ended: false }])
    const stop = await account('Stop', 'Acct-Session-Time = 400', ...octets(9), 'Acct-Terminate-Cause = User-Request')
    t.equal(stop.received, 'Accounting-Response')
    t.match(await sessions(), [
      { session_time: '400', input_octets: '4294967305', ended: true, end_reason: 'User-Request' },
    ])
  })

  await t.test('money closes the line and opens it', async (t) => {
    const post = (op_type: number) =>
      program.create('FinanceOperations', { account: abonent.account, op_type, op_summa: ruble })
    await post(9)
    t.match(await pap(), { received: 'Access-Reject', attributes: { 'Reply-Message': /^blocked: negative balance/ } })
    await post(7)
    t.equal((await pap()).received, 'Access-Accept')
  })
})

t.test(
  'the record of a NAS says which secret it proved and which address it asked, also after a restart',
  async (t) => {
    const program = await openProgram(t, { TOLLGATE_RADIUS_HOST: '0.0.0.0' })
    const { body: nas } = await program.rest('POST', '/rest_api/v2/Nas/', {
      name: 'moving',
      network: '127.0.0.0/8',
      secret,
      secret_next: 'moved',
    })
    const record = async () => (await program.rest('GET', `/rest_api/v2/Nas/${nas.id}/`)).body
    const heard = ['asked_ip', 'proved_at', 'next_proved_at']
    t.match(await record(), { asked_ip: null, proved_at: null, next_proved_at: null })
    for (const used of [secret, 'moved']) {
      const { received } = await radclient(program.address.authPort, 'auth', [named, signed], { secret: used })
      t.equal(received, 'Access-Reject')
    }
    // What packets tell is stored after they are answered.
    let told = await record()
    while (heard.some((name) => told[name] === null)) told = await record()
    t.equal(told.asked_ip, '127.0.0.1')
    await program.stop()
    await program.start()
    t.same(await record(), told)
  },
)
