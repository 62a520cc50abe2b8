import t from 'tap'
import { openProgram } from '../support/opened-program.ts'
import { linePassword } from '../support/provider.ts'
import { addPool } from '../support/wireless.ts'

t.test('after a restart a login gets the pool address that it had last', async (t) => {
  const program = await openProgram(t)
  const { database, lines, openNas } = await addPool(t, program, {
    ip: '127.0.0.42',
    subscribers: 5,
    network: '10.66.0.0/28',
  })
  await database.query(`UPDATE users SET simultaneous_use = 2 WHERE login = '${lines[1]!.login}'`)

  const nasOf = async () => {
    const client = await openNas()
    const station: [string, unknown] = ['Calling-Station-Id', '02-00-00-00-00-01']
    const loginOf = (line: number) => lines[line - 1]!.login
    return {
      signIn: async (line: number) =>
        (await client.pap(loginOf(line), linePassword, [station])).attributes['Framed-IP-Address'],
      account: (status: 'Start' | 'Stop', line: number, address: unknown = null, lateSeconds = 0) => {
        const named: [string, unknown][] = address === null ? [] : [['Framed-IP-Address', address]]
        const common: [string, unknown][] = [['User-Name', loginOf(line)], ['Acct-Session-Id', `s${line}`], station]
        const late: [string, unknown] = ['Acct-Delay-Time', lateSeconds]
        return client.exchange(client.accounting([['Acct-Status-Type', status], ...common, ...named, late]), 'acct')
      },
    }
  }
  let nas = await nasOf()
  const addresses: unknown[] = [await nas.signIn(1)]
  // The pool and both changes of logins are on their way to the access table.
  while (addresses[0] === undefined) addresses[0] = await nas.signIn(1)
  for (const line of [2, 3, 4]) addresses.push(await nas.signIn(line))
  const had = (line: number) => addresses[line - 1]
  const named = (line: number) => (line === 3 ? null : had(line))
  // Of the address of the third login, the fourth one is the last holder, by more than the milliseconds by which the
  // time of day is put right while a program runs.
  for (const line of [1, 2, 3]) await nas.account('Start', line, named(line), 4)
  for (const line of [1, 2, 3]) await nas.account('Stop', line, named(line), 3)
  await nas.account('Start', 4, had(3))
  await nas.account('Stop', 4, had(3))
  await program.stop()
  await database.query(`UPDATE ip_pulls SET network = '10.66.0.0/27'`)

  await program.start()
  nas = await nasOf()
  const newcomer = await nas.signIn(5)
  t.ok(newcomer)
  t.notOk([had(1), had(2), had(3)].includes(newcomer), 'a new login gets an address that nobody had')
  t.equal(await nas.signIn(2), had(2), 'of several sessions the last one')
  t.equal(await nas.signIn(1), had(1))
  t.not(await nas.signIn(3), had(3), 'somebody else had it since')
})
