import { operationTypes } from './operation.ts'
import { promiseServices } from './promise.ts'

/**
 * Where an operation came from (specification 4.12 rule 4, contract section 5): computed from the table below, never stored. The
 * same table is read here for one operation and turned into SQL for lists and filters, see billing/accounts/operation-source.ts.
 */
export const operationSources = [
  'gwa',
  'gwb',
  'bank',
  'legacy',
  'promise',
  'manual',
  'monthly',
  'tariff_change',
  'other',
] as const

export type OperationSource = (typeof operationSources)[number]

/** What the source is computed from. */
export type SourceFacts = {
  readonly operatorName: string | null
  readonly descr: string | null
  readonly code1c: string | null
  readonly uslugaId: number | null
  readonly typeId: number
  /** When the money moved and when it was recorded, in one unit, as fine as the table keeps them. */
  readonly movedAt: number | bigint
  readonly recordedAt: number | bigint
}

/** Names of payment operators are compared without spaces around them and without the case of ASCII letters. */
export type SourceCondition =
  | { readonly kind: 'operatorIs'; readonly name: string }
  | { readonly kind: 'operatorHas'; readonly part: string }
  /** No payment operator is named, so a mark in the text may tell. */
  | { readonly kind: 'operatorEmptyAndMarked'; readonly mark: string }
  /** The text holds `[<mark>:<id>]`. */
  | { readonly kind: 'marked'; readonly mark: string }
  | { readonly kind: 'begins'; readonly text: string }
  /** An accounting document of a day before the row was recorded. */
  | { readonly kind: 'broughtOver' }
  | { readonly kind: 'usluga'; readonly ids: readonly number[] }
  | { readonly kind: 'type'; readonly ids: readonly number[] }

export type SourceRule = {
  readonly source: Exclude<OperationSource, 'other'>
  readonly any: readonly SourceCondition[]
}

/** The first rule of which any condition holds; none of them: `other`. */
export const sourceRules: readonly SourceRule[] = [
  {
    source: 'gwa',
    any: [
      { kind: 'operatorIs', name: 'gwa' },
      { kind: 'operatorEmptyAndMarked', mark: 'txn' },
    ],
  },
  {
    source: 'gwb',
    any: [
      { kind: 'operatorIs', name: 'gwb' },
      { kind: 'operatorHas', part: 'wallet' },
    ],
  },
  {
    source: 'bank',
    any: [
      { kind: 'operatorIs', name: 'bank' },
      { kind: 'marked', mark: 'bank_op' },
    ],
  },
  { source: 'legacy', any: [{ kind: 'begins', text: '[legacy]' }, { kind: 'broughtOver' }] },
  { source: 'promise', any: [{ kind: 'usluga', ids: Object.values(promiseServices) }] },
  { source: 'manual', any: [{ kind: 'type', ids: [operationTypes.manualReceipt, operationTypes.manualExpense] }] },
  {
    source: 'monthly',
    any: [
      {
        kind: 'type',
        ids: [operationTypes.monthlyService, operationTypes.promise, operationTypes.tariffCharge],
      },
    ],
  },
  { source: 'tariff_change', any: [{ kind: 'begins', text: 'Смена тарифа' }] },
]

export const sourceOf = (operation: SourceFacts): OperationSource =>
  sourceRules.find(({ any }) => any.some((condition) => holds(condition, operation)))?.source ?? 'other'

/** A mark as a regular expression that JavaScript and PostgreSQL read alike: no class whose meaning is theirs. Its group is the id. */
export const markPattern = (mark: string): string => `\\[${mark}:([^\\] \\t\\r\\n]+)\\]`

function holds(condition: SourceCondition, { operatorName, descr, code1c, ...operation }: SourceFacts): boolean {
  const name = comparable(operatorName ?? '')
  switch (condition.kind) {
    case 'operatorIs':
      return name === condition.name
    case 'operatorHas':
      return name.includes(condition.part)
    case 'operatorEmptyAndMarked':
      return name === '' && isMarked(descr, condition.mark)
    case 'marked':
      return isMarked(descr, condition.mark)
    case 'begins':
      return (descr ?? '').startsWith(condition.text)
    case 'broughtOver':
      return (code1c ?? '') !== '' && operation.movedAt < operation.recordedAt
    case 'usluga':
      return operation.uslugaId !== null && condition.ids.includes(operation.uslugaId)
    case 'type':
      return condition.ids.includes(operation.typeId)
  }
}

const comparable = (name: string): string =>
  name.replace(/^ +| +$/g, '').replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

const isMarked = (descr: string | null, mark: string): boolean => new RegExp(markPattern(mark)).test(descr ?? '')
