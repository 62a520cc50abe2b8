import t from 'tap'
import { reaching } from './changed-files.ts'

const money = 'test/domain/money.test.ts'
const commands = 'test/app/commands.test.ts'
const portal = 'test/interfaces/portal/pages.test.ts'
const files = [money, commands, portal]

t.test('a change reaches the tests whose imports come to it, and no others', async (t) => {
  t.strictSame(reaching(files, []), [])
  t.strictSame(reaching(files, ['src/domain/money.ts']), files, 'the program counts money too')
  t.strictSame(reaching(files, [money]), [money])
  t.strictSame(reaching([money, commands], ['test/support/provider.ts']), [])
  t.strictSame(reaching(files, ['README.md']), [])
})

t.test('what is started, read or listed is followed like an import', async (t) => {
  t.ok(reaching(files, ['src/app/commands/migrate.ts']).includes(commands), 'a command, by way of main.ts')
  t.ok(reaching([portal], ['migrations/anything.ts']).includes(portal), 'a folder that is read')
})

t.test('what decides how everything runs reaches everything', async (t) => {
  t.strictSame(reaching(files, ['package.json']), files)
})
