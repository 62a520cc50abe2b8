/** Why a notice was not credited. */
export const problemReasons = [
  'badSignature',
  'malformed',
  'wrongShop',
  'unknownOrder',
  'unknownSubscriber',
  'wrongAmount',
  'doubled',
  'notConfirmed',
  'notPosted',
  'orphaned',
] as const
export type ProblemReason = (typeof problemReasons)[number]

/** Anybody can send these, or the gateway does not stand by them: there may be no money behind them. */
const unproven: readonly ProblemReason[] = ['badSignature', 'malformed', 'wrongShop', 'notConfirmed']

export const isProven = (reason: ProblemReason): boolean => !unproven.includes(reason)

/** How an operator has settled a payment that was not credited. */
export const settlements = ['credited', 'given_back', 'noted'] as const
export type SettlementKind = (typeof settlements)[number]
