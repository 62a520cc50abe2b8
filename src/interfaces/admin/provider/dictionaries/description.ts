import type { PoolClient } from 'pg'
import type { TProperties } from 'typebox'
import type { Right } from '../../../../domain/staff-user.ts'
import type { Model } from '../../../../platform/records/model.ts'
import type { StoredRecord } from '../../../../platform/records/reads.ts'
import type { Steps } from '../../../../platform/records/record-writer.ts'

/** A table that the web admin edits: a model with its rights, its order and the rules for writing it. */
export type Dictionary = {
  /** The name `fin_types` is found at `/admin/dictionary/fin_types_crud/`. */
  readonly model: Model
  /** Another address of the list, where the specification names one. */
  readonly listedAt?: string
  readonly rights: { readonly read: Right; readonly write: Right }
  /** ORDER BY over the row `this`; the key follows. */
  readonly order: string
  /** The text that `?q=` looks in, over the row `this`. */
  readonly searched: string
  readonly steps?: Steps
  /** Further members of the answer to a save, such as a warning about a value that was stored all the same. */
  readonly remarks?: (client: PoolClient, record: StoredRecord) => Promise<StoredRecord>
  readonly remarkSchemas?: TProperties
  /** Further members of a refusal. */
  readonly refusalSchemas?: TProperties
}
