import pg from 'pg'
import t from 'tap'
import { type Answer, Client, secret } from '../network/radius/fixture.ts'
import { testDatabaseUrl } from '../support/database.ts'
import { RunningProgram } from '../support/program.ts'
import { linePassword, signUp } from '../support/provider.ts'

const classOf = ({ raw }: Answer) => raw.find(([type]) => type === 25)![1]
const addressOf = ({ attributes }: Answer) => attributes['Framed-IP-Address']

t.test(
  'an address is not given out twice by a program that was killed, though accounting never named it',
  async (t) => {
    const url = await testDatabaseUrl(t)
    const program = await new RunningProgram({ DATABASE_URL: url }).start()
    const database = new pg.Client({ connectionString: url })
    await database.connect()
    t.teardown(async () => {
      await database.end()
      await program.stop()
      program.remove()
    })
    const ip = '127.0.0.41'
    await program.rest('POST', '/rest_api/v2/Nas/', { name: 'ap', ip, secret, nas_type: 'generic' })
    const lines = await signUp(program, 4)
    await database.query(`INSERT INTO ip_pulls (id, name, network) VALUES (7, 'wireless', '10.66.0.0/29');
    UPDATE users SET pool_id = 7`)

    // A NAS such as hostapd, which sends no Framed-IP-Address.
    const nasOf = async () => {
      const { authPort, acctPort } = program.address
      const client = await Client.open({ addresses: { host: '127.0.0.1', authPort, acctPort } }, ip)
      t.teardown(() => client.close())
      return {
        signIn: (line: number) => client.pap(lines[line - 1]!.login, linePassword),
        begin: (name: string, id: string, more: [string, unknown][]) =>
          client.exchange(
            client.accounting([['Acct-Status-Type', 'Start'], ['User-Name', name], ['Acct-Session-Id', id], ...more]),
            'acct',
          ),
      }
    }
    let nas = await nasOf()
    let first = await nas.signIn(1)
    // The pool is on its way to the access table.
    while (addressOf(first) === undefined) first = await nas.signIn(1)
    await nas.begin('anonymous', 'a', [['Class', classOf(first)]])
    const second = await nas.signIn(2)
    await nas.begin(lines[1]!.login, 'b', [])
    const stored = await database.query(
      'SELECT login, user_id, framed_ip, host(offered_ip) AS ip FROM radius_sessions ORDER BY id',
    )
    t.match(stored.rows, [
      { login: 'anonymous', framed_ip: null, ip: addressOf(first) },
      { login: 'line2', framed_ip: null, ip: addressOf(second) },
    ])
    t.equal(new Set(stored.rows.map((row) => row.user_id)).size, 2)
    await program.kill()

    await program.start()
    nas = await nasOf()
    const others = [addressOf(await nas.signIn(3)), addressOf(await nas.signIn(4))]
    t.equal(new Set([addressOf(first), addressOf(second), ...others]).size, 4)
  },
)
