/**
 * Makes the archive of a release for upgrades.test.ts, by that release itself: `node test/upgrades/make.ts` in its
 * checkout, before its tag is set. What the test wants to find again stands beside it in a file of its own.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../src/platform/release.ts'
import { RunningProgram } from '../support/program.ts'
import { linePassword, ruble, signUp, simulateNas } from '../support/provider.ts'
import { until } from '../support/until.ts'
import { type Expected, passphraseFile, upgradesFolder } from './expected.ts'

const program = await new RunningProgram({ TOLLGATE_RADIUS_WORKERS: '1' }).start()
const { dataDir } = program
try {
  const clients = await signUp(program, 12)
  const nas = await simulateNas(program, '127.0.0.78')
  for (const [index, { account, subscriber }] of clients.entries()) {
    const money = { account, op_type: 7, op_summa: (index + 1) * 100 * ruble }
    if (index < 8) await program.create('FinanceOperations', money)
    if (index % 3 === 0) await program.create('FinanceOperations', { account, op_type: 9, op_summa: 50 * ruble })
    if (index === 8) await program.rest('POST', `/rest_api/v2/promise_pay/${subscriber}/`, { amount: 300 })
    if (index === 9) await program.rest('PUT', `/rest_api/v2/Abonents/${subscriber}/`, { enabled: false })
  }
  await program.rest('POST', '/admin/settings/system/', {
    CONTRACT_NUMBER_PATTERN: 'A-####',
    LK_GWA_SECRET_KEY: 'live_abc',
  })
  for (const [index, { login }] of clients.slice(0, 3).entries())
    await nas.signIn(login, linePassword, `02-00-00-00-00-0${index}`)
  await until(async () => (await program.rest('GET', '/admin/radius/sessions/?state=live')).body.items.length === 3)
  const answers: Record<string, string> = {}
  for (const { login } of clients.slice(3))
    answers[login] = (await nas.signIn(login, linePassword, '02-00-00-00-00-99')).kind
  // The first three stay online.
  for (const session of nas.sessions.slice(3)) await nas.account('stop', session)
  const accounts = await program.rest('GET', '/rest_api/v2/AdminAccounts/?limit=100')
  const expected: Expected = {
    balances: Object.fromEntries(
      accounts.body.results.map((one: { id: number; ostatok: number }) => [one.id, one.ostatok]),
    ),
    answers,
    contractNumberPattern: 'A-####',
  }
  await program.stop()
  mkdirSync(upgradesFolder, { recursive: true })
  const archive = join(dataDir, 'archive.tar')
  execFileSync(process.execPath, ['src/main.ts', 'backup', archive, '--passphrase-file', passphraseFile], {
    stdio: 'inherit',
    env: { ...process.env, TOLLGATE_DATA_DIR: dataDir },
  })
  const target = join(upgradesFolder, version)
  execFileSync('cp', [archive, `${target}.tar`])
  writeFileSync(`${target}.json`, `${JSON.stringify(expected, null, 2)}\n`)
} finally {
  await program.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
process.exit(0)
