// needs /usr/lib/python3/dist-packages/rest_framework from python3-djangorestframework
// needs /usr/lib/python3/dist-packages/django_filters from python3-django-filters
// needs /usr/lib/python3/dist-packages/psycopg2 from python3-psycopg2
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import t from 'tap'
import { models } from '../../src/interfaces/rest/models/index.ts'
import { parseJson } from '../../src/platform/formats/json.ts'
import { testDatabaseUrl } from '../support/database.ts'
import { openProgram } from '../support/opened-program.ts'
import { fetch } from '../support/published.ts'
import { differenceOf, differences, onlyOurs } from './drf/differences.ts'
import { requests, type Sent } from './drf/requests.ts'

/**
 * Integrators' programs were written against a Django REST framework server. The same requests go to Tollgate and to
 * such a server with the same rows; what differs is written down in drf/differences.ts, and nothing else may.
 */

const ruble = 10_000_000_000

const rows = `
  INSERT INTO tarifs (id, name, price) VALUES (1, 'Home 100', ${500 * ruble}), (2, 'Office_50%', ${900 * ruble}), (3, 'Unused', 0);
  INSERT INTO admin_accounts (id, ostatok, debit, credit, "limit", create_date)
    SELECT n, (n - 6) * ${ruble}, greatest(n - 6, 0) * ${ruble}, greatest(6 - n, 0) * ${ruble}, CASE WHEN n = 2 THEN -5 ELSE 0 END,
      '2026-01-01 10:00+03' FROM generate_series(1, 13) AS n;
  INSERT INTO abonents (id, name, contract_number, tarif_id, account_id, organization_id, email, enabled, create_date, birth_date, deleted)
    SELECT n, CASE WHEN n = 7 THEN 'Улица Мира, 5' ELSE 'Abonent ' || chr(96 + n) END, lpad(n::text, 4, '0'),
      CASE WHEN n < 12 THEN 1 + n % 2 END, n, 1, CASE WHEN n % 3 = 0 THEN 'Mail' || n || '@x.ru' END, n >= 6,
      timestamptz '2026-01-30 22:30:00+00' + n * interval '1 day', date '1990-01-01' + n, n = 13 FROM generate_series(1, 13) AS n;
  INSERT INTO abonents_block (abonent_id, b_negbal) SELECT generate_series(1, 5), true;
  INSERT INTO finance_operations (op_id, op_date, system_date, op_summa, op_type_id, abonent_id, account_id, descr, organization_id)
    SELECT n, timestamptz '2026-03-01 21:30:00+00' + n * interval '7 hours', '2026-03-01 00:00+03',
      CASE WHEN n = 1 THEN 9007199254740993 WHEN n % 2 = 0 THEN n * ${ruble} ELSE -n * ${ruble} END, CASE WHEN n % 2 = 0 THEN 7 ELSE 9 END,
      1 + n % 12, 1 + n % 12, CASE WHEN n % 3 = 0 THEN 'paid [txn:' || n || ']' END, 1 FROM generate_series(1, 8) AS n;
  INSERT INTO nas (id, name, ip, secret) VALUES (1, 'first', '10.0.0.2', 'x'), (2, 'second', '10.0.0.1', 'x');
  INSERT INTO homes (id, kind, name) VALUES (1, 'city', 'Moscow');
  INSERT INTO cards (id, serial, pin, nominal) VALUES (1, 'S-1', 'x', ${100 * ruble});
  SELECT setval('tarifs_id_seq', 3), setval('admin_accounts_id_seq', 13), setval('abonents_id_seq', 13),
    setval('finance_operations_op_id_seq', 8), setval('nas_id_seq', 2), setval('homes_id_seq', 1), setval('cards_id_seq', 1)`

/** Ours takes a key for a row that turns out not to be unique; Django looks before. */
const sameKeys = `SELECT ${['tarifs', 'nas', 'cards', 'homes', 'switches', 'uslugas']
  .map((table) => `setval('${table}_id_seq', (SELECT coalesce(max(id), 0) + 1 FROM ${table}), false)`)
  .join(', ')}`

async function filled(t: { teardown(deed: () => unknown): unknown }, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.teardown(() => client.end())
  await client.query(rows)
  // Both sides keep the same rows: ours has charged for today already.
  await client.query(
    `INSERT INTO job_runs (name, started_at, ended_at, ok, result) VALUES ('billing_worker', now(), now(), true, '{}')`,
  )
  return client
}

