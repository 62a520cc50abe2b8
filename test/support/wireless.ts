import pg from 'pg'
import { Client, secret } from '../network/radius/fixture.ts'
import type { TestProgram } from './program.ts'
import { signUp } from './provider.ts'

/** Gives the program a NAS at `ip` and so many subscribers whose logins have addresses of one pool. */
export async function addPool(
  t: { teardown(deed: () => unknown): unknown },
  program: TestProgram,
  { ip, subscribers, network }: { ip: string; subscribers: number; network: string },
) {
  const database = new pg.Client({ connectionString: program.databaseUrl! })
  await database.connect()
  t.teardown(() => database.end())
  await program.rest('POST', '/rest_api/v2/Nas/', { name: 'ap', ip, secret, nas_type: 'generic' })
  const lines = await signUp(program, subscribers)
  await database.query(`INSERT INTO ip_pulls (id, name, network) VALUES (7, 'wireless', '${network}');
    UPDATE users SET pool_id = 7`)
  /** The NAS, to be opened anew after a restart, because the program has other ports then. */
  const openNas = async (running = program): Promise<Client> => {
    const { authPort, acctPort } = running.address
    const client = await Client.open({ addresses: { host: '127.0.0.1', authPort, acctPort } }, ip)
    t.teardown(() => client.close())
    return client
  }
  return { database, lines, openNas }
}
