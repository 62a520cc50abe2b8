import { type Money, unitsPerRuble } from '../../domain/money.ts'
import { isPayment, type Operation, operationTypes } from '../../domain/operation.ts'

/** Where money goes, as a provider adds it up. */
export const flows = ['receipt', 'charge', 'writeOff', 'promise', 'givenBack', 'reversal'] as const
export type Flow = (typeof flows)[number]

/** Null: nothing has moved. */
export function flowOf({
  amount,
  typeId,
  reversalOf,
}: Pick<Operation, 'amount' | 'typeId' | 'reversalOf'>): Flow | null {
  if (amount === 0n) return null
  if (typeId === operationTypes.promise) return 'promise'
  if (reversalOf !== null) return 'reversal'
  if (isPayment(typeId, amount)) return 'receipt'
  if (amount > 0n) return 'givenBack'
  return typeId === operationTypes.tariffCharge || typeId === operationTypes.monthlyService ? 'charge' : 'writeOff'
}

/** A float without a sign: for a graph, never for the ledger. */
export const roughRubles = (amount: Money): number => Math.abs(Number(amount)) / Number(unitsPerRuble)
