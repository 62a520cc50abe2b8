import { formatRubles } from '../../domain/money.ts'
import { count } from '../importing/progress.ts'
import type { Count, Findings, Note } from './findings.ts'

/** Of each kind so many are named; the file of `--report` has all. */
const namedMax = 20
const placesMax = 3

const columns = ['there', 'made', 'same', 'differing', 'left'] as const satisfies readonly (keyof Count)[]

/** The report of a move in lines: what is told of single records first, and the numbers last. */
export function* reportLines(findings: Findings, isApplied: boolean): Generator<string> {
  const { notes, balances, opened } = findings
  yield* named(
    'Left out',
    notes.filter(({ kind }) => kind === 'left'),
  )
  yield* named(
    'Here already, and otherwise',
    notes.filter(({ kind }) => kind === 'differing'),
  )
  yield* grouped(notes.filter(({ kind }) => kind === 'remark'))
  const heads = ['', 'there', isApplied ? 'made' : 'to be made', 'here as there', 'here otherwise', 'left out']
  yield line(heads)
  for (const [name, counted] of [
    ['tariffs', findings.tariffs],
    ['NAS', findings.nas],
    ['subscribers', findings.subscribers],
    ['logins', findings.logins],
    ['open promise payments', findings.promises],
  ] as const)
    yield line([name, ...columns.map((column) => count(counted[column]))])
  yield line(['balances, rubles', ...columns.map((column) => formatRubles(balances[column]))])
  yield `Opening operations here of these subscribers: ${count(opened.count)}, together ${formatRubles(opened.sum)} rubles.`
  if (!findings.addsUp) yield 'THESE NUMBERS DO NOT ADD UP. This is a defect of Tollgate: report it with these lines.'
  if (!isApplied) yield 'Nothing was written; --apply moves in.'
}

/** All notes as CSV (RFC 4180). */
export function* reportRows(notes: readonly Note[]): Generator<string> {
  yield 'kind,place,text\r\n'
  for (const { kind, place, text } of notes) yield `${[kind, place, text].map(quoted).join(',')}\r\n`
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const widths = [21, 16, 16, 16, 16, 16] as const
const line = (cells: readonly string[]): string =>
  cells
    .map((cell, at) => (at === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[at]!)))
    .join('')
    .trimEnd()

function* named(what: string, notes: readonly Note[]): Generator<string> {
  if (notes.length === 0) return
  yield `${what}: ${count(notes.length)}`
  for (const { place, text } of notes.slice(0, namedMax)) yield `  ${place}: ${text}`
  if (notes.length > namedMax) yield `  and ${count(notes.length - namedMax)} more`
}

/** Remarks by their reason, the most frequent first. */
function* grouped(notes: readonly Note[]): Generator<string> {
  if (notes.length === 0) return
  const places = new Map<string, string[]>()
  for (const { text, place } of notes) {
    const known = places.get(text)
    if (known) known.push(place)
    else places.set(text, [place])
  }
  yield `Taken over otherwise, or not at all: ${count(notes.length)}`
  const byCount = [...places].sort(([, a], [, b]) => b.length - a.length)
  for (const [text, at] of byCount.slice(0, namedMax)) {
    const more = at.length > placesMax ? ` and ${count(at.length - placesMax)} more` : ''
    yield `  ${at.slice(0, placesMax).join(', ')}${more}: ${text}`
  }
  if (byCount.length > namedMax) yield `  and ${count(byCount.length - namedMax)} more reasons`
}
