/** What PostgreSQL keeps in a column, by the words of entities; storage/schema.ts has MikroORM's for each. */
export type ColumnType =
  /** `words`: a check allows these only. */
  | { kind: 'text'; words?: readonly string[] }
  | {
      kind:
        | 'boolean'
        | 'integer'
        | 'smallint'
        | 'moment'
        | 'day'
        | 'bytes'
        | 'json'
        | 'uuid'
        | 'textArray'
        | 'int8Array'
    }
  /** The number of a transaction, which never comes again. */
  | { kind: 'xid8' }
  /** A text that platform/secrets encrypts. */
  | { kind: 'sealed' }
  /** Both are int8: one fits a JavaScript number, money and counters of octets do not. */
  | { kind: 'int8' | 'bigint' }
  | { kind: 'inet' | 'cidr' | 'macaddr' }
  | { kind: 'varchar'; length: number }
  | { kind: 'decimal'; precision: number; scale: number }
  | { kind: 'reference'; table: string; onDelete: 'restrict' | 'cascade' | 'set null' }

type Literal = string | number | boolean

type Options = {
  readonly isNullable: boolean
  readonly isPrimary: boolean
  /** Numbered by the table. */
  readonly isGenerated: boolean
  readonly default: { kind: 'value'; value: Literal } | { kind: 'sql'; sql: string } | null
  /** The name of the constraint that keeps its values apart. */
  readonly unique: string | null
}

const plain: Options = { isNullable: false, isPrimary: false, isGenerated: false, default: null, unique: null }

/**
 * One column of an entity. `Value` is what an EntityManager holds, `Read` is what a pool hands out (int8.ts), and
 * `Presence` says whether a new record may leave it out.
 */
export class Column<
  Value = unknown,
  Read = unknown,
  Presence extends 'required' | 'optional' = 'required' | 'optional',
> {
  declare readonly '~value': Value
  declare readonly '~read': Read
  declare readonly '~presence': Presence
  readonly type: ColumnType
  readonly options: Options

  constructor(type: ColumnType, options: Options = plain) {
    this.type = type
    this.options = options
  }

  nullable(): Column<Value | null, Read | null, 'optional'> {
    return new Column(this.type, { ...this.options, isNullable: true })
  }

  default(value: Literal): Column<Value, Read, 'optional'> {
    return new Column(this.type, { ...this.options, default: { kind: 'value', value } })
  }

  /** An expression that PostgreSQL evaluates. */
  defaultSql(sql: string): Column<Value, Read, 'optional'> {
    return new Column(this.type, { ...this.options, default: { kind: 'sql', sql } })
  }

  unique(name: string): Column<Value, Read, Presence> {
    return new Column(this.type, { ...this.options, unique: name })
  }

  primary(): Column<Value, Read, Presence> {
    return new Column(this.type, { ...this.options, isPrimary: true })
  }

  generated(): Column<Value, Read, 'optional'> {
    return new Column(this.type, { ...this.options, isGenerated: true })
  }

  /** Of a reference: what becomes of the row when the other one is deleted. Without this the other one stays. */
  onDelete(rule: 'cascade' | 'set null'): Column<Value, Read, Presence> {
    if (this.type.kind !== 'reference') throw new Error('Only a reference has a rule for deletion.')
    return new Column({ ...this.type, onDelete: rule }, this.options)
  }
}

const column = <Value, Read = Value>(type: ColumnType) => new Column<Value, Read, 'required'>(type)

export const text = <Word extends string = string>() => column<Word>({ kind: 'text' })
/** One of these words. The check for it is named `<table>_<column>`. */
export const oneOf = <const Words extends readonly string[]>(...words: Words) =>
  column<Words[number]>({ kind: 'text', words })
/** A text that platform/secrets encrypts; `secret_key --rotate` finds it by this. */
export const sealed = () => column<string>({ kind: 'sealed' })
export const varchar = (length: number) => column<string>({ kind: 'varchar', length })
export const boolean = () => column<boolean>({ kind: 'boolean' })
export const integer = () => column<number>({ kind: 'integer' })
export const smallint = <Value extends number = number>() => column<Value>({ kind: 'smallint' })
/** An int8 that stays below 2^53. */
export const int8 = () => column<number, string>({ kind: 'int8' })
export const bigint = () => column<bigint, string>({ kind: 'bigint' })
export const decimal = (precision: number, scale: number) =>
  column<number, string>({ kind: 'decimal', precision, scale })
/** A timestamptz. */
export const moment = () => column<Date>({ kind: 'moment' })
/** A date without a time, as `2026-11-30`. */
export const day = () => column<string>({ kind: 'day' })
export const bytes = () => column<Buffer>({ kind: 'bytes' })
export const json = <Value>() => column<Value>({ kind: 'json' })
export const uuid = () => column<string>({ kind: 'uuid' })
export const textArray = () => column<string[]>({ kind: 'textArray' })
export const int8Array = () => column<number[], string[]>({ kind: 'int8Array' })
/** SQL: the number of the node whose connection it is; null where there is only one program. */
export const thisNodeSql = `nullif(current_setting('tollgate.node', true), '')::int4`
/** The node whose connection writes the row. */
export const nodeOfConnection = () => integer().defaultSql(thisNodeSql)
export const transactionId = () => column<string>({ kind: 'xid8' })
export const inet = () => column<string>({ kind: 'inet' })
export const cidr = () => column<string>({ kind: 'cidr' })
export const macaddr = () => column<string>({ kind: 'macaddr' })
/** The key of a row of another table. */
export const reference = (table: string) => column<number, string>({ kind: 'reference', table, onDelete: 'restrict' })

export const id = () => int8().primary().generated()
/** Rubles x 10^10. */
export const money = () => bigint()
export const moneyFromZero = () => money().defaultSql('0')
/** A reference to a row of a table that may forget it: deliberately without a foreign key. */
export const looseId = () => int8().nullable()
export const createdNow = () => moment().defaultSql('now()')
/** What is kept of a browser that is signed in, for the portal and for the staff. */
export const browserSession = () => ({
  csrf_token: text(),
  created_at: createdNow(),
  expires_at: moment(),
  seen_at: createdNow(),
  address: text().nullable(),
  user_agent: text().nullable(),
})

/** Attributes that an operator gives to Access-Accept; wire/dictionary.ts tells what the operators do. */
export type RadiusReply = { name: string; value: string; op?: '=' | '+=' }[]
export const radiusReply = () => json<RadiusReply>().defaultSql(`'[]'`)

/** SQL: the column holds one of these words. */
export const among = (column: string, words: readonly string[]): string =>
  `${column} IN (${words.map((word) => `'${word}'`).join(', ')})`
