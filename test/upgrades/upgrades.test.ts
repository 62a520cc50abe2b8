import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import t from 'tap'
import { type Clock, systemClock } from '../../src/platform/actors/clock.ts'
import { ensureWorkingRole } from '../../src/platform/postgres/working-role.ts'
import { emptyFolder, query, runCommand } from '../app/processes.ts'
import { testDatabaseUrl } from '../support/database.ts'
import { launchProgram } from '../support/opened-program.ts'
import { linePassword, ruble, simulateNas } from '../support/provider.ts'
import { fetch } from '../support/published.ts'
import { type Expected, passphraseFile, upgradesFolder } from './expected.ts'

const archives = globSync(join(upgradesFolder, '*.tar')).sort()

t.ok(archives.length > 0, 'there are releases')

for (const archive of archives)
  t.test(`this version starts on the data of ${basename(archive, '.tar')}`, async (t) => {
    const expected = JSON.parse(readFileSync(archive.replace(/tar$/, 'json'), 'utf8')) as Expected
    const url = await testDatabaseUrl(t, { migrated: false })
    const dataDir = emptyFolder(t)
    const env = { DATABASE_URL: url, TOLLGATE_DATA_DIR: dataDir }
    t.match(await runCommand(['restore', archive, '--passphrase-file', passphraseFile], env), { status: 0 })
    t.match(await runCommand(['verify_ledger'], env), { status: 0, text: /all agree/ })
    t.match(await runCommand(['secret_key'], env), { status: 0, text: /All of them open/ })
    const balances = await query(url, 'SELECT id::text, ostatok::float8 FROM admin_accounts')
    t.strictSame(Object.fromEntries(balances.map(({ id, ostatok }) => [id, ostatok])), expected.balances)

    await ensureWorkingRole(url)
    const program = await launchProgram(t, env, await clockOf(url))
    t.equal(program.parts.settings.get('CONTRACT_NUMBER_PATTERN'), expected.contractNumberPattern)
    t.equal(program.parts.settings.get('LK_GWA_SECRET_KEY'), 'live_abc')
    // Staff of the archive have passwords of full cost, which a test run does not check (test/runner/cheap-passwords.js).
    const anna = ['create_staff', '--username', 'anna', '--password', 'long enough', '--superuser']
    t.match(await runCommand(anna, env), { status: 0 })
    const { http } = program.address
    const signedIn = await fetch(`${http}/admin/?api=1&username=anna&password=long%20enough&format=json`)
    program.session = ((await signedIn.json()) as { hash: string }).hash
    const nas = await simulateNas(program, '127.0.0.79')
    t.teardown(() => nas.stop())
    const answers: Record<string, string> = {}
    for (const login of Object.keys(expected.answers))
      answers[login] = (await nas.signIn(login, linePassword, '02-00-00-00-00-98')).kind
    t.strictSame(answers, expected.answers)
    const { reason } = (await nas.signIn('line1', linePassword, '02-00-00-00-00-97')) as { reason: string }
    t.match(reason, /session/i, 'its session is still live')
    const receipt = { account: 1, op_type: 7, op_summa: ruble }
    await program.create('FinanceOperations', receipt)
    t.match(await runCommand(['verify_ledger'], env), { status: 0, text: /all agree/ })
  })

/**
 * Goes on from the last record of the archive. By the clock of today all that has come due since would be charged at the
 * start.
 */
async function clockOf(url: string): Promise<Clock> {
  const [last] = await query(
    url,
    'SELECT extract(epoch FROM max(updated_at))::float8 * 1000 AS ms FROM radius_sessions',
  )
  const aheadMs = Date.now() - Number(last!.ms)
  return { ...systemClock, now: () => new Date(systemClock.now().getTime() - aheadMs) }
}
