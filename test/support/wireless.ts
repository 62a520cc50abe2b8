import pg from 'pg'
import { Client, secret } from '../network/radius/fixture.ts'
import { testDatabaseUrl } from './database.ts'
import { RunningProgram } from './program.ts'
import { signUp } from './provider.ts'

/** The program as a process, with a NAS at `ip` and so many subscribers whose logins have addresses of one pool. */
export async function startWithPool(
  t: { teardown(deed: () => unknown): unknown },
  { ip, subscribers, network }: { ip: string; subscribers: number; network: string },
) {
  const url = await testDatabaseUrl(t)
  const program = await new RunningProgram({ DATABASE_URL: url }).start()
  const database = new pg.Client({ connectionString: url })
  await database.connect()
  t.teardown(async () => {
    await database.end()
    await program.stop()
    program.remove()
  })
  await program.rest('POST', '/rest_api/v2/Nas/', { name: 'ap', ip, secret, nas_type: 'generic' })
  const lines = await signUp(program, subscribers)
  await database.query(`INSERT INTO ip_pulls (id, name, network) VALUES (7, 'wireless', '${network}');
    UPDATE users SET pool_id = 7`)
  /** The NAS, to be opened anew after a restart, because the program has other ports then. */
  const openNas = async (): Promise<Client> => {
    const { authPort, acctPort } = program.address
    const client = await Client.open({ addresses: { host: '127.0.0.1', authPort, acctPort } }, ip)
    t.teardown(() => client.close())
    return client
  }
  return { program, database, lines, openNas }
}
