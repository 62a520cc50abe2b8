import { join } from 'node:path'
import t from 'tap'
import { readOffers } from '../../src/network/access/offer-log.ts'
import { formatIpv4 } from '../../src/network/radius/wire/address.ts'
import type { Answer } from '../network/radius/fixture.ts'
import { testDatabaseUrl } from '../support/database.ts'
import { reopenProgram } from '../support/opened-program.ts'
import { RunningProgram, type TestProgram } from '../support/program.ts'
import { linePassword } from '../support/provider.ts'
import { addPool } from '../support/wireless.ts'
import { until } from '../support/until.ts'

const classOf = ({ raw }: Answer) => raw.find(([type]) => type === 25)![1]
const addressOf = ({ attributes }: Answer) => attributes['Framed-IP-Address']

t.test(
  'an address is not given out twice by a program that was killed, though accounting never named it',
  async (t) => {
    const program = await new RunningProgram({ DATABASE_URL: await testDatabaseUrl(t) }).start()
    t.teardown(async () => {
      await program.stop()
      program.remove()
    })
    const { database, lines, openNas } = await addPool(t, program, {
      ip: '127.0.0.41',
      subscribers: 7,
      network: '10.66.0.0/29',
    })

    // A NAS such as hostapd, which sends no Framed-IP-Address.
    const nasOf = async (running: TestProgram) => {
      const client = await openNas(running)
      return {
        signIn: (line: number) => client.pap(lines[line - 1]!.login, linePassword),
        account: (status: 'Start' | 'Stop', name: string, id: string, more: [string, unknown][]) =>
          client.exchange(
            client.accounting([['Acct-Status-Type', status], ['User-Name', name], ['Acct-Session-Id', id], ...more]),
            'acct',
          ),
      }
    }
    let nas = await nasOf(program)
    let first = await nas.signIn(1)
    // The pool is on its way to the access table.
    while (addressOf(first) === undefined) first = await nas.signIn(1)
    await nas.account('Start', 'anonymous', 'a', [['Class', classOf(first)]])
    const second = await nas.signIn(2)
    await nas.account('Start', lines[1]!.login, 'b', [])
    const stored = await database.query(
      'SELECT login, user_id, framed_ip, host(offered_ip) AS ip FROM radius_sessions ORDER BY id',
    )
    t.match(stored.rows, [
      { login: 'anonymous', framed_ip: null, ip: addressOf(first) },
      { login: 'line2', framed_ip: null, ip: addressOf(second) },
    ])
    t.equal(new Set(stored.rows.map((row) => row.user_id)).size, 2)
    // Accounting never tells of the third one before the program is gone.
    const third = await nas.signIn(3)
    const offers = join(program.dataDir, 'offers')
    await until(() => readOffers(offers, 0).some(({ address }) => formatIpv4(address) === addressOf(third)))
    // This one has come and gone, so that its address is nobody's.
    const fourth = await nas.signIn(4)
    for (const status of ['Start', 'Stop'] as const)
      await nas.account(status, lines[3]!.login, 'd', [['Class', classOf(fourth)]])
    await program.kill()

    nas = await nasOf(await reopenProgram(t, program))
    const given: unknown[] = []
    for (const line of [4, 5, 6]) given.push(addressOf(await nas.signIn(line)))
    const taken = [first, second, third].map(addressOf)
    t.equal(new Set([...taken, ...given]).size, 6, 'every other address is given out, that of the ended session too')
    t.equal((await nas.signIn(7)).attributes['Reply-Message'], 'no free address')
    t.equal(addressOf(await nas.signIn(3)), addressOf(third), 'what was offered stays offered')
  },
)
