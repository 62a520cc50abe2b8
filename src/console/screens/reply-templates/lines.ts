import type { Answer } from '../../api/client.ts'

type Shown = Answer<'GET /admin/radius/templates_json/'>
export type Line = Shown['built_in'][number]['accept'][number]

/** The lists of a template, in the order in which they are edited. */
export const parts = ['accept', 'garden', 'coa'] as const
export type Part = (typeof parts)[number]

/** A list as text, one attribute in a line: `Mikrotik-Rate-Limit = {up_rate}/{down_rate}`. */
export const textOfLines = (lines: unknown): string =>
  Array.isArray(lines) ? lines.map(({ name, value }: Line) => `${name} = ${value}`).join('\n') : ''

type Read = {
  readonly lines: readonly Line[]
  /** The number, from 1, of the line of the text that each attribute stands in. */
  readonly numbers: readonly number[]
  /** The line that is no attribute with a value. */
  readonly wrong: number | null
}

/** Empty lines are left out. A value may have `=` in it, a name never has. */
export function readLines(text: string): Read {
  const written = text.split('\n').flatMap((line, at) => (line.trim() === '' ? [] : [{ line, number: at + 1 }]))
  const wrong = written.find(({ line }) => !/^[^=]*[^=\s][^=]*=\s*\S/.test(line))
  return {
    lines: written.map(({ line }) => {
      const at = line.indexOf('=')
      return { name: line.slice(0, at).trim(), value: line.slice(at + 1).trim() }
    }),
    numbers: written.map(({ number }) => number),
    wrong: wrong?.number ?? null,
  }
}
