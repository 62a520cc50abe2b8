import type { RecordRights } from '../../domain/record-rights.ts'
import type { ColumnType } from '../storage/columns.ts'
import type { Table } from '../storage/entity.ts'
import type { Refusal } from './refusals.ts'

/**
 * A value of a body in the one form the program works with: 64-bit integers are bigint, dates are checked text, `json`
 * is data.
 */
export type Value = null | boolean | number | bigint | string | object

/** What a value is. Decides how it is read, stored, filtered, written out and documented. */
export type Kind =
  | 'integer'
  /** Stored units x 10^10; a JSON integer of any size up to 64 bits. */
  | 'money'
  /** Stored as money; outside a decimal string of rubles with two places. */
  | 'rubles'
  /** Another integer of up to 64 bits. */
  | 'long'
  | 'decimal'
  | 'boolean'
  | 'text'
  | 'choice'
  | 'datetime'
  | 'date'
  | 'ip'
  | 'network'
  | 'mac'
  /** The key of a row of another model. Appears twice outside: under its name and with `_id`. */
  | 'relation'
  /** Keys of rows of another model, kept in rows between the two. */
  | 'relations'
  /** A list or an object; cannot be filtered. */
  | 'json'

/**
 * Who may write a field. readOnly: ignored on write. refused: naming it in a write is 400. createOnly: set by POST, 400
 * afterwards. writeOnly: a secret, never returned and never filtered. instruction: says how a write is to be done, and
 * is not kept.
 */
type Access = 'readWrite' | 'readOnly' | 'refused' | 'createOnly' | 'writeOnly' | 'instruction'

export type Field = {
  readonly name: string
  readonly kind: Kind
  readonly doc: string
  readonly column: string
  readonly access: Access
  /** Must be named in a POST. */
  readonly required: boolean
  readonly nullable: boolean
  /** Bounds of the length of a text, of the value of a number. */
  readonly min?: number
  readonly max?: number
  /** Decimal places that are kept. */
  readonly places?: number
  readonly choices?: readonly string[]
  /** The model behind a relation; a filter path leads on through it. */
  readonly target?: () => Model
  /** Kept encrypted, as its column says. */
  readonly sealed: boolean
  /** lower() of the column has an index on parts of texts, where the server has pg_trgm. */
  readonly indexedByParts?: boolean
  /** Taken as sent, spaces included. */
  readonly verbatim?: boolean
  /** Only text is taken; left out: a number is written out, as Django REST framework does. */
  readonly onlyText?: boolean
  /** An empty text counts as null, as a form sends it. */
  readonly blankIsNull?: boolean
  /** Narrows the values of the kind further. */
  readonly fits?: (value: Value) => boolean
  /** Completes "It must …" where neither the kind nor the bounds say it all. */
  readonly must?: string
  /**
   * Not a column that SQL writes: a message to the account (contract section 1: one writer of access and money), or
   * other rows.
   */
  readonly apart?: boolean
  /** False: left out of the audit. */
  readonly audited?: boolean
  /** The SQL of the value where it is not the column itself. */
  readonly sql?: (table: string) => string
  /** Reads a value of a body where the kind alone does not. */
  readonly read?: (sent: unknown) => { value: unknown } | { wrong: string }
  /** JSON Schema of the value, for the documentation, where the kind and the bounds do not say it. */
  readonly schema?: object
}

/** A row of another table that points here and keeps a record from being deleted. */
type Use = {
  readonly table: string
  readonly column: string
  /** What is counted: `subscribers`. */
  readonly noun: string
  /** SQL that narrows the rows down. */
  readonly where?: string
}

export type CountedUse = { readonly noun: string; readonly count: number }

/** What only the database could detect, because another writer was faster. */
type LateRefusal =
  /** Another row has this value; `what` is the field. */
  | { readonly kind: 'taken'; readonly model: Model; readonly name: string; readonly what: string }
  /** Rows of `table` point at the record. */
  | { readonly kind: 'inUse'; readonly model: Model; readonly table: string }
  /** The row that the field names is gone. */
  | { readonly kind: 'missing'; readonly name: string; readonly sent: string }

/** How an interface says why a write is refused. */
export type Wording = {
  /** What is wrong with a value; `fault` says it in the words of Django REST framework. */
  readonly wrong: (field: Field, fault: string) => string
  /** There is no row of this key, or none that the caller may see. */
  readonly missingRow: (key: unknown) => string
  readonly inUse: (model: Model, uses: readonly CountedUse[]) => Refusal
  /** Uses are counted no further, since a table may have millions; left out: all of them. */
  readonly usesCountedMax?: number
  readonly late: (refusal: LateRefusal) => Refusal
}

/** A condition of SQL over a row of `table`; the parameter holds the organizations of the caller, null for all. */
type VisibleRowsSql = (table: string, parameter: `$${number}`) => string

/**
 * Everything an interface knows about one table. Nothing that is not described here can be read, filtered or written.
 */
