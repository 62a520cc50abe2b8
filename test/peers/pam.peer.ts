// needs pamtester from pamtester
// needs /usr/share/doc/libpam-radius-auth from libpam-radius-auth
// needs /usr/share/doc/libpam-wrapper from libpam-wrapper
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { emptyFolder, query } from '../app/processes.ts'
import { openProgram } from '../support/opened-program.ts'
import { ruble } from '../support/provider.ts'
import { freeUdpPort } from '../support/free-port.ts'

const secret = 'testing123'

/** A service of PAM in a folder of its own, by pam_wrapper, so that nothing is written into /etc. */
function service(t: Test, port: number): (password: string, ...operations: string[]) => Promise<string> {
  const folder = emptyFolder(t)
  const servers = join(folder, 'servers')
  const module = `pam_radius_auth.so conf=${servers} client_id=gate`
  writeFileSync(servers, `127.0.0.1:${port} ${secret} 5\n`, { mode: 0o600 })
  writeFileSync(join(folder, 'tollgate'), `auth required ${module}\naccount required pam_permit.so\n`)
  writeFileSync(join(folder, 'accounting'), `session required ${module}\n`)
  writeFileSync(join(folder, 'other'), 'auth required pam_deny.so\n')
  const env = { ...process.env, LD_PRELOAD: 'libpam_wrapper.so', PAM_WRAPPER: '1', PAM_WRAPPER_SERVICE_DIR: folder }
  return async (password, name, ...operations) => {
    const tester = spawn('pamtester', [name!, 'ivan', ...operations], { env })
    let text = ''
    for (const stream of [tester.stdout, tester.stderr]) stream.setEncoding('utf8').on('data', (more) => (text += more))
    tester.stdin.end(`${password}\n`)
    await once(tester, 'close')
    return text
  }
}

t.test('pam_radius_auth signs in and accounts for its session', async (t) => {
  const auth = await freeUdpPort()
  const acct = await freeUdpPort()
  const program = await openProgram(t, {
    TOLLGATE_RADIUS_AUTH_PORT: String(auth),
    TOLLGATE_RADIUS_ACCT_PORT: String(acct),
  })
  await program.create('Nas', { name: 'gate', ip: '127.0.0.1', secret })
  const tariff = await program.create('Tarif', { name: 'Home 100', price: 600 * ruble })
  const abonent = await program.create('Abonents', { name: 'Ivan', contract_number: '1', tarif: tariff.id })
  await program.create('Users', { abonent: abonent.id, login: 'ivan', password: 'word' })
  const signIn = service(t, auth)
  // The module asks the port behind the one it is given for accounting.
  const account = service(t, acct - 1)
  const sessions = () =>
    query(
      program.databaseUrl!,
      'SELECT login, nas_identifier, end_reason, ended_at IS NOT NULL AS ended FROM radius_sessions',
    )

  t.match(await signIn('word', 'tollgate', 'authenticate'), /successfully authenticated/)
  t.match(await signIn('wrong', 'tollgate', 'authenticate'), /Authentication failure/)
  t.match(
    await account('', 'accounting', 'open_session', 'close_session'),
    /successfully opened a session.*successfully been closed/s,
  )
  t.match(await sessions(), [{ login: 'ivan', nas_identifier: 'gate', ended: true }])

  await program.stop()
  await program.start()
  t.match(await signIn('word', 'tollgate', 'authenticate'), /successfully authenticated/)
  await program.create('FinanceOperations', { account: abonent.account, op_type: 9, op_summa: ruble })
  t.match(await signIn('word', 'tollgate', 'authenticate'), /Authentication failure/, 'a debtor')
})
