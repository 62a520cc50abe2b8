import type { PoolClient } from 'pg'
import type { TProperties } from 'typebox'
import type { Right } from '../../../../domain/staff-user.ts'
import type { Model } from '../../../../platform/records/model.ts'
import type { StoredRecord } from '../../../../platform/records/reads.ts'
import type { Steps } from '../../../../platform/records/record-writer.ts'

/** A table that the web admin keeps whole: a model with its rights, its order and what is special about its writes. */
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
  /** What the answer to a save says beside the record: a warning about what was kept all the same. */
  readonly remarks?: (client: PoolClient, record: StoredRecord) => Promise<StoredRecord>
  readonly remarkSchemas?: TProperties
  /** What a refusal says beside its sentence. */
  readonly refusalSchemas?: TProperties
}
