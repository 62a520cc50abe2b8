import { operationTypes } from '../../src/domain/operation.ts'
import type { Movement, PromiseCount, Violation } from './book.ts'
import type { LineRow, OperationRow } from './tables.ts'

/** What the world calls an operation; null for one that the program has made by itself. */
function keyOf({ type, description, payId }: OperationRow): string | null {
  switch (type) {
    case operationTypes.manualReceipt:
    case operationTypes.manualExpense:
      return `rest:${description}`
    case operationTypes.cashDesk:
      return `soap:${payId}`
    case operationTypes.gatewayA:
      return `gwa:${payId}`
    case operationTypes.gatewayB:
      return `gwb:${payId}`
    default:
      return null
  }
}

const ownTypes: readonly number[] = [
  operationTypes.monthlyService,
  operationTypes.promise,
  operationTypes.tariffCharge,
  operationTypes.tariffChange,
  operationTypes.recalculation,
]

/**
 * Every acknowledged movement is in the ledger once and as it was asked for; what nobody asked for and what was forged
 * is not.
 */
export function judgeMovements(
  movements: ReadonlyMap<string, Movement>,
  operations: readonly OperationRow[],
): Violation[] {
  const violations: Violation[] = []
  const found = new Map<string, OperationRow[]>()
  for (const operation of operations) {
    const key = keyOf(operation)
    if (key !== null) found.set(key, [...(found.get(key) ?? []), operation])
    else if (!ownTypes.includes(operation.type))
      violations.push({ what: 'an operation of a type nobody asked for', record: operation })
  }
  for (const [key, rows] of found) {
    const movement = movements.get(key)
    if (!movement) violations.push({ what: 'an operation that nobody asked for', record: rows })
    else if (movement.state === 'forged') violations.push({ what: 'a forged payment was credited', record: rows })
    else if (rows.length > 1) violations.push({ what: 'a movement was taken twice', record: { movement, rows } })
    else if (!isSame(movement, rows[0]!))
      violations.push({ what: 'a movement was taken otherwise than asked', record: { movement, row: rows[0] } })
  }
  for (const movement of movements.values())
    if (movement.state === 'acknowledged' && !found.has(movement.key))
      violations.push({ what: 'an acknowledged movement is lost', record: movement })
  return violations
}

const isSame = (movement: Movement, row: OperationRow): boolean =>
  movement.account === row.account &&
  movement.amount === row.amount &&
  (movement.operationId === null || movement.operationId === row.id)

/** Balances are what the movements that count and the program's own operations make of zero. */
export function judgeBalances(
  movements: ReadonlyMap<string, Movement>,
  operations: readonly OperationRow[],
  balances: ReadonlyMap<number, bigint>,
): Violation[] {
  const expected = new Map<number, bigint>()
  const add = (account: number, amount: bigint) => expected.set(account, (expected.get(account) ?? 0n) + amount)
  const taken = new Set(operations.map(keyOf))
  for (const { key, account, amount, state } of movements.values())
    if (state === 'acknowledged' || (state === 'asked' && taken.has(key))) add(account, amount)
  for (const operation of operations) if (keyOf(operation) === null) add(operation.account, operation.amount)
  return [...balances]
    .filter(([account, balance]) => balance !== (expected.get(account) ?? 0n))
    .map(([account, balance]) => ({
      what: 'a balance is not what the acknowledged movements make it',
      record: { account, balance, expected: expected.get(account) ?? 0n },
    }))
}

/** What the program does by itself it does once: a month of the tariff, a promise and its return. */
export function judgeOwnOperations(
  promises: ReadonlyMap<number, PromiseCount>,
  operations: readonly OperationRow[],
  lines: readonly LineRow[],
): Violation[] {
  const violations: Violation[] = []
  const charged = new Set<string>()
  for (const operation of operations) {
    if (operation.type !== operationTypes.tariffCharge) continue
    const name = `${operation.subscriber} ${operation.description}`
    if (charged.has(name)) violations.push({ what: 'a time was charged twice', record: operation })
    charged.add(name)
  }
  const ofPromises = operations.filter(({ type }) => type === operationTypes.promise)
  const returned = new Set(ofPromises.map(({ reversalOf }) => reversalOf))
  for (const { subscriber, hasPromise } of lines) {
    const credited = ofPromises.filter((one) => one.subscriber === subscriber && one.reversalOf === null)
    const { asked, given } = promises.get(subscriber) ?? { asked: 0, given: 0 }
    const record = { subscriber, asked, given, credited: credited.map(({ id }) => id), hasPromise }
    if (credited.length < given) violations.push({ what: 'a promise that was given has no operation', record })
    if (credited.length > asked) violations.push({ what: 'more promises than were asked for', record })
    const open = credited.filter(({ id }) => !returned.has(id)).length
    if (open !== (hasPromise ? 1 : 0)) violations.push({ what: 'the limit of a promise was not returned once', record })
  }
  return violations
}
