import type { Field, Model } from './model.ts'
import { drf, type Refusal, wrongFields, wrongRequest } from './refusals.ts'

export type CountedUse = { readonly noun: string; readonly count: number }

/** What only the database could see, because another writer was faster. */
export type LateRefusal =
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

/** The sentences of Django REST framework, which programs compare. */
export const drfWording: Wording = {
  wrong: (_, fault) => fault,
  missingRow: drf.missingRow,
  inUse: ({ label }, uses) =>
    wrongRequest(
      `This ${label} is in use and cannot be deleted: ${uses.map(({ noun, count }) => `${count} ${noun}`).join(', ')}.`,
    ),
  late: (refusal) => {
    switch (refusal.kind) {
      case 'taken':
        return wrongFields({ [refusal.name]: [drf.taken(refusal.model.label, refusal.what.replaceAll('_', ' '))] })
      case 'inUse':
        return wrongRequest(
          `This ${refusal.model.label} is in use and cannot be deleted: rows of ${refusal.table} refer to it.`,
        )
      case 'missing':
        return wrongFields({ [refusal.name]: [drf.missingRow(refusal.sent)] })
    }
  },
}