export type Model = {
  /** The outside name, as in /rest_api/v2/<name>/ and /admin/dictionary/<name>_crud/. */
  readonly name: string
  readonly entity: Table
  readonly table: string
  readonly key: string
  /** The name in sentences, as Django derives it: `admin accounts`. */
  readonly label: string
  /** AUDIT_OPERATIONS.table_name. */
  readonly audit: string
  readonly doc: string
  readonly fields: readonly Field[]
  /** A boolean field; its rows stay out of lists that do not filter by it. */
  readonly hiddenBy?: string
  /** row_counts knows how many rows a list without filters has. */
  readonly counted?: boolean
  readonly usedBy?: readonly Use[]
  /** Who may read and write the records; left out: `recordRights.usual`. */
  readonly rights?: RecordRights
  /** RADIUS answers depend on this table, so the access table follows before a write is answered. */
  readonly access?: boolean
  /** Which rows a caller may see; left out: all of them. */
  readonly visible?: VisibleRowsSql
  /** How refusals are said; left out: as Django REST framework says them. */
  readonly wording?: Wording
}

/**
 * A field as a model describes it. Whether it is encrypted is what its column says; whether it may be null too, unless
 * it says so itself.
 */
export type FieldSpec = Omit<Field, 'nullable' | 'sealed'> & Partial<Pick<Field, 'nullable'>>

/**
 * A model as it is described. Its table, its key and what may be null are said by the entity. The label follows from
 * the name, and the name in the audit from the label, unless they are given.
 */
export type ModelSpec = Omit<Model, 'table' | 'key' | 'fields' | 'label' | 'audit'> &
  Partial<Pick<Model, 'label' | 'audit'>> & { readonly fields: readonly FieldSpec[] }

/** Throws when a field names no column of the entity, or one of another type. */
export function modelOf(spec: ModelSpec): Model {
  const { entity, fields, label = inWords(spec.name).toLowerCase() } = spec
  return {
    audit: label.replaceAll(' ', '_').toUpperCase(),
    ...spec,
    label,
    table: entity.table,
    key: primaryColumn(entity),
    fields: fields.map((field) => fieldOf(entity, field)),
  }
}

/** `FinanceOperations` as `Finance Operations`. */
export const inWords = (name: string): string => name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')

/** No model has a key of two columns. */
export const primaryColumn = ({ columns }: Table): string =>
  Object.keys(columns).find((name) => columns[name]!.options.isPrimary)!

function fieldOf({ table, columns }: Table, spec: FieldSpec): Field {
  const column = columns[spec.column]
  const isElsewhere = spec.sql !== undefined || spec.apart === true || spec.access === 'instruction'
  if (!isElsewhere && !(column && columnKinds[spec.kind].includes(column.type.kind)))
    throw new Error(`The field ${spec.name} does not fit the column ${spec.column} of ${table}.`)
  const sealed = !isElsewhere && column?.type.kind === 'sealed'
  return { ...spec, sealed, nullable: spec.nullable ?? column?.options.isNullable ?? false }
}

/** The columns that can hold a value of each kind. */
const columnKinds: Readonly<Record<Kind, readonly ColumnType['kind'][]>> = {
  integer: ['int8', 'integer', 'smallint', 'reference'],
  money: ['bigint'],
  rubles: ['bigint'],
  long: ['bigint', 'int8'],
  decimal: ['decimal'],
  boolean: ['boolean'],
  text: ['text', 'varchar', 'sealed'],
  choice: ['text'],
  datetime: ['moment'],
  date: ['day'],
  ip: ['inet'],
  network: ['cidr'],
  mac: ['macaddr'],
  relation: ['reference'],
  relations: [],
  json: ['json'],
}

export const isReadable = ({ access }: Field): boolean => access !== 'writeOnly' && access !== 'instruction'
export const isFilterable = (field: Field): boolean => isReadable(field) && !unfilterable.has(field.kind)
export const isWritable = ({ access }: Field): boolean => access !== 'readOnly' && access !== 'refused'

const unfilterable: ReadonlySet<Kind> = new Set(['json', 'relations', 'rubles'])

/** The field of an outside name; a relation also answers to its name with `_id`, the key to `pk`. */
export const fieldNamed = (model: Model, name: string): Field | undefined => namesOf(model).get(name)

const namesByModel = new WeakMap<Model, ReadonlyMap<string, Field>>()

function namesOf(model: Model): ReadonlyMap<string, Field> {
  const known = namesByModel.get(model)
  if (known) return known
  const names = new Map<string, Field>()
  for (const described of model.fields) {
    names.set(described.name, described)
    if (described.kind === 'relation') names.set(`${described.name}_id`, described)
  }
  const keyField = model.fields.find(({ column }) => column === model.key)
  if (keyField) names.set('pk', keyField)
  namesByModel.set(model, names)
  return names
}

/** The SQL of a field's value in a row of `table`. */
export const valueSql = (described: Field, table: string): string =>
  described.sql ? described.sql(table) : `${table}.${quoted(described.column)}`

export const quoted = (column: string): string => `"${column}"`
