import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type { RunningProgram } from '../test/support/program.ts'
import { alone, type Figure, figureAtMost, percentile, table } from './figures.ts'
import { signInBranch } from './lists/branch.ts'
import { withProvider } from './lists.ts'
import { cpuMicroseconds } from './processes.ts'

type SearchOptions = {
  /** Subscribers. */
  rows: number
  /** Questions of each kind. */
  asked: number
  /** A data folder that is kept, and filled where it is empty. */
  folder?: string
}

const targetMs = 50

/** What a question is about, and what the answer must have in which group; null: it finds nothing. */
type Question = { readonly q: string; readonly expected: readonly [kind: string, id: number] | string | null }
type Draw = (below: number) => number

/** Always the same questions: a linear congruential generator. */
function dice(): Draw {
  let state = 4711
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** The names of fill.ts: eight surnames and six first names make every word as common as words can be. */
const surnames = ['Иванов', 'Петров', 'Сидоров', 'Кузнецов', 'Смирнов', 'Попов', 'Волков', 'Соколов']
const forenames = ['Иван', 'Пётр', 'Анна', 'Мария', 'Олег', 'Ольга']
const streetNames = ['Ленина', 'Мира', 'Садовая', 'Советская', 'Школьная', 'Лесная', 'Новая', 'Победы']

const oneOf = <T>(draw: Draw, values: readonly T[]): T => values[draw(values.length)]!
/** As far as somebody has typed. */
const begun = (draw: Draw, word: string): string => word.slice(0, 1 + draw(word.length))

type Kind = { readonly what: string; readonly ask: (draw: Draw, rows: number) => Question }

const spellings: readonly ((mac: string) => string)[] = [
  (mac) => mac.match(/../g)!.join(':'),
  (mac) => mac.match(/../g)!.join('-').toUpperCase(),
  (mac) => mac.match(/..../g)!.join('.'),
  (mac) => mac,
]

/** Ids of fill.ts, whose subscriber, account and login have the same number; every 200th is deleted. */
const living = (draw: Draw, rows: number): number => {
  const id = 1 + draw(rows)
  return id % 200 === 0 ? 1 : id
}

const ofLiving =
  (spell: (id: number, draw: Draw) => string, kind: string) =>
  (draw: Draw, rows: number): Question => {
    const id = living(draw, rows)
    return { q: spell(id, draw), expected: [kind, id] }
  }

const kinds: readonly Kind[] = [
  {
    what: 'a surname or a first name',
    ask: (draw) => ({ q: oneOf(draw, [...surnames, ...forenames]), expected: 'subscriber' }),
  },
  {
    what: 'a name as far as it is typed',
    ask: (draw) => ({ q: begun(draw, oneOf(draw, [...surnames, ...forenames])), expected: 'subscriber' }),
  },
  {
    what: 'surname and first name, in any order',
    ask: (draw) => {
      const words = [oneOf(draw, surnames), oneOf(draw, forenames)]
      return { q: (draw(2) === 0 ? words : words.reverse()).join(' '), expected: 'subscriber' }
    },
  },
  {
    what: 'two words, each as far as it is typed',
    ask: (draw) => {
      const words = [begun(draw, oneOf(draw, surnames)), begun(draw, oneOf(draw, forenames))]
      return { q: (draw(2) === 0 ? words : words.reverse()).join(' '), expected: 'subscriber' }
    },
  },
  {
    what: 'two common words that nobody has together',
    ask: (draw) => ({ q: `${oneOf(draw, surnames)} ${oneOf(draw, surnames)}а`, expected: null }),
  },
  {
    what: 'two common words and a rare one',
    ask: (draw, rows) => ({ q: `${oneOf(draw, forenames)} ${1 + draw(rows)}`, expected: '' }),
  },
  { what: 'words that nobody has', ask: (draw) => ({ q: `Мухаметзянова ${oneOf(draw, forenames)}`, expected: null }) },
  { what: 'a contract', ask: ofLiving((id) => String(id).padStart(8, '0'), 'subscriber') },
  { what: 'a phone', ask: (draw) => ({ q: `8 9${draw(99)} ${100 + draw(900)}-${10 + draw(90)}`, expected: '' }) },
  {
    what: 'the last four digits of a phone',
    ask: (draw) => ({ q: String(1000 + draw(9000)), expected: 'subscriber' }),
  },
  { what: 'a login', ask: ofLiving((id) => `user${id}`, 'login') },
  {
    what: 'a login as far as it is typed',
    ask: (draw, rows) => ({ q: begun(draw, `user${1 + draw(rows)}`), expected: 'login' }),
  },
  {
    what: 'an IP address',
    ask: (draw, rows) => {
      const id = living(draw, rows)
      const fixed = id % 4 === 0 ? id - 1 : id
      return { q: [10, fixed >> 16, (fixed >> 8) & 255, fixed & 255].join('.'), expected: ['login', fixed] }
    },
  },
  {
    what: 'an IPv6 address',
    ask: (draw, rows) => {
      const id = 2 * (1 + draw(Math.floor(rows / 2)))
      return {
        q: `2001:db8:${(id >> 16).toString(16)}:${(id & 65535).toString(16)}::${draw(65535).toString(16)}`,
        expected: ['login', id],
      }
    },
  },
  {
    what: 'a MAC in any writing',
    ask: ofLiving((id, draw) => oneOf(draw, spellings)(id.toString(16).padStart(12, '0')), 'login'),
  },
  {
    what: 'street, house and flat',
    ask: (draw, rows) => {
      const streets = Math.ceil(rows / 1000)
      const street = 1 + draw(streets)
      const name = streetNames[Math.floor(street / 10) % 8]
      return {
        q: `Город ${1 + (street % 10)}, ул. ${name} ${street}, д. ${1 + draw(20)}, кв. ${1 + draw(50)}`,
        expected: '',
      }
    },
  },
  { what: 'a street', ask: (draw, rows) => ({ q: oneOf(draw, streetNames), expected: rows < 100_000 ? '' : 'home' }) },
  {
    what: 'the number of an operation or a ticket',
    ask: (draw, rows) => {
      const id = 1 + draw(rows)
      return { q: `№ ${id}`, expected: [draw(2) === 0 ? 'operation' : 'ticket', id] }
    },
  },
  {
    what: 'a payment by its number at the gateway',
    ask: (draw, rows) => ({ q: `pay${1 + draw(rows)}`, expected: '' }),
  },
  { what: 'a NAS', ask: (draw) => ({ q: `nas ${1 + draw(50)}`, expected: 'nas' }) },
  {
    what: 'a pool by an address in it',
    ask: (draw) => ({ q: `100.${65 + draw(5)}.${draw(256)}.${draw(256)}`, expected: 'pool' }),
  },
]

/**
 * Questions of each kind, asked one at a time by HTTP, by somebody who sees everything and by somebody of one small
 * organization. The first answers of all kinds warm the connections of the program, which remember their statements.
 */
export async function measureSearch({ rows, asked, folder }: SearchOptions): Promise<Figure[]> {
  return await withProvider({ rows, ...(folder !== undefined && { folder }) }, async (program, pids) => {
    const figures: Figure[] = []
    for (const [who, session] of [
      ['', program.session],
      [', staff of one organization of five', await signInBranch(program)],
    ] as const) {
      const draw = dice()
      for (const { ask } of kinds) for (let n = 0; n < 20; n++) await time(program, session, ask(draw, rows).q)
      for (const { what, ask } of kinds) {
        const samples: number[] = []
        const before = cpuMicroseconds(pids)
        for (let n = 0; n < asked; n++) {
          const question = ask(draw, rows)
          const { ms, groups } = await time(program, session, question.q)
          if (who === '') check(question, groups)
          samples.push(ms)
        }
        figures.push(
          alone(`search, ${what}${who}, CPU`, 'ms', (cpuMicroseconds(pids) - before) / 1000 / asked),
          alone(`search, ${what}${who}, p50`, 'ms', percentile(samples, 0.5)),
          alone(`search, ${what}${who}, p99`, 'ms', percentile(samples, 0.99), figureAtMost(targetMs)),
        )
      }
    }
    return figures
  })
}

type Group = { readonly kind: string; readonly items: readonly { readonly id: number }[] }

async function time(program: RunningProgram, session: string, q: string): Promise<{ ms: number; groups: Group[] }> {
  const startedMs = performance.now()
  const response = await fetch(`${program.address.http}/admin/search/?${new URLSearchParams({ q })}`, {
    headers: { 'X-Session-Hash': session },
  })
  const text = await response.text()
  const ms = performance.now() - startedMs
  if (response.status !== 200) throw new Error(`${q}: ${response.status} ${text}`)
  return { ms, groups: (JSON.parse(text) as { groups: Group[] }).groups }
}

/** A fast answer that is wrong is none. */
function check({ q, expected }: Question, groups: readonly Group[]): void {
  const told = JSON.stringify(groups)
  if (expected === null && groups.length > 0) throw new Error(`${q} finds ${told}`)
  if (expected === null || expected === '') return
  const [kind, id] = typeof expected === 'string' ? [expected, null] : expected
  const items = groups.find((group) => group.kind === kind)?.items ?? []
  if (items.length === 0 || (id !== null && !items.some((item) => item.id === id)))
    throw new Error(`${q} does not find ${kind} ${id ?? ''}: ${told}`)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values } = parseArgs({
    options: {
      rows: { type: 'string', default: '1000000' },
      asked: { type: 'string', default: '300' },
      folder: { type: 'string' },
    },
  })
  const { rows, asked, folder } = values
  const options = { rows: Number(rows), asked: Number(asked), ...(folder !== undefined && { folder }) }
  process.stdout.write(`${table(await measureSearch(options))}\n`)
}
