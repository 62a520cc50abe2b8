import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'
import { imports } from './rooms.ts'

/** The import picture of the README, checked on the source itself. */
const files = globSync('src/**/*.{ts,tsx}').sort()
const sources = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))

function importsOf(file: string): string[] {
  const found = (sources.get(file) ?? '').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)
  // Types that are generated from the source stand outside it.
  return [...found]
    .map((match) => normalize(join(dirname(file), match[1]!)))
    .filter((target) => target.startsWith('src/'))
}

/**
 * `src/network/radius/wire/packet.ts` is in room `network/radius/wire`, `src/live/topics.ts` in `live`,
 * `src/app/commands/serve.ts` in `app`; a file that stands alone in `src` or in `src/platform` is its own room.
 */
function roomOf(file: string): string {
  const parts = file
    .replace(/\.tsx?$/, '')
    .split('/')
    .slice(1)
  if (parts.length === 1 || ['app', 'console', 'domain', 'live', 'demo'].includes(parts[0]!)) return parts[0]!
  const isSplit = parts[1] === 'radius' && parts.length > 3
  return parts.slice(0, isSplit ? 3 : 2).join('/')
}

const wingOf = (file: string): string => roomOf(file).split('/')[0]!

/** Each wing imports wings further down and nothing back up; those of one step do not know each other. */
const steps: readonly (readonly string[])[] = [
  ['main', 'demo', 'console'],
  ['app'],
  ['interfaces'],
  ['network', 'live', 'billing'],
  ['platform'],
  ['domain'],
]
const stepOf = (wing: string): number => steps.findIndex((wings) => wings.includes(wing))

const edges = files.flatMap((file) => importsOf(file).map((target) => ({ file, target })))

t.test('imports run down the wings, and never back', async (t) => {
  const against = edges.filter(({ file, target }) => {
    const [from, to] = [wingOf(file), wingOf(target)]
    if (from === 'interfaces' && to === 'interfaces') return roomOf(file) !== roomOf(target)
    if (from === to || from === 'main' || from === 'demo') return false
    return stepOf(to) <= stepOf(from)
  })
  const found = against.map(({ file, target }) => `${file} > ${target}`).sort()
  t.strictSame(found, [], 'no interface knows another, and no wing one above or beside it')
})

t.test('no file imports, by whatever way, a file that imports it', async (t) => {
  const onTheWay: string[] = []
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (file: string): void => {
    const at = onTheWay.indexOf(file)
    if (at >= 0) circles.push([...onTheWay.slice(at), file].join(' > '))
    if (at >= 0 || done.has(file) || !sources.has(file)) return
    onTheWay.push(file)
    for (const target of importsOf(file)) visit(target)
    onTheWay.pop()
    done.add(file)
  }
  for (const file of files) visit(file)
  t.strictSame(circles, [], 'imports of types count as well')
})

t.test('rooms import exactly the rooms that are listed', async (t) => {
  const free = ['app', 'main', 'demo']
  const listed = new Set(
    Object.entries(imports).flatMap(([room, others]) => others.map((other) => `${room} > ${other}`)),
  )
  const found = new Map<string, string>()
  for (const { file, target } of edges) {
    const [from, to] = [roomOf(file), roomOf(target)]
    if (from !== to && !free.includes(from)) found.set(`${from} > ${to}`, `${file} > ${target}`)
  }
  const isNew = [...found].filter(([edge]) => !listed.has(edge)).map(([, example]) => example)
  t.strictSame(isNew, [], 'imports that test/rooms.ts does not list')
  t.strictSame(
    [...listed].filter((edge) => !found.has(edge)),
    [],
    'lines of test/rooms.ts that no import needs',
  )
  t.strictSame(
    [...listed].filter((edge) => listed.has(edge.split(' > ').reverse().join(' > '))),
    [],
    'no two rooms import each other',
  )
})

t.test('what makes traces is loaded where traces are wanted, and nowhere else', async (t) => {
  const makers = ['src/platform/tracing/otlp.ts', 'src/platform/tracing/span-sender.ts']
  const importers = edges.filter(({ file, target }) => makers.includes(target) && !makers.includes(file))
  t.strictSame(importers, [{ file: 'src/app/base.ts', target: makers[0]! }])
  t.match(
    sources.get('src/app/base.ts'),
    /if \(traces === null\) return null\n\s+return \(await import\('[^']*otlp\.ts'\)\)/,
  )
})

t.test('what a start does not need is loaded when it is first used', async (t) => {
  const late = /^(?:import (?!type )|\} )[^\n]*from '(?:node:http|jose|ws|[^']*\/node-http\.ts)'/m
  const serving = ['src/platform/http/node-http.ts', 'src/demo/gateways/site.ts']
  const importers = files.filter((file) => wingOf(file) !== 'console' && late.test(sources.get(file)!))
  t.strictSame(importers, serving.toSorted(), 'others ask src/platform/builtin-http.ts, or import it where they use it')
})

