import { type Dialect, identifier, readTuple, skipBlank, statementEnd } from './sql-text.ts'
import { replacementCharacter } from '../../importing/subscriber-line.ts'
import { type Row, SourceFault, Tables, type Wanted } from './tables.ts'

/** Characters of a statement that is no INSERT, and of a row. mysqldump keeps a whole INSERT below 16 MB by itself. */
const unitMax = 64 * 1024 * 1024
const postgresMark = /^-- PostgreSQL database dump/m

/** The columns of a table in the order of its rows; -1: not wanted. `kept` is null for a table that is not wanted. */
type Target = { readonly kept: Row[] | null; readonly columns: readonly string[]; readonly wanted: ReadonlySet<string> }

/**
 * Reads the wanted tables of a dump that mysqldump, mariadb-dump or pg_dump has written as text, given in pieces of any
 * size. It understands what these programs write: CREATE TABLE for the order of columns, INSERT with many rows, COPY
 * from stdin; any other statement is passed over. What looks like one of these and is not throws SourceFault.
 */
export class DumpReader {
  readonly tables = new Tables()
  readonly #wanted: Wanted
  /** By table, as CREATE TABLE has them. */
  readonly #columns = new Map<string, readonly string[]>()
  /** Where a wanted table stands, because two schemas may have one of the name. */
  readonly #schemas = new Map<string, string>()
  #dialect: Dialect | null = null
  #delimiter = ';'
  #rest = ''
  #line = 1
  #isEnd = false
  /** Between two rows of an INSERT, or within the lines of a COPY. */
  #within: { readonly kind: 'insert' | 'copy'; readonly target: Target } | null = null

  constructor(wanted: Wanted) {
    this.#wanted = wanted
  }

