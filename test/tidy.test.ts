import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import t from 'tap'

/** The import picture of the README, checked on the source itself. */
const files = globSync('src/**/*.ts').sort()
const sources = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))

function importsOf(file: string): string[] {
  const found = (sources.get(file) ?? '').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)
  return [...found].map((match) => normalize(join(dirname(file), match[1]!)))
}

/**
 * `src/network/radius/wire/packet.ts` is in room `network/radius/wire`, `src/live/topics.ts` in `live`, `src/app/commands/serve.ts` in `app`;
 * a file that stands alone in `src` or in `src/platform` is its own room.
 */
function roomOf(file: string): string {
  const parts = file.replace('.ts', '').split('/').slice(1)
  if (parts.length === 1 || ['app', 'domain', 'live', 'demo'].includes(parts[0]!)) return parts[0]!
  const isSplit = parts[1] === 'radius' && parts.length > 3
  return parts.slice(0, isSplit ? 3 : 2).join('/')
}

const wingOf = (file: string): string => roomOf(file).split('/')[0]!

/** Each wing imports wings further down and nothing back up; those of one step do not know each other. */
const steps: readonly (readonly string[])[] = [
  ['main', 'demo'],
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
    // The command that starts the demo is as thin as main itself.
    if (target === 'src/demo/demo.ts') return false
    return stepOf(to) <= stepOf(from)
  })
  const found = against.map(({ file, target }) => `${file} > ${target}`).sort()
  t.strictSame(found, [], 'no interface knows another, and no wing one above or beside it')
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

t.test('the README has a line for every wing', async (t) => {
  const readme = readFileSync('README.md', 'utf8')
  for (const wing of new Set(files.filter((file) => file.split('/').length > 2).map(wingOf)))
    t.ok(readme.includes(`\`${wing}/`), `${wing} is in the README`)
})

t.test('files stay short and finished', async (t) => {
  for (const [file, source] of sources) {
    t.ok(source.split('\n').length <= 450, `${file} is at most 450 lines`)
    t.notMatch(source, /\b(TODO|FIXME|XXX)\b/, `${file} leaves nothing for later`)
  }
})