t.test('what a start leaves out is imported where an installed program loads it once it serves', async (t) => {
  const late = ['src/platform/late-packages.ts', 'src/platform/storage/database.ts']
  /** These import while the program starts, or in a command. */
  const early = [
    'src/app/base.ts',
    'src/platform/http/choose-transport.ts',
    'src/platform/storage/migrate.ts',
    'src/platform/storage/schema-check.ts',
  ]
  const isOfServer = (file: string) =>
    !['console', 'demo', 'main'].includes(wingOf(file)) && !file.startsWith('src/app/commands/')
  const importers = files.filter((file) => isOfServer(file) && /\bimport\('/.test(sources.get(file)!))
  t.strictSame(importers, [...early, ...late].toSorted(), 'src/app/late-modules.ts loads what late-packages.ts names')
})

t.test('a module that is not imported is named without its ending, which is another in a package', (t) => {
  const named = files.filter((file) => /new URL\(['"`][^'"`]*\.ts['"`], import\.meta\.url/.test(sources.get(file)!))
  t.strictSame(named, [], 'src/platform/sibling-module.ts knows it')
  t.ok(files.some((file) => sources.get(file)!.includes('siblingModule(import.meta.url,')))
  t.end()
})

t.test('every wing of src is in the picture', async (t) => {
  for (const wing of new Set(files.map(wingOf))) t.ok(stepOf(wing) >= 0, `${wing} has a step`)
})

t.test('the business, the actors and the wire codec import nothing of ours', async (t) => {
  for (const room of ['domain', 'platform/actors', 'network/radius/wire']) {
    const foreign = edges.filter(({ file, target }) => roomOf(file) === room && roomOf(target) !== room)
    t.strictSame(foreign, [], `${room} stands alone`)
  }
})

t.test('of the server the console imports types alone, and the server nothing of the console', async (t) => {
  const ofServer = files
    .filter((file) => wingOf(file) === 'console')
    .flatMap((file) => {
      const source = sources.get(file)!.replace(/import type [^;]*?from '[^']+'/gs, '')
      const values = source.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)
      const targets = [...values].map((match) => normalize(join(dirname(file), match[1]!)))
      return targets.filter((target) => !target.startsWith('src/console/')).map((target) => `${file} > ${target}`)
    })
  t.strictSame(ofServer, [], 'what runs in a browser is in src/console')
  const ofConsole = edges.filter(({ file, target }) => wingOf(file) !== 'console' && wingOf(target) === 'console')
  t.strictSame(ofConsole, [])
})

t.test('a worker thread never reaches storage, accounts or an edge', async (t) => {
  const entries = ['src/network/radius/worker/worker.ts', 'src/billing/documents/worker.ts']
  const reached = new Set<string>()
  const visit = (file: string) => {
    if (reached.has(file)) return
    reached.add(file)
    // Types are erased before the thread starts; only imports of values are followed.
    const source = (sources.get(file) ?? '').replace(/import type [^;]*?from '[^']+'/gs, '')
    for (const match of source.matchAll(/from '(\.[^']+)'/g)) visit(normalize(join(dirname(file), match[1]!)))
  }
  for (const entry of entries) visit(entry)
  const rooms = [...reached].map(roomOf)
  const closed =
    /^(app|interfaces|live|billing\/(?!documents)|platform\/(records|storage|http|staff|settings|postgres))/
  t.strictSame(
    rooms.filter((room) => closed.test(room)),
    [],
  )
})

t.test('the README has a line for every wing, and names every room of it', async (t) => {
  const readme = readFileSync('README.md', 'utf8')
  const folders = files.filter((file) => file.split('/').length > 2)
  for (const wing of new Set(folders.map(wingOf))) {
    const line = readme.split('\n').find((line) => line.startsWith('| ') && line.includes(`\`${wing}/`))
    t.ok(line, `${wing} is in the README`)
    const rooms = folders.filter((file) => wingOf(file) === wing && file.split('/').length > 3).map(roomOf)
    for (const room of new Set(rooms))
      t.ok(line?.includes(`\`${room.split('/').at(-1)}/`), `${room} is in the line of ${wing}`)
  }
})

/** Functions that are still too long; each one that is cut is taken off this list, and none is added. */
const longFunctions: readonly string[] = []

const indentOf = (line: string): number => line.length - line.trimStart().length
const otherBlock =
  /^(if|for|while|switch|catch|else|try|do|(export )?(default )?class|} (else|catch|finally)|(export )?type|return {)\b/
const functionHead = /=> {$|\bfunction\b.*{$|^(static |async |get |set |override |\*)*[#\w]+(<.*>)?\(.*\).*{$|^\).*{$/

/** The source is formatted, so a function ends at the first brace that is no further in than its head. */
function longFunctionsOf(file: string): string[] {
  const lines = sources.get(file)!.split('\n')
  return lines.flatMap((line, at) => {
    const head = line.trim()
    if (!functionHead.test(head) || otherBlock.test(head)) return []
    const indent = indentOf(line)
    const isSibling = (other: string) => other !== '' && indentOf(other) === indent
    // A head of several lines begins where the line with its closing parenthesis was opened.
    const start = head.startsWith(')') ? lines.slice(0, at).findLastIndex(isSibling) : at
    const end = lines.findIndex((other, index) => index > at && isSibling(other))
    return end - start + 1 > 60 ? [`${file}: ${lines[start]!.trim()}`] : []
  })
}

t.test('functions fit on a screen: 60 lines', async (t) => {
  t.strictSame(files.flatMap(longFunctionsOf), longFunctions)
})

t.test('files stay short and finished', async (t) => {
  const filesWith = (is: (source: string) => boolean) => files.filter((file) => is(sources.get(file)!))
  t.strictSame(
    filesWith((source) => source.split('\n').length > 450),
    [],
    'each has at most 450 lines',
  )
  t.strictSame(
    filesWith((source) => /\b(TODO|FIXME|XXX)\b/.test(source)),
    [],
    'none leaves anything for later',
  )
})

/** Servers with routes of a test's own, and the chaos run, which asks a program in trouble and judges by the tables. */
const asksByItself = /^test\/(platform|chaos)\/|^test\/support\/(published|phone)\.ts$/

t.test('what tests ask of the program goes through the fetch that knows the document', async (t) => {
  const asking = globSync('test/**/*.ts').filter((file) => !asksByItself.test(file))
  const aside = asking.filter((file) => {
    const source = readFileSync(file, 'utf8')
    const asks = /(?<![.\w`])fetch\(/.test(source.replace(/^\s*(\/\/|\/?\*).*$/gm, ''))
    return asks && !/import \{[^}]*\bfetch\b[^}]*\} from '[^']*\/published\.ts'/.test(source)
  })
  t.same(aside, [])
})

t.test('other servers are called through src/platform/outgoing alone', async (t) => {
  const calls = [
    /(?<![.#\w`])fetch\(/,
    /from 'node:http2'/,
    // Who makes a server alone calls nobody.
    /import (?!\{ createServer\b[^,}]*\})[^;\n]*? from 'node:https'/,
    /import (?:\* as|\{[^}]*\b(?:request|get|connect|createConnection|Agent)\b)[^;]*? from 'node:(?:http|net|tls)'/,
  ]
  const callers = [...sources].filter(([, source]) => calls.some((call) => call.test(source)))
  const outside = callers
    .map(([file]) => file)
    .filter((file) => !/^src\/(platform\/outgoing|demo|console)\//.test(file))
  t.same(outside, [])
  t.equal(callers.length - outside.length > 0, true)
  const mail = [...sources].filter(([, source]) => source.includes('createTransport('))
  for (const [file, source] of mail) t.match(source, /getSocket:/, `${file} opens its sockets there too`)
})

t.test('nobody but the ledger and the import writes a balance, a block or an access switch', async (t) => {
  const writers = /^src\/billing\/(accounts\/|importing\/creation\.ts)/
  const write =
    /\b(?:UPDATE|INSERT INTO|DELETE FROM|MERGE INTO)\s+(admin_accounts|abonents_block|abonents|users)\b([^`]{0,600})/g
  const guarded = /\b(?:ostatok|debit|credit|debt_since|enabled|b_negbal|b_admin|b_own|b_sys)\b\s*[=,)]/
  for (const [file, source] of sources) {
    if (writers.test(file)) continue
    for (const [statement, table, rest] of source.matchAll(write)) {
      const isHarmless =
        table !== 'abonents_block' && !guarded.test(rest!.split(/\b(?:WHERE|FROM|VALUES|SELECT)\b/)[0]!)
      t.ok(isHarmless, `${file} leaves the ledger's columns alone: ${statement.slice(0, 100)}`)
    }
  }
})

t.test('every package is installed as it was when it was chosen', async (t) => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  const { '': own, ...installed } = packages
  for (const list of ['dependencies', 'optionalDependencies', 'devDependencies'])
    for (const [name, version] of Object.entries<string>(own[list] ?? {}))
      t.match(version, /^(npm:[\w.-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/, `${name} is pinned`)
  for (const [name, { resolved, integrity }] of Object.entries<Record<string, string>>(installed)) {
    t.match(integrity, /^sha512-/, `${name} is checked against a digest`)
    t.ok(
      resolved === undefined || resolved.startsWith('https://registry.npmjs.org/'),
      `${name} comes from the registry`,
    )
  }
})

t.test('comments stay within 120 columns', async (t) => {
  for (const [file, source] of sources) {
    const wide = source.split('\n').filter((line) => line.length > 120 && /^\s*(\/\/|\/\*|\*)/.test(line))
    t.strictSame(wide, [], file)
  }
})
