import type { PoolClient } from 'pg'
import type { TSchema } from 'typebox'
import type { Call, Reply } from '../../../../platform/http/call.ts'
import { refusal } from '../../../../platform/http/errors.ts'
import type { Right } from '../../../../platform/staff/staff.ts'
import type { VisibleOrganizations } from '../../../../platform/staff/visible-organizations.ts'
import type { FieldKind } from './kinds.ts'

/** A record as it is shown, by outside name. */
export type Shown = Readonly<Record<string, unknown>>

/** Checked values of a body, by the name of the field. */
export type Values = Readonly<Record<string, unknown>>

export type Field = {
  readonly name: string
  /** SQL of what is shown, over the row as `row`; left out, the column. Null: never shown. */
  readonly shown?: string | null
  /** Where it is written; left out, the column of its name. Null: `also` or `prepare` writes it. */
  readonly column?: string | null
  /** Left out: read-only. */
  readonly kind?: FieldKind
  /** Of a read-only field. */
  readonly schema?: TSchema
  readonly isRequired?: boolean
  readonly isNullable?: boolean
  /** A relation appears twice, as `parent` and `parent_id` (contract section 3); a row must exist and be visible. */
  readonly refersTo?: Relation
  readonly doc: string
}

/** The rows a relation may name: a table and what of it the caller may see. */
export type Relation = { readonly from: string; readonly visible: VisibleRowsSql }

/** A condition of SQL over `row`; the parameter holds the caller's organizations, null for all. */
export type VisibleRowsSql = (parameter: `$${number}`) => string

/** A write on its way, inside its transaction. */
export type Step = {
  readonly client: PoolClient
  readonly call: Call
  readonly visible: VisibleOrganizations
  /** Null before the record exists. */
  readonly before: Shown | null
  readonly values: Values
}

/** Rows that keep a record from being deleted. */
export type Use = { readonly of: string; readonly rows: string }

/** One dictionary of the web admin: the doors, the checks, the audit and the documentation follow from it. */
export type Dictionary = {
  /** `fin_types` is found at `/admin/dictionary/fin_types_crud/`. */
  readonly name: string
  /** Another address of the list, where the specification names one. */
  readonly listedAt?: string
  readonly doc: string
  readonly table: string
  readonly key: string
  /** `table_name` of the audit, as the specification spells such names. */
  readonly auditName: string
  readonly rights: { readonly read: Right; readonly write: Right }
  readonly fields: readonly Field[]
  /** Left out: everybody sees all of it. */
  readonly visible?: VisibleRowsSql
  /** ORDER BY over `row`; the key follows. */
  readonly order: string
  /** The text that `?q=` looks in. */
  readonly searched: string
  /** Each a SELECT of the rows that name `$1`. */
  readonly uses: readonly Use[]
  /** Of whom the audit record is; left out: of nobody, so only staff who see all organizations see it. */
  readonly organizationOf?: (record: Shown) => number | null
  /** Columns whose making takes long, before the transaction begins. */
  readonly prepare?: (values: Values) => Promise<Readonly<Record<string, unknown>>>
  /** Columns to write beside those of the values, or a refusal. */
  readonly derive?: (step: Step) => Promise<Readonly<Record<string, unknown>> | Refused>
  /** Rows beside the record. */
  readonly also?: (step: Step, id: number) => Promise<void>
  /** What the answer to a save says beside the record: a warning about what was kept all the same. */
  readonly remarks?: (client: PoolClient, after: Shown) => Promise<Readonly<Record<string, unknown>>>
  readonly mayRemove?: (step: Step, id: number) => Promise<Refused | null>
  /** After the commit, before the answer. */
  readonly committed?: (change: Committed) => Promise<void>
}

export type Committed = {
  readonly id: number
  readonly before: Shown | null
  readonly after: Shown | null
  readonly values: Values
}

export type Refused = { readonly refused: Reply }

export const refused = (sentence: string, status = 400): Refused => ({ refused: refusal('admin', status, sentence) })

export const isRefused = (value: object): value is Refused => 'refused' in value