type Answer = { status: number; body: unknown; allow: string[] }

t.test('Tollgate answers as Django REST framework does', async (t) => {
  const urls = { ours: await testDatabaseUrl(t), theirs: await testDatabaseUrl(t) }
  const clients = await Promise.all(Object.values(urls).map((url) => filled(t, url)))
  const program = await openProgram(t, { DATABASE_URL: urls.ours })
  const oracle = await startOracle(t, urls.theirs)

  t.ok(requests.length >= 200, `${requests.length} requests`)
  const seen = new Set<object>()
  for (const sent of requests) {
    const [ours, theirs] = await Promise.all([ask(program.address.http, program.session, sent), ask(oracle, '', sent)])
    if (sent.method === 'POST') {
      // What only one of the two took goes away again, and both count on from the same key.
      if (theirs.status === 201 && ours.status !== 201) {
        await ask(oracle, '', { method: 'DELETE', path: `${sent.path}${(theirs.body as { id: number }).id}/` })
      }
      await Promise.all(clients.map((client) => client.query(sameKeys)))
    }
    const title = `${sent.method} ${sent.path} ${sent.raw ?? JSON.stringify(sent.body)?.slice(0, 120) ?? ''}`.trim()
    const difference = differenceOf(sent)
    if (!difference) {
      t.same(ours, theirs, title)
      continue
    }
    seen.add(difference)
    t.notSame(ours, theirs, `${title} still differs: ${difference.why}`)
    t.equal(ours.status, difference.ours, `${title}: ours`)
    t.equal(theirs.status, difference.theirs, `${title}: theirs`)
  }
  t.same(
    differences.filter((difference) => !seen.has(difference)).map(({ why }) => why),
    [],
    'every written difference was met',
  )
})

async function ask(base: string, session: string, { method, path, body, raw, type }: Sent): Promise<Answer> {
  const hasBody = raw !== undefined || body !== undefined
  const response = await fetch(`${base}/rest_api/v2/${path}`, {
    method,
    headers: { 'X-Session-Hash': session, ...(hasBody && { 'Content-Type': type ?? 'application/json' }) },
    ...(hasBody && { body: raw ?? JSON.stringify(body) }),
  })
  const text = Buffer.from(await response.arrayBuffer())
  const parsed =
    text.length === 0
      ? null
      : parseJson(Buffer.from(text.toString().replaceAll(base, '{base}')), Number.POSITIVE_INFINITY)
  const allow = (response.headers.get('allow') ?? '').split(', ').sort()
  return {
    status: response.status,
    body: parsed === null ? null : parsed.kind === 'parsed' ? settled(parsed.value, method) : '(not JSON)',
    allow: response.status === 405 ? allow : [],
  }
}

/** Without what is written down in differences.ts as told in other words or known to one of the two only. */
function settled(value: unknown, method: string): unknown {
  if (Array.isArray(value)) return value.map((member) => settled(member, method))
  if (typeof value === 'string') return value.replace(/^JSON parse error - .*/s, 'JSON parse error')
  if (value === null || typeof value !== 'object') return value
  const members = Object.entries(value).filter(
    ([name]) => !onlyOurs.has(name) && (method !== 'OPTIONS' || !name.endsWith('_id')),
  )
  return Object.fromEntries(members.map(([name, member]) => [name, settled(member, method)]))
}

const descriptions = Object.fromEntries(models.map(({ name, doc }) => [name, doc]))

/** Made in a folder of its own from the files beside this test; answers its address. */
async function startOracle(t: { teardown(deed: () => unknown): unknown }, databaseUrl: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-drf-'))
  const application = join(folder, 'oracle')
  mkdirSync(application)
  for (const name of ['models.py', 'serve.py']) cpSync(join('test/peers/drf', name), join(application, name))
  writeFileSync(join(application, '__init__.py'), '')
  // Debian's Python has Debian's packages; another one that comes first on the path has not.
  const server: ChildProcess = spawn('/usr/bin/python3', ['-m', 'oracle.serve'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      ORACLE_DATABASE: databaseUrl,
      ORACLE_DESCRIPTIONS: JSON.stringify(descriptions),
      PYTHONDONTWRITEBYTECODE: '1',
    },
  })
  t.teardown(async () => {
    const ended = once(server, 'exit')
    server.kill()
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  const [line] = (await once(createInterface({ input: server.stdout! }), 'line')) as [string]
  return `http://127.0.0.1:${(JSON.parse(line) as { port: number }).port}`
}