  push(text: string): void {
    this.#rest += text
    if (this.#dialect === null && this.#rest.length < 4096) return
    this.#read()
    if (this.#rest.length > unitMax) throw this.#fault('a statement is longer than 64 MB')
  }

  end(): Tables {
    this.#isEnd = true
    this.#rest += '\n'
    this.#read()
    if (this.#within !== null || this.#rest.trim() !== '') throw this.#fault('the dump is cut off')
    return this.tables
  }

  #read(): void {
    this.#dialect ??= postgresMark.test(this.#rest.slice(0, 4096)) ? 'postgresql' : 'mysql'
    this.tables.isCaseless = this.#dialect === 'mysql'
    let at = 0
    for (;;) {
      const next = this.#unit(this.#rest, at)
      if (next === null) break
      at = next
    }
    this.#forget(at)
  }

  #forget(end: number): void {
    for (let at = this.#rest.indexOf('\n'); at >= 0 && at < end; at = this.#rest.indexOf('\n', at + 1)) this.#line++
    this.#rest = this.#rest.slice(end)
  }

  /** The position behind the statement, row or line at `from`; null: it is not complete yet. */
  #unit(text: string, from: number): number | null {
    if (this.#within?.kind === 'copy') return this.#copyLine(text, from, this.#within.target)
    if (this.#within?.kind === 'insert') return this.#tuple(text, from, this.#within.target)
    const at = skipBlank(text, from, this.#dialect!)
    if (at === null || at >= text.length) return at === null || at === from ? null : at
    // The first words of a statement may still be coming.
    if (!this.#isEnd && text.length - at < 4096 && statementEnd(text, at, this.#delimiter, this.#dialect!) === null)
      return at === from ? null : at
    return this.#statement(text, at)
  }

  #statement(text: string, at: number): number | null {
    const word = /\w*/y
    word.lastIndex = at
    const first = word.exec(text)![0].toUpperCase()
    if (first === 'DELIMITER') return this.#delimiterLine(text, at)
    if (first === 'INSERT' || first === 'REPLACE') return this.#insert(text, at)
    const end = statementEnd(text, at, this.#delimiter, this.#dialect!)
    if (end === null) return null
    const statement = text.slice(at, end)
    if (first === 'CREATE') this.#create(statement)
    // psql's own commands, such as \restrict, end with their line.
    if (first === 'COPY') return this.#copy(statement, text, end)
    return end
  }

  #delimiterLine(text: string, at: number): number | null {
    const end = text.indexOf('\n', at)
    if (end < 0) return this.#isEnd ? text.length : null
    this.#delimiter = text.slice(at, end).trim().split(/\s+/)[1] ?? ';'
    return end + 1
  }

  #create(statement: string): void {
    const head = /^CREATE\s+(?:(?:UNLOGGED|TEMPORARY)\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?/i.exec(statement)
    if (!head) return
    const name = identifier(statement, head[0].length)
    if (name === null) throw this.#fault('CREATE TABLE is without a name')
    if (!Object.hasOwn(this.#wanted, name.last)) return
    this.#keep(name.last, name.schema)
    const open = statement.indexOf('(', name.end)
    if (open < 0) throw this.#fault(`CREATE TABLE ${name.last} has no columns`)
    this.#columns.set(name.last, columnsIn(statement, open, this.#dialect!))
  }

  #insert(text: string, at: number): number | null {
    const head = /(?:INSERT|REPLACE)\s+(?:IGNORE\s+|DELAYED\s+|LOW_PRIORITY\s+)*INTO\s+/iy
    head.lastIndex = at
    const found = head.exec(text)
    if (!found) return this.#unreadable(text, 'an INSERT is not understood')
    const name = identifier(text, head.lastIndex)
    if (name === null) return this.#unreadable(text, 'an INSERT is without a table')
    const rest = /\s*(?:\(([^()]*)\)\s*)?(?:OVERRIDING SYSTEM VALUE\s*)?VALUES?\s*/iy
    rest.lastIndex = name.end
    const columns = rest.exec(text)
    if (!columns) return this.#unreadable(text, `the INSERT into ${name.last} is not understood`)
    this.#within = { kind: 'insert', target: this.#target(name, columns[1] ?? null) }
    return rest.lastIndex
  }

  /** While more may come, what is not understood may be cut. */
  #unreadable(text: string, why: string): null {
    if (this.#isEnd || text.length > 1024 * 1024) throw this.#fault(why)
    return null
  }

  #tuple(text: string, from: number, { kept, columns, wanted }: Target): number | null {
    const tuple = readTuple(text, from, this.#dialect!, kept !== null)
    if (tuple === null) return null
    if ('fault' in tuple) throw this.#fault(tuple.fault)
    const after = skipBlank(text, tuple.end, this.#dialect!)
    if (after === null || after >= text.length) return this.#isEnd ? this.#cut() : null
    const last = text[after]
    if (last !== ',' && last !== ';') {
      const upsert = /ON\s/iy
      upsert.lastIndex = after
      if (!upsert.test(text))
        throw this.#fault('a row of an INSERT is followed by something else than a comma or semicolon')
    }
    if (kept !== null) kept.push(this.#row(tuple.values, columns, wanted))
    if (last === ',') return after + 1
    const end = statementEnd(text, after, this.#delimiter, this.#dialect!)
    if (end === null) return null
    this.#within = null
    return end
  }

  #copy(statement: string, text: string, end: number): number | null {
    const head = /^COPY\s+/i.exec(statement)
    const name = head && identifier(statement, head[0].length)
    const columns = name && /^\s*\(([^()]*)\)\s+FROM\s+stdin\s*;$/i.exec(statement.slice(name.end))
    if (!name || !columns) throw this.#fault('a COPY is not understood')
    const line = text.indexOf('\n', end)
    if (line < 0) return null
    this.#within = { kind: 'copy', target: this.#target(name, columns[1]!) }
    return line + 1
  }

  #copyLine(text: string, from: number, { kept, columns, wanted }: Target): number | null {
    const end = text.indexOf('\n', from)
    if (end < 0) return this.#isEnd ? this.#cut() : null
    const line = text.slice(from, text[end - 1] === '\r' ? end - 1 : end)
    if (line === '\\.') this.#within = null
    else if (kept !== null) kept.push(this.#row(line.split('\t').map(copied), columns, wanted))
    return end + 1
  }

  #cut(): never {
    throw this.#fault('the dump is cut off')
  }

  #row(values: readonly (string | null)[], columns: readonly string[], wanted: ReadonlySet<string>): Row {
    if (values.length !== columns.length)
      throw this.#fault(`a row has ${values.length} values for ${columns.length} columns`)
    const row: Record<string, string | null> = {}
    for (const [index, column] of columns.entries()) {
      if (!wanted.has(column)) continue
      const value = values[index]!
      if (value?.includes(replacementCharacter))
        throw this.#fault(
          `the column ${column} has a character that is not in the encoding of the file; name another with --encoding, or correct that row`,
        )
      row[column] = value
    }
    return row
  }

  #target(name: { readonly last: string; readonly schema: string }, list: string | null): Target {
    const { last, schema } = name
    const wanted = Object.hasOwn(this.#wanted, last) ? this.#wanted[last]! : null
    if (wanted === null) return { kept: null, columns: [], wanted: new Set() }
    const columns = list === null ? this.#columns.get(last) : columnList(list)
    if (!columns) throw this.#fault(`the rows of ${last} come before its CREATE TABLE, and do not name their columns`)
    return { kept: this.#keep(last, schema), columns, wanted: new Set(wanted) }
  }

  #keep(table: string, schema: string): Row[] {
    const known = this.#schemas.get(table) ?? schema
    if (known !== schema) throw this.#fault(`the table ${table} stands in ${known} and in ${schema}; dump one of them`)
    this.#schemas.set(table, known)
    return this.tables.add(table)
  }

  #fault(why: string): SourceFault {
    return new SourceFault(`The dump cannot be read, line ${this.#line} or behind it: ${why}.`)
  }
}

const columnList = (list: string): string[] =>
  list.split(',').map((column) => (identifier(column.trim(), 0)?.last ?? column.trim()).toLowerCase())

const constraint = /^(?:PRIMARY|UNIQUE|KEY|INDEX|FULLTEXT|SPATIAL|CONSTRAINT|FOREIGN|CHECK|EXCLUDE|LIKE|PERIOD)\b/i

/** The names of the columns between the parenthesis at `open` and the one that closes it. */
function columnsIn(statement: string, open: number, dialect: Dialect): string[] {
  const columns: string[] = []
  for (let at = open + 1; ; ) {
    const start = skipBlank(statement, at, dialect)!
    const end = statementEnd(statement, start, ',', dialect)
    const name = constraint.test(statement.slice(start, start + 20)) ? null : identifier(statement, start)
    if (name !== null) columns.push(name.last)
    if (end === null) return columns
    at = end
  }
}

const copyEscapes: Readonly<Record<string, string>> = {
  ...{ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
}

/** A field of COPY's text format. */
const copied = (field: string): string | null =>
  field === '\\N'
    ? null
    : field.includes('\\')
      ? field.replace(/\\(.)/gs, (_, letter: string) => copyEscapes[letter] ?? letter)
      : field
