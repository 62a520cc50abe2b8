import { operationTypes } from './operation.ts'
import { promiseServices } from './promise.ts'

/** The facts from which the source is computed. */
export type SourceFacts = {
  readonly operatorName: string | null
  readonly descr: string | null
  readonly code1c: string | null
  readonly uslugaId: number | null
  readonly typeId: number
  /** When the money moved and when it was recorded, in the same unit and with the full precision of the table. */
  readonly movedAt: number | bigint
  readonly recordedAt: number | bigint
}

/** Names of payment operators are trimmed and compared without regard to the case of ASCII letters. */
export type SourceCondition =
  | { readonly kind: 'operatorIs'; readonly name: string }
  | { readonly kind: 'operatorHas'; readonly part: string }
  /** The operator's name is empty, and the description holds `[<mark>:<id>]`. */
  | { readonly kind: 'operatorEmptyAndMarked'; readonly mark: string }
  /** The description holds `[<mark>:<id>]`. */
  | { readonly kind: 'marked'; readonly mark: string }
  | { readonly kind: 'begins'; readonly text: string }
  /** The operation has an accounting document and took place before it was recorded, so it was imported. */
  | { readonly kind: 'imported' }
  | { readonly kind: 'usluga'; readonly ids: readonly number[] }
  | { readonly kind: 'type'; readonly ids: readonly number[] }

export type SourceRule = { readonly source: string; readonly any: readonly SourceCondition[] }

const { manualReceipt, manualExpense, monthlyService, promise, tariffCharge } = operationTypes

/** The first rule with a condition that holds gives the source; without one it is `other`. */
export const sourceRules = [
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
  { source: 'legacy', any: [{ kind: 'begins', text: '[legacy]' }, { kind: 'imported' }] },
  { source: 'promise', any: [{ kind: 'usluga', ids: Object.values(promiseServices) }] },
  { source: 'manual', any: [{ kind: 'type', ids: [manualReceipt, manualExpense] }] },
  { source: 'monthly', any: [{ kind: 'type', ids: [monthlyService, promise, tariffCharge] }] },
  { source: 'tariff_change', any: [{ kind: 'begins', text: 'Смена тарифа' }] },
] as const satisfies readonly SourceRule[]

/**
 * Where an operation came from (specification 4.12 rule 4, contract section 5): computed by these rules, never
 * stored. The same rules are applied here to one operation and translated to SQL for lists and filters in
 * billing/accounts/operation-source.ts.
 */
export type OperationSource = (typeof sourceRules)[number]['source'] | 'other'

export const operationSources: readonly OperationSource[] = [...sourceRules.map(({ source }) => source), 'other']

export const sourceOf = (operation: SourceFacts): OperationSource =>
  sourceRules.find(({ any }) => any.some((condition) => holds(condition, operation)))?.source ?? 'other'

/**
 * A mark as a regular expression whose group is the id. It uses no character class that JavaScript and PostgreSQL
 * interpret differently.
 */
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
    case 'imported':
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
