/**
 * Makes a release: `npm run release -- 0.2.0`. Everything is checked before anything is written, and nothing is pushed:
 * `git push --follow-tags` does that, or `git reset --hard` takes the commit back.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { licencesFile, licencesText } from './licences.ts'
import { type Checkout, faultsOf, releasedChangelog } from './checks.ts'
import { root } from './packages.ts'

const run = (program: string, ...args: string[]): string => execFileSync(program, args, { cwd: root, encoding: 'utf8' })
const show = (program: string, ...args: string[]) => execFileSync(program, args, { cwd: root, stdio: 'inherit' })
const say = (sentence: string) => process.stdout.write(`${sentence}\n`)

const [version = ''] = process.argv.slice(2)
const description = () => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const changelogFile = join(root, 'CHANGELOG.md')
const checkout: Checkout = {
  wanted: version,
  present: description().version,
  changes: run('git', 'status', '--porcelain').trim(),
  branch: run('git', 'branch', '--show-current').trim(),
  tags: run('git', 'tag', '--list').split('\n'),
  changelog: readFileSync(changelogFile, 'utf8'),
  isLicencesCurrent: readFileSync(licencesFile, 'utf8') === licencesText(),
}
const faults = faultsOf(checkout)
if (faults.length > 0) {
  for (const fault of faults) say(fault)
  process.exit(1)
}
writeFileSync(changelogFile, releasedChangelog(checkout.changelog, version, new Date()))
if (version !== checkout.present) show('npm', 'version', version, '--no-git-tag-version')
// By the release itself: every later one is started on it.
show(process.execPath, 'test/upgrades/make.ts')
show('git', 'add', 'CHANGELOG.md', 'package.json', 'package-lock.json', 'test/upgrades')
show('git', 'commit', '--quiet', '--message', `Tollgate ${version}`)
show('git', 'tag', '--annotate', `v${version}`, '--message', `Tollgate ${version}`)
mkdirSync(join(root, 'build'), { recursive: true })
writeFileSync(join(root, 'build', 'commit'), run('git', 'rev-parse', 'HEAD'))
mkdirSync(join(root, 'dist'), { recursive: true })
const bom = join('dist', `tollgate-${version}.cdx.json`)
writeFileSync(
  join(root, bom),
  run('npm', 'sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--omit', 'dev'),
)
show('npm', 'run', 'package')
say(
  `Tollgate ${version} is tagged v${version}; ${bom} lists what it is made of. \`git push --follow-tags\` publishes it.`,
)
