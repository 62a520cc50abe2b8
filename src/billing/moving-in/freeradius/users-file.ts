import { SourceFault } from '../tables/tables.ts'
import type { Item } from './items.ts'

/** An entry of a `users` file (mods-config/files/authorize), or of a file that it includes. */
export type UsersEntry = {
  /** `users line 12`. */
  readonly place: string
  readonly name: string
  readonly checks: readonly Item[]
  readonly replies: readonly Item[]
}

/** The text of an included file, by its name as it is written. Throws SourceFault. */
export type Include = (name: string) => { readonly file: string; readonly text: string }

const depthMax = 10
const operator = /:=|==|\+=|-=|!=|>=|<=|=~|!~|=\*|!\*|=|<|>/y
const attribute = /[A-Za-z0-9_.:-]+/y
const bareValue = /[^\s,#"']+/y
export const quotedValue = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'/y
const blank = /[ \t]*/y

/** Reads all entries in their order. Throws SourceFault with the line that cannot be read. */
export function readUsers(file: string, text: string, include: Include, depth = 0): readonly UsersEntry[] {
  if (depth > depthMax) throw new SourceFault(`${file} includes itself.`)
  const entries: UsersEntry[] = []
  let open: { readonly entry: UsersEntry; readonly replies: Item[] } | null = null
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const place = `${file} line ${index + 1}`
    if (/^\s*(?:#|$)/.test(line)) continue
    const [, included] = /^\$INCLUDE\s+(\S+)\s*$/i.exec(line) ?? []
    if (included !== undefined) {
      const inner = include(included)
      // All of them at once, as arguments, would be too many for the stack where a file has a hundred thousand.
      for (const entry of readUsers(inner.file, inner.text, include, depth + 1)) entries.push(entry)
      open = null
    } else if (/^\s/.test(line)) {
      if (!open) throw new SourceFault(`${place}: a reply stands behind no user.`)
      open.replies.push(...pairsOf(place, line, 0))
    } else {
      const { text: name, end } = nameOf(place, line)
      const replies: Item[] = []
      open = { entry: { place, name, checks: pairsOf(place, line, end), replies }, replies }
      entries.push(open.entry)
    }
  }
  return entries
}

function nameOf(place: string, line: string): { text: string; end: number } {
  quotedValue.lastIndex = 0
  const quoted = quotedValue.exec(line)
  if (quoted) return { text: unescaped(quoted), end: quotedValue.lastIndex }
  const end = line.search(/[\s,]/)
  if (line[end] === ',') throw new SourceFault(`${place}: a comma follows the name of the user.`)
  return { text: end < 0 ? line : line.slice(0, end), end: end < 0 ? line.length : end }
}

/** The pairs of a line, separated by commas; the last comma may be followed by another line. */
function pairsOf(place: string, line: string, from: number): Item[] {
  const items: Item[] = []
  const take = (pattern: RegExp, at: number): RegExpExecArray | null => {
    pattern.lastIndex = at
    return pattern.exec(line)
  }
  const skip = (at: number) => at + take(blank, at)![0].length
  for (let at = skip(from); at < line.length && line[at] !== '#'; ) {
    const name = take(attribute, at)
    const op = name && take(operator, skip(at + name[0].length))
    const start = op ? skip(operator.lastIndex) : 0
    const quoted = op && take(quotedValue, start)
    const bare = op && !quoted ? take(bareValue, start) : null
    if (!name || !op || (!quoted && !bare))
      throw new SourceFault(
        `${place}: "${line.slice(at, at + 40).trim()}" is not understood as <attribute> <operator> <value>.`,
      )
    const value = quoted ? unescaped(quoted) : bare![0]
    items.push({ attribute: name[0], op: op[0], value })
    at = skip(start + (quoted ?? bare)![0].length)
    if (line[at] === ',') at = skip(at + 1)
    else if (at < line.length && line[at] !== '#')
      throw new SourceFault(`${place}: there is no comma between two attributes.`)
  }
  return items
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/** The text of what `quotedValue` has found. */
export function unescaped([, double, single]: RegExpExecArray): string {
  if (double === undefined) return single!.replace(/\\(['\\])/g, '$1')
  return double.replace(/\\(.)/g, (_, letter: string) => escapes[letter] ?? letter)
}
