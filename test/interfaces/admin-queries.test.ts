import t from 'tap'
import { cursorOf } from '../../src/interfaces/admin/cursors.ts'
import { publishedByProgram } from '../support/published.ts'
import { type Json, newSubscriber, openDoors } from './door.ts'

/**
 * Every door of the office that reads a query is asked for what PostgreSQL, a date, a number or an expression of ours
 * may trip over, and for pages after places of another list, of another order, or of none. Each answers; none fails.
 */
const doors = await openDoors(t)
const { document } = publishedByProgram(doors.parts.routes)
const { abonent } = await newSubscriber(doors)
await doors.post('/admin/Abonents/tickets/1/', { subject: 'No line', body: 'x' })
await doors.rows(
  `INSERT INTO staff_runs (kind, lock, staff_id, user_name, asked, state) VALUES ('import', 'x', 1, 'x', '{}', 'done')`,
)

const texts = [
  ...['%', '_', '\\', "'", '"', '$1', '(', '*+?', '{"a":1}', 'null', '\u{10ffff}', '😀'],
  ...['0', '-1', '1e3', '1.5', 'NaN', 'Infinity', '999999999', '999999999999999', '9'.repeat(19), '9'.repeat(20)],
  ...['0001-01-01', '9999-12-31', '9999-12-31T23:59:59', '2026-02-30', '2026-01-01T00:00:00+15:59', 'now', 'epoch'],
  ...['10.0.0.0/33', '0.0.0.0/0', '255.255.255.255/32', '10.0.0.1', '::', '::/128', '::ffff:1.2.3.4', 'fe80::1%eth0'],
  ...['00:00:00:00:00:00', '+7 (999) 999-99-99', '№ 1', 'ул. 8 Марта, 1, 1'],
  ...['a '.repeat(99), '%'.repeat(200), '1'.repeat(200), '1.'.repeat(100), 'a'.repeat(10_000)],
]

const encoded = (text: string): string => Buffer.from(text).toString('base64url')
const cursors = [
  ...texts.map((value) => cursorOf({ value, id: 1 })),
  ...['', '1', 'a'].flatMap((value) => [-1, Number.MAX_SAFE_INTEGER].map((id) => cursorOf({ value, id }))),
  ...['2026-01-01T00:00:00.000000Z 3 1', '9999-12-31 9 999999999999999999', '0001-01-01 0 1', '1.2.3.4'].map(encoded),
  ...['[]', '["1"]', '["1",1.5]', '["1",1e400]', '["\\ud800",1]', '["\\u0000",1]', '{}', '[['.repeat(500)].map(encoded),
  ...['!', 'a'],
]

type Parameter = { readonly name: string; readonly in: string; readonly schema: Json }
type Door = { readonly path: string; readonly parameters: readonly Parameter[] }

const asked: readonly Door[] = Object.entries<Json>(document.paths).flatMap(([path, { get }]) => {
  const parameters = (get?.parameters ?? []).filter((one: Parameter) => one.in === 'query')
  return path.startsWith('/admin/') && parameters.length > 0 ? [{ path, parameters }] : []
})

/** Why it failed; null: it answered. */
async function faultOf(path: string, query: Readonly<Record<string, string>>): Promise<string | null> {
  const address = `${path.replace(/\{\w+\}/g, '1')}?${new URLSearchParams(query)}`
  try {
    const { status } = await doors.get(address)
    return status < 500 ? null : `${address.slice(0, 200)}: ${status}`
  } catch (error) {
    return `${address.slice(0, 200)}: ${error}`
  }
}

/** What a list must have been told besides, so that it goes on after a place. */
const sortsOf = (parameters: readonly Parameter[]): readonly string[] =>
  parameters.find(({ name }) => name === 'sort')?.schema.enum ?? ['']

/** A sixth of them at random: what a run does not ask a door for, another one does. A fault tells what was asked. */
const someOf = (all: readonly string[]): readonly string[] => all.filter(() => Math.random() < 1 / 6)

t.equal(abonent.id, 1)

t.test('no text that a query may hold fails', async (t) => {
  for (const { path, parameters } of asked) {
    const faults: (string | null)[] = []
    for (const { name } of parameters)
      if (name !== 'cursor') for (const text of someOf(texts)) faults.push(await faultOf(path, { [name]: text }))
    t.strictSame(
      faults.filter((fault) => fault !== null),
      [],
      path,
    )
  }
})

t.test('no cursor fails, whichever list it is of', async (t) => {
  for (const { path, parameters } of asked.filter((one) => one.parameters.some(({ name }) => name === 'cursor'))) {
    const faults: (string | null)[] = []
    for (const sort of sortsOf(parameters))
      for (const cursor of someOf(cursors)) faults.push(await faultOf(path, { cursor, ...(sort !== '' && { sort }) }))
    t.strictSame(
      faults.filter((fault) => fault !== null),
      [],
      path,
    )
  }
})
