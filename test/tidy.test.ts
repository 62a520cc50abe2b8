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

/** `src/radius/wire/packet.ts` is in room `radius/wire`; a file directly under src is its own room. */
function roomOf(file: string): string {
  const parts = file.split('/').slice(1)
  if (parts.length === 1) return parts[0]!.replace('.ts', '')
  return parts[0] === 'radius' && parts[1] === 'wire' ? 'radius/wire' : parts[0]!
}

const roomsImportedBy = (room: string) =>
  new Set(
    files
      .filter((file) => roomOf(file) === room)
      .flatMap(importsOf)
      .map(roomOf)
      .filter((other) => other !== room),
  )

const allowed: Record<string, readonly string[]> = {
  domain: [],
  actors: [],
  'radius/wire': [],
  events: ['domain'],
  unavailable: [],
  'start-refusal': [],
  log: [],
  accounts: ['actors', 'domain', 'events', 'unavailable'],
  access: ['domain', 'radius/wire', 'radius', 'settings', 'storage', 'log', 'events'],
  settings: ['storage', 'log', 'domain', 'unavailable'],
  storage: ['actors', 'domain', 'log', 'events', 'unavailable', 'start-refusal'],
  clients: ['accounts', 'actors', 'domain', 'http', 'log', 'settings', 'storage'],
  http: ['actors', 'clients', 'storage', 'domain', 'log', 'unavailable', 'settings', 'start-refusal'],
  faces: [
    'http',
    'accounts',
    'domain',
    'storage',
    'log',
    'events',
    'unavailable',
    'settings',
    'actors',
    'clients',
    'radius/wire',
    'documents',
    'fiscal',
    'payments',
  ],
  payments: ['accounts', 'actors', 'domain', 'http', 'log', 'settings', 'storage', 'unavailable'],
  documents: ['domain', 'storage', 'unavailable'],
  fiscal: ['actors', 'domain', 'log', 'storage'],
  importing: ['domain', 'storage', 'radius/wire'],
  live: ['http', 'domain', 'events', 'log'],
  messages: ['actors', 'domain', 'events', 'log', 'start-refusal'],
  jobs: ['accounts', 'actors', 'domain', 'log', 'settings', 'storage', 'unavailable'],
  radius: [
    'radius/wire',
    'access',
    'domain',
    'events',
    'log',
    'storage',
    'settings',
    'actors',
    'unavailable',
    'start-refusal',
  ],
  metrics: ['domain', 'log', 'events', 'start-refusal'],
}

t.test('every room imports only what the picture allows', async (t) => {
  for (const [room, others] of Object.entries(allowed)) {
    const foreign = [...roomsImportedBy(room)].filter((other) => !others.includes(other))
    t.strictSame(foreign, [], `${room} imports nothing foreign`)
  }
})

t.test('a worker thread never reaches storage, accounts or an edge', async (t) => {
  const entries = ['src/radius/worker.ts', 'src/documents/worker.ts']
  const reached = new Set<string>()
  const visit = (file: string) => {
    if (reached.has(file)) return
    reached.add(file)
    // Types are erased before the thread starts; only imports of values are followed.
    const source = (sources.get(file) ?? '').replace(/import type [^;]*?from '[^']+'/gs, '')
    for (const match of source.matchAll(/from '(\.[^']+)'/g)) visit(normalize(join(dirname(file), match[1]!)))
  }
  for (const entry of entries) visit(entry)
  const rooms = new Set([...reached].map(roomOf))
  for (const room of ['storage', 'accounts', 'http', 'faces', 'live', 'jobs', 'settings']) {
    t.notOk(rooms.has(room), `no worker reaches ${room}`)
  }
})

t.test('the README has a line for every room', async (t) => {
  const readme = readFileSync('README.md', 'utf8')
  for (const room of new Set(files.map((file) => file.split('/').slice(1)))) {
    const name = room.length > 1 ? `\`${room[0]}/` : null
    if (name) t.ok(readme.includes(name), `${name} is in the README`)
  }
})

t.test('files stay short and finished', async (t) => {
  for (const [file, source] of sources) {
    t.ok(source.split('\n').length <= 450, `${file} is at most 450 lines`)
    t.notMatch(source, /\b(TODO|FIXME|XXX)\b/, `${file} leaves nothing for later`)
  }
})
